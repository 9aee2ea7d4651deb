"""Files that were copied without being examined, by kind."""

from __future__ import annotations

import re

import pytest

from gpu2ascend.project.report.unexamined import NAMED, OtherKind, Unexamined, kind_of
from gpu2ascend_rules.messages import render


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("requirements.txt", OtherKind.DEPENDENCIES),
        ("deps/requirements-dev.in", OtherKind.DEPENDENCIES),
        ("pyproject.toml", OtherKind.DEPENDENCIES),
        ("environment_gpu.yml", OtherKind.DEPENDENCIES),
        ("docker/Dockerfile.gpu", OtherKind.CONTAINERS),
        ("docker-compose.yaml", OtherKind.CONTAINERS),
        ("run/train.SH", OtherKind.SHELL),
        ("job.sbatch", OtherKind.SHELL),
        ("Makefile", OtherKind.SHELL),
        ("configs/base.yaml", OtherKind.CONFIGURATION),
        ("ds_config.json", OtherKind.CONFIGURATION),
        ("csrc/op.cpp", OtherKind.SOURCES),
        ("README.md", OtherKind.OTHER),
        ("LICENSE", OtherKind.OTHER),
        ("weights.pt", OtherKind.OTHER),
    ],
)
def test_a_kind_is_known_by_the_name(path: str, kind: OtherKind) -> None:
    assert kind_of(path) is kind


def test_only_what_says_nothing_of_a_device_is_of_no_matter() -> None:
    assert [kind for kind in OtherKind if not kind.may_matter] == [OtherKind.OTHER]


def test_what_may_name_a_device_is_told_with_names() -> None:
    found = Unexamined()
    for path in ("a.md", "train.sh", "b.yaml"):
        found.add(path)
    notice = found.notice()
    assert notice is not None
    assert "train.sh, b.yaml" in render(notice) and "(2)" in render(notice)


@pytest.mark.parametrize(("count", "shown"), [(1, 1), (2, 2), (6, 6), (7, 6), (NAMED + 3, 6)])
def test_a_line_names_the_first_and_counts_the_others(count: int, shown: int) -> None:
    found = Unexamined()
    names = [f"run{number:02}.sh" for number in range(count)]
    for name in names:
        found.add(name)
    (line,) = found.lines("en")
    arguments = dict(line.arguments)
    said = str(arguments["names"])
    assert arguments["count"] == str(count)
    assert [name for name in names if name in said] == names[:shown]
    assert said.endswith("…)") is (count > shown)
    assert re.findall(r"\b\d+\b(?!\.sh)", said) == ([str(count - 1)] if count > 1 else [])


def test_documents_and_data_are_no_notice() -> None:
    found = Unexamined()
    found.add("README.md")
    found.add("align.pyx", names_gpus=False)
    assert found.notice() is None


@pytest.mark.parametrize(("language", "text"), [("en", "not examined: shell"), ("zh", "未检查：shell")])
def test_the_log_has_a_line_for_each_kind(language: str, text: str) -> None:
    found = Unexamined()
    found.add("README.md")
    found.add("train.sh")
    first, second = (render(line, language) for line in found.lines(language))
    assert first.startswith(text) and "train.sh" in first and "README.md" in second


def test_what_is_held_does_not_grow_with_the_files() -> None:
    found = Unexamined()
    for number in range(500):
        found.add(f"{number}.yaml")
    (kind,) = found.in_order()
    assert (kind.count, len(kind.names)) == (500, NAMED)
