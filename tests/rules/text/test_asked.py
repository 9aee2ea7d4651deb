"""What is asked of a text is noted, so that an edit which changes no answer is known as one."""

from __future__ import annotations

import re
from pathlib import Path

import gpu2ascend_rules
from gpu2ascend_rules.text.source_file import SourceFile

RULES = Path(gpu2ascend_rules.__file__).parent
SEARCHING = re.compile(r"source\.(?:data|text|raw)\b")
ROOMS = ("flow", "inference", "receivers")
LOOKED_AT_ALONE = {
    "flow/guards/code_searches.py": "notes the words of its patterns",
    "flow/guards/cuda_guards.py": "the arm of a test",
    "flow/names/same_code.py": "compares texts",
    "flow/names/unasked.py": "compares texts",
    "inference/extensions/cuda_sources.py": "setup scripts",
    "inference/models/code.py": "advice, not words",
    "inference/npu_branches.py": "findings, not words",
    "inference/reexports.py": "texts that count as read",
    "inference/unknown_torch.py": "the length alone",
    "receivers/residence.py": "operators and dtypes, not words",
}
"""Modules that read the bytes of a source past the questions that are noted, and why that is none."""


def test_whoever_follows_values_searches_by_questions_that_are_noted() -> None:
    modules = (path for room in ROOMS for path in (RULES / room).rglob("*.py"))
    found = {
        path.relative_to(RULES).as_posix() for path in modules if SEARCHING.search(path.read_text("utf-8"))
    }
    assert found == LOOKED_AT_ALONE.keys()


def test_each_kind_of_question_is_noted() -> None:
    source = SourceFile("import os\nx = os.path\ndef f(y):\n    return y\n")
    function = source.root.children[-1]
    assert source.names.bindings_in_scope("x", function)
    assert not source.asked.words
    assert source.asked.names == {"x"}
    source.identifiers_in("y", function)
    assert not source.asked.words
    source.identifiers("a"), source.occurrences("b"), source.names.references("c"), source.names.bindings("d")
    source.names.readers("e", source.root), source.names.readers("y", function), source.has_attribute("path")
    assert source.asked.words == {"a", "b", "c", "d", "e", "path"}
    pattern = re.compile(rb"ret\w+")
    assert list(source.find_all(b"os")) == [7, 14]
    assert [match[0] for match in source.matches(pattern)] == [b"return"]
    assert source.asked.texts == {b"os", pattern}
    assert source.has(b"path") and not source.has(re.compile(rb"\bpat\b"))
    assert list(source.asked.signs.values()) == [True, False]


def test_of_the_same_text_elsewhere_nothing_was_asked() -> None:
    source = SourceFile("x = 1\n")
    source.identifiers("x")
    again = source.again()
    assert source.asked.is_searched and not again.asked.is_searched
    again.identifiers("y")
    assert source.asked.words == {"x"}
