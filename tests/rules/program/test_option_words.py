"""The options of a module that hold the word of a device, and what is looked at to find them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpu2ascend_rules.program.serving.option_words import option_words
from gpu2ascend_rules.text.names import NameTable
from gpu2ascend_rules.text.source_file import SourceFile

MODULE = """\
import argparse
from package.names import DEVICES
from package import names
from package.other import thing

parser = argparse.ArgumentParser()
parser.add_argument("--device", choices=DEVICES)
parser.add_argument("--with", choices=names.DEVICES)
parser.add_argument("--other", choices=thing)
"""
TEXTS = {"package.names": "DEVICES = ['cuda', 'npu']\n", "package.other": "thing = ['cuda']\n"}


def test_words_are_those_of_the_constants_of_other_modules() -> None:
    found = [(item.flag, item.word) for item in option_words(SourceFile(MODULE), TEXTS.get)]
    assert found == [("--device", "cuda"), ("--device", "npu"), ("--with", "cuda"), ("--with", "npu")]


def test_uses_are_looked_at_of_imports_whose_module_has_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    source, asked = SourceFile(MODULE), []

    def references(table: NameTable, name: str, of=NameTable.references) -> Iterator[object]:  # type: ignore[no-untyped-def]
        asked.append(name)
        return iter(of(table, name))

    monkeypatch.setattr(NameTable, "references", references)
    assert list(option_words(source, TEXTS.get))
    assert [name for name in asked if name in ("argparse", "DEVICES", "names", "thing")] == [
        "DEVICES",
        "names",
    ]


def test_a_word_is_a_default_where_the_option_merely_starts_with_it() -> None:
    text = (
        "parser.add_argument('--chosen', default='npu', choices=['cuda', 'cpu'])\n"
        "@dataclass\nclass Options:\n    device: Literal['npu', 'cpu'] = 'cuda'\n"
    )
    found = [(item.word, item.is_default) for item in option_words(SourceFile(text))]
    assert found == [("npu", True), ("cuda", False), ("npu", False), ("cuda", True)]
