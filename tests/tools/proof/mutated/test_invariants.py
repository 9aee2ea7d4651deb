"""Each of the things that must hold of a file is seen where it does not."""

from __future__ import annotations

import codecs
import json

import attrs
import pytest

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.examine import examine
from gpu2ascend_rules.options.options import options_from
from tools.proof.mutated import invariants
from tools.proof.mutated.invariants import broken, lost, lost_comments, verdict

OPTIONS = options_from({"version": "2.8.0"})
MODULE = b"import torch\ntorch.cuda.synchronize()\n"
PARTS = {
    "train.py": ("x = 1\n", "x = \n"),
    "train.sh": ("if a; then b; fi\n", "if a; then b\n"),
    "a.yaml": ("a: [1]\n", "a: [1\n"),
    "a.json": ("[1]\n", "[1\n"),
    "a.toml": ("a = 1\n", "a = \n"),
    "a.cfg": ("[a]\nb = 1\n", "b = 1\n"),
}


def _notebook(*cells: str) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": [cell]} for cell in cells]})


@pytest.mark.parametrize("path", PARTS)
def test_a_text_that_does_not_parse_any_more_is_seen(path: str) -> None:
    sound, unsound = PARTS[path]
    assert list(broken(path, sound, unsound)) == ["does not parse any more"]
    assert not list(broken(path, sound, sound))
    assert not list(broken(path, unsound, unsound))


def test_a_cell_that_does_not_parse_any_more_is_seen() -> None:
    before = _notebook("x = 1", "y = ")
    assert not list(broken("a.ipynb", before, before))
    assert list(broken("a.ipynb", before, _notebook("x = ", "y = "))) == ["cell 0 does not parse any more"]
    assert list(broken("a.ipynb", before, _notebook("x = 1")))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\r\nb\r\n", b"a\nb\r\n"),
        (b"a\rb\r", b"a\rb\n"),
        (b"a\nb", b"a\nb\n"),
        (codecs.BOM_UTF8 + b"a\n", b"a\n"),
        ("# coding: latin-1\né\n".encode("latin-1"), "# coding: utf-8\né\n".encode()),
    ],
)
def test_a_lost_form_is_seen(before: bytes, after: bytes) -> None:
    assert list(lost(before, after))
    assert not list(lost(before, before))


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "x = 1  # why\n", "x = 1\n"),
        ("a.sh", "# why\na\n", "a\n"),
        ("a.yaml", "a:\n  # why\n", "a:\n"),
    ],
)
def test_a_lost_comment_is_seen(path: str, before: str, after: str) -> None:
    assert list(lost_comments(path, before, after)) == ["lost comments: {'# why': 1}"]
    assert not list(lost_comments(path, before, before))


def test_nothing_is_wrong_with_a_file_that_is_fixed_as_it_should_be() -> None:
    assert verdict("train.py", MODULE, OPTIONS) == (True, ())


def test_an_exception_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> Examination:
        raise LookupError("defect")

    monkeypatch.setattr(invariants, "examine", fails)
    assert "LookupError: defect" in verdict("train.py", MODULE, OPTIONS).violations[0]


def test_a_second_change_and_a_safe_fix_that_is_left_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an examination whose fixes make nothing but a longer file."""

    def grows(path: str, data: bytes, request: invariants.Request) -> Examination:
        done = examine(path, data, attrs.evolve(request, fix=False))
        longer = (data + b"pass\n") if request.fix else None
        return attrs.evolve(done, data=longer, findings=() if request.fix else done.findings)

    monkeypatch.setattr(invariants, "examine", grows)
    found = verdict("train.py", MODULE, OPTIONS).violations
    assert "a second fix changes the file again" in found
    assert "a safe fix is left" in found
    assert any(violation.startswith("fix leaves {} that a check does not find") for violation in found)
