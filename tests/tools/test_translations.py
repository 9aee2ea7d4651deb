"""Chinese texts may come later than a rule: English is shown, a report lists them, a release needs them."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules import explaining, messages
from gpu2ascend_rules.engine.registry import all_codes, rule_by_code
from gpu2ascend_rules.model.finding import Message
from tools import translations

ROOT = Path(__file__).parents[2]
TITLE = "NPU701.title"


@pytest.fixture
def catalogues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Catalogues of two messages, the second of which is not translated; no rule is translated."""
    english = {TITLE: "A library", "NPU701.apex": "`{library}`"}
    for language, texts in (("en", english), ("zh", {TITLE: "库"})):
        (tmp_path / language).mkdir()
        (tmp_path / language / "third_party.json").write_text(json.dumps(texts), encoding="utf-8")
    all_codes()  # adds the catalogues of targets
    monkeypatch.setattr(messages, "_FOLDERS", [tmp_path])
    messages.forget()
    yield tmp_path
    messages.forget()
    explaining.cached_translations.cache_clear()


def chinese(catalogues: Path) -> dict[str, str]:
    return dict(json.loads((catalogues / "zh" / "third_party.json").read_text(encoding="utf-8")))


def test_a_message_that_is_not_translated_is_shown_in_english(catalogues: Path) -> None:
    assert messages.render(Message.of("NPU701.apex", library="apex"), "zh") == "`apex`"
    assert messages.render(Message.of(TITLE), "zh") == "库"


def test_an_id_that_no_catalogue_has_is_an_error(catalogues: Path) -> None:
    with pytest.raises(KeyError, match=r"NPU701\.gone"):
        messages.render(Message.of("NPU701.gone"), "zh")


def test_the_report_has_the_english_texts_that_are_missing(catalogues: Path) -> None:
    missing = translations.untranslated()
    assert missing["messages"] == {"NPU701.apex": "`{library}`"}
    rule = rule_by_code("NPU701")
    assert rule is not None
    assert missing["rules"]["NPU701"] == {
        name: text for name, text in explaining.documentation(rule).items() if name != "summary"
    }


def test_the_steps_of_codemods_are_in_the_report_as_rules_are(catalogues: Path) -> None:
    assert {"NPU390", "NPU421", "NPU701", "NPU990", "DYN001"} <= translations.untranslated()["rules"].keys()


def test_a_release_check_fails_while_a_text_is_missing(
    catalogues: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert translations.main(["--strict"]) == 1
    assert json.loads(capsys.readouterr().out)["messages"] == {"NPU701.apex": "`{library}`"}
    assert translations.main([]) == 0


def test_what_is_added_is_shown_and_no_longer_missing(catalogues: Path) -> None:
    parts = {"what": "说明"}
    translations.add(
        {"messages": {"NPU701.apex": "来自 `{library}`"}, "rules": {"NPU701": parts}}, [catalogues]
    )
    messages.forget()
    explaining.cached_translations.cache_clear()
    assert chinese(catalogues) == {TITLE: "库", "NPU701.apex": "来自 `{library}`"}
    missing = translations.untranslated()
    assert missing["messages"] == {} and "NPU701" not in missing["rules"]
    rule = rule_by_code("NPU701")
    assert rule is not None and explaining.documentation(rule, "zh")["what"] == "说明"


@pytest.mark.parametrize("texts", [{"messages": {"NPU701.gone": "x"}}, {"rules": {"NPU799": {"what": "x"}}}])
def test_a_text_without_an_english_original_is_refused(
    catalogues: Path, texts: translations.Untranslated
) -> None:
    with pytest.raises(ValueError, match=r"NPU701\.gone|NPU799"):
        translations.add(texts, [catalogues])


def test_a_project_has_one_chinese_name() -> None:
    """工程 means engineering, too, and is that of the vendor's pages; editors in Chinese say 项目."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True)
    names = [
        name for name in listed.stdout.split("\0") if name and name != "tests/tools/test_translations.py"
    ]
    texts = {name: (ROOT / name).read_bytes() for name in names if (ROOT / name).is_file()}
    usual, other = "项目".encode(), re.compile("工程(?!师)".encode())
    assert sum(usual in text for text in texts.values()) > 50
    assert [name for name, text in texts.items() if other.search(text)] == []
