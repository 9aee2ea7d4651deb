"""Projects whose words carry what is to be decided about them.

A mark behind a word is the expectation, and is taken out of the text: ``'cuda!'`` moves, ``'cuda+'`` gets the
NPU's word beside it, ``'cuda='`` stays, ``'cuda?'`` is divided. About a word without a mark the program
decides nothing, so that its own file does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend_rules.model.project.decisions import NO_DECISIONS, Decision, Outcome
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})
_WORDS = re.compile(r"(?<=['\":,])(cuda|nccl|NCCL)([!+=?])?")
_MARKS = {Outcome.MOVES: "!", Outcome.STAYS: "=", Outcome.DIVIDED: "?"}
_STRING = re.compile(r"""[a-z]*(['"])(?:(?!\1).)*\1""")


def without_marks(text: str) -> str:
    """A text as a project has it."""
    return _WORDS.sub(lambda match: match[1], text)


def project_of(files: Mapping[str, str], root: Path) -> ProjectFiles:
    """The project that consists of some texts, marks taken out, below a directory."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(without_marks(text), encoding="utf-8")
    return ProjectFiles(root)


def decided(files: Mapping[str, str], root: Path) -> dict[str, str]:
    """The texts, marked with what the program decides about their words."""
    project = project_of(files, root)
    decisions = project.program.decided(OPTIONS).files
    return {
        path: _marked(without_marks(text), decisions.get(path, NO_DECISIONS).words)
        for path, text in files.items()
    }


def _marked(text: str, words: Mapping[int, Decision]) -> str:
    """A text of ASCII with marks."""

    def mark(string: re.Match[str]) -> str:
        decision = words.get(string.start())
        if decision is None:
            return string[0]
        return _WORDS.sub(lambda word: word[1] + _mark(decision), string[0], count=1)

    return _STRING.sub(mark, text)


def _mark(decision: Decision) -> str:
    is_widened = decision.is_widened and decision.outcome is Outcome.MOVES
    return "+" if is_widened else _MARKS[decision.outcome]
