"""The files that are made by chance: the same for the same number, of each kind, also in odd forms."""

from __future__ import annotations

import codecs
import json
import random
from collections import Counter

import pytest

from gpu2ascend.project.files.content.encoding import NotTextError, decode
from tools.proof.mutated.mutations import Mutated, mutated
from tools.proof.mutated.sources import kind_named, sources

SOURCES = sources()
FILES = [mutated(SOURCES, random.Random(seed)) for seed in range(600)]


def test_a_number_is_one_file() -> None:
    assert mutated(SOURCES, random.Random(7)) == FILES[7]
    assert len({file.data for file in FILES}) > 0.9 * len(FILES)


@pytest.mark.parametrize(
    "kind", ["python", "notebook", "shell", "yaml", "json", "toml", "dockerfile", "requirements", "makefile"]
)
def test_files_of_each_kind_that_people_have_are_made(kind: str) -> None:
    assert any(file.kind == kind == kind_named(file.path) for file in FILES)


def test_notebooks_stay_notebooks() -> None:
    made = [json.loads(file.data) for file in FILES if file.kind == "notebook"]
    assert made
    assert all(cell["cell_type"] == "code" for whole in made for cell in whole["cells"])


def _form(file: Mutated) -> str:
    if file.data.startswith(codecs.BOM_UTF8):
        return "mark"
    try:
        text = decode(file.data)
    except NotTextError:
        return "no text"
    if text.encoding != "utf-8":
        return "encoding"
    carriage, lines = text.text.count("\r"), text.text.count("\n")
    pairs = text.text.count("\r\n")
    return "LF" if not carriage else "CR" if not lines else "CRLF" if pairs == lines == carriage else "mixed"


def test_files_have_the_encodings_and_line_ends_that_editors_write() -> None:
    forms = Counter(map(_form, FILES))
    assert {"LF", "CR", "CRLF", "mixed", "mark", "encoding"} <= forms.keys()
    assert forms["LF"] > 0.3 * len(FILES)
