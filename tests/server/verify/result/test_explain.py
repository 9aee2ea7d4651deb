"""The table of causes: every entry has its texts in both languages, and none hides another."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.verify.result.explain import causes, explained, removed_name
from gpu2ascend.verify.result.model import Failure, Place
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.messages import render, translated
from gpu2ascend_rules.model.versions import Version
from gpu2ascend_rules.options.options import MigrationOptions


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        ("SyntaxError: invalid syntax (a.py, line 2)", "y = y.cuda(async=True)", "async-keyword"),
        ("SyntaxError: Missing parentheses in call to 'print'.", "print 'x'", "python-2"),
        ("SyntaxError: multiple exception types must be parenthesized", "except OSError, e:", "python-2"),
        ("ModuleNotFoundError: No module named 'cPickle'", "import cPickle", "python-2"),
        ("ModuleNotFoundError: No module named 'Queue.x'", "import Queue.x", "module-missing"),
        ("EOFError: EOF when reading a line", "go = input('Go on? ')", "question"),
        ("ValueError: too many values to unpack (expected 4)", "s, r, d, _ = env.step(a)", "gym-api"),
        ("ValueError: too many values to unpack (expected 4)", "a, b, c, d = x.shape", None),
        ("SystemExit: the following arguments are required: --data", "args = p.parse_args()", "arguments"),
        ("SystemExit: a.py: error: argument -b: invalid int", "args = p.parse_args()", "arguments"),
        ("SystemExit: unrecognized arguments: --local-rank=0", "args = p.parse_args()", "local-rank"),
        ("ModuleNotFoundError: No module named 'torchtext'", "import torchtext", "torchtext"),
        ("TypeError: view(): type must be tuple of ints,but got float", "x.view(-1, n)", "division"),
        ("TypeError: 'float' object cannot be interpreted as an integer", "range(n / 2)", "division"),
        ("TypeError: 'float' object cannot be interpreted as an integer", "range(n)", None),
        ("exit code 127: bash: line 1: build-it: command not found", "", "program-missing"),
        ("RuntimeError: ffmpeg or ffprobe could not be found! Please install them", "", "program-missing"),
        ("ModuleNotFoundError: No module named 'gone'", "import gone", "module-missing"),
        ("IndexError: invalid index of a 0-dim tensor.", "prec1[0]", "number"),
    ],
)
def test_an_error_has_the_cause_of_its_text_and_line(text: str, line: str, name: str | None) -> None:
    found = (cause.name for cause in causes() if cause.explains(text, line, ""))
    assert next(found, None) == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("label = torch.full((b,), real_label, device=device)", "integers"),
        ("label = torch.full((b, 1), 1)", "integers"),
        ("label = torch.full((b,), 1.0)", None),
        ("label = torch.full((2, 3), 0.5)", None),
        ("label = torch.full(x.size(), 1)", "integers"),
        ("label = torch.full((b,), 1, dtype=torch.float32)", None),
    ],
)
def test_a_target_of_integers_is_explained_by_what_its_file_makes(file: str, name: str | None) -> None:
    text = "RuntimeError: Found dtype Long but expected Float"
    found = (cause.name for cause in causes() if cause.explains(text, "loss = criterion(out, label)", file))
    assert next(found, None) == name


def test_a_cause_may_be_what_a_release_removed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("state, reward, is_over, _ = env.step(action)\n")
    text = "too many values to unpack (expected 4)"
    failure = Failure(rank=0, type="ValueError", text=text, traceback=(Place("a.py", 1, "<module>"),))
    found = removed_name(explained(failure, tmp_path, MigrationOptions(version=Version(2, 13, 0)), ()))
    assert found is not None
    assert found.specifier == "gym<0.26"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_log_would_show_is_explained_as_by_the_doctor(tmp_path: Path, language: str) -> None:
    text = "expected 2D array or matrix, not 4D"
    failure = Failure(rank=0, type="TypeError", text=text, traceback=())
    found = explained(failure, tmp_path, MigrationOptions(), ())
    assert found.cause is not None
    assert text in render(found.cause, language)


NAMES = sorted({cause.name for cause in causes()})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_cause_says_why_and_what_to_do(name: str, language: str) -> None:
    texts = translated(language)
    assert texts[f"verify.cause.{name}.cause"] and texts[f"verify.cause.{name}.remedy"]


def test_every_text_belongs_to_a_cause() -> None:
    prefix = "verify.cause."
    named = {key.split(".")[2] for key in translated("en") if key.startswith(prefix)}
    assert named == set(NAMES)


def test_the_rules_that_are_named_exist() -> None:
    codes = {rule.code for rule in all_rules()}
    assert {code for cause in causes() for code in cause.rules} <= codes
