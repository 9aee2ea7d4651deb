"""Links to where a rule is explained lead there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend.lsp.documentation import rule_pages
from gpu2ascend.lsp.documentation.rule_pages import cached_page, link, page, path_of_page
from gpu2ascend.project.files.user_cache import cache_directory
from gpu2ascend_rules.engine.registry import all_codes
from gpu2ascend_rules.messages import LANGUAGES

needs_modes = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no POSIX modes")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The user's cache, empty."""
    directory = tmp_path / "cache"
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", str(directory))
    _forget()
    yield directory
    _forget()


def _forget() -> None:
    path_of_page.cache_clear()
    rule_pages._lines.cache_clear()


def written(language: str) -> Path:
    path = path_of_page(language)
    assert path is not None
    return path


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_every_rule_once(language: str) -> None:
    headings = [line.split()[1] for line in page(language).split("\n") if line.startswith("### ")]
    assert headings == sorted(rule.code for rule in all_codes())


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_what_the_rules_say(language: str) -> None:
    assert written(language).read_bytes() == page(language).encode("utf-8")


def test_a_checkout_has_the_page_in_the_users_cache(cache: Path) -> None:
    assert written("en").is_relative_to(cache)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_a_link_to_its_heading(language: str) -> None:
    lines = written(language).read_text(encoding="utf-8").split("\n")
    for rule in all_codes():
        target = link(rule.code, language)
        assert target is not None
        address, _, line = target.partition("#L")
        assert address == written(language).as_uri()
        assert lines[int(line) - 1].startswith(f"### {rule.code} ")


def test_there_is_no_link_where_no_page_can_be_written(cache: Path) -> None:
    cache.write_text("in the way of the directory")
    assert link("NPU101", "en") is None


class TestTheCache:
    def test_another_text_is_another_file(self) -> None:
        assert cached_page("rules.md", "one") != cached_page("rules.md", "two")

    def test_the_same_text_is_the_same_file(self) -> None:
        assert cached_page("rules.md", "one") == cached_page("rules.md", "one")

    def test_a_file_that_was_changed_is_written_anew(self) -> None:
        path = cached_page("rules.md", "one")
        assert path is not None
        path.write_text("something else")
        assert cached_page("rules.md", "one") == path
        assert path.read_text() == "one"

    def test_nothing_else_is_left_in_the_directory(self) -> None:
        path = cached_page("rules.md", "one")
        assert path is not None
        assert list(path.parent.iterdir()) == [path]

    @needs_modes
    def test_only_the_user_can_read_the_directory(self) -> None:
        path = cached_page("rules.md", "one")
        assert path is not None
        assert path.parent.stat().st_mode & 0o777 == 0o700

    @needs_modes
    def test_a_directory_that_others_can_write_to_is_not_used(self, cache: Path) -> None:
        (cache / "gpu2ascend").mkdir(parents=True)
        (cache / "gpu2ascend").chmod(0o777)
        assert cached_page("rules.md", "one") is None

    @needs_modes
    def test_a_link_to_somewhere_else_is_not_followed(self, cache: Path, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        cache.mkdir()
        (cache / "gpu2ascend").symlink_to(tmp_path / "elsewhere")
        assert cached_page("rules.md", "one") is None

    def test_a_relative_directory_counts_as_none(self) -> None:
        assert cache_directory({"XDG_CACHE_HOME": "cache"}, "linux") == Path.home() / ".cache"

    def test_macos_keeps_caches_in_the_library(self) -> None:
        assert cache_directory({}, "darwin") == Path.home() / "Library" / "Caches"

    def test_windows_without_a_local_directory_has_none(self) -> None:
        assert cache_directory({}, "win32") is None


def test_rules_of_the_users_own_have_none() -> None:
    assert link("MINE1", "en") is None


@pytest.mark.parametrize(("language", "address"), [("en", ""), ("zh", "zh/")])
def test_a_package_built_with_a_site_links_there(
    monkeypatch: pytest.MonkeyPatch, language: str, address: str
) -> None:
    monkeypatch.setattr(rule_pages, "site_address", lambda: "https://docs.example.org")
    assert link("NPU101", language) == f"https://docs.example.org/{address}rules/NPU101/"
    assert link("CUS001x", language) is None


def test_the_address_is_in_a_file_beside_the_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_pages, "__file__", str(tmp_path / "rule_pages.py"))
    rule_pages.site_address.cache_clear()
    assert rule_pages.site_address() is None
    (tmp_path / rule_pages.SITE).write_text("https://docs.example.org/\n", encoding="utf-8")
    rule_pages.site_address.cache_clear()
    assert rule_pages.site_address() == "https://docs.example.org"
    rule_pages.site_address.cache_clear()
