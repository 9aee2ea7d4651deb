"""Whether a text is Python 3."""

from __future__ import annotations

import pytest

from gpu2ascend.project.files.content.syntax import syntax_problem
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.text.source_file import SourceFile


def problem_of(text: str) -> str | None:
    message = syntax_problem(SourceFile(text))
    return message.id if message is not None else None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("x = 1", id="no last newline"),
        pytest.param("x = 1\ry = 2\r", id="CR"),
        pytest.param("\x0cx = 1\n", id="form feed"),
        pytest.param("x = '\\d'\n", id="invalid escape"),
        pytest.param("type X[T] = list[T]\ndef f[T](x: T): ...\n", id="syntax of 3.12"),
        pytest.param("try: ...\nexcept* ValueError: ...\n", id="syntax of 3.11"),
        pytest.param("try: ...\nexcept A, B: ...\n", id="syntax of 3.14"),
        pytest.param("x = " + "1 + " * 20_000 + "1\n", id="20,000 additions"),
        pytest.param("x = " + "-" * 20_000 + "1\n", id="20,000 signs"),
        pytest.param("x = a" + ".b" * 20_000 + "\n", id="20,000 attributes"),
        pytest.param("x = " + "(" * 90 + "1" + ")" * 90 + "\n", id="90 parentheses"),
        pytest.param("if a: pass\n" + "elif a: pass\n" * 3_000, id="3,000 branches"),
        pytest.param("def f(x):\n    global x\n", id="a parameter that is global"),
        pytest.param("from __future__ import barriers\n", id="no such future"),
        pytest.param("nonlocal x\n", id="nonlocal in a module"),
        pytest.param("return 1\n", id="return outside a function"),
    ],
)
def test_python_is_accepted_however_deep_or_new(text: str) -> None:
    assert problem_of(text) is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("print 'x'\n", "project.unparsable", id="print statement"),
        pytest.param("exec code in scope\n", "project.unparsable", id="exec statement"),
        pytest.param("def f(:\n", "project.unparsable", id="syntax error"),
        pytest.param("if a:\n\tb\n        c\n", "project.unparsable", id="mixed indentation"),
        pytest.param("x = 1\ny = '\0'\n", "project.nul-bytes", id="NUL"),
        pytest.param("{{ cookiecutter.name }} = 1 2\n", "project.unparsable", id="template"),
        pytest.param("x = " + "(" * 3_000, "project.unparsable", id="3,000 open parentheses"),
        pytest.param("x = " + "(" * 3_000 + "1" + ")" * 3_000, "project.unparsable", id="3,000 parentheses"),
        pytest.param("x = " + "-" * 100_000 + "\n", "project.too-deep", id="100,000 signs of nothing"),
    ],
)
def test_the_rest_is_refused_without_ending_the_process(text: str, reason: str) -> None:
    assert problem_of(text) == reason


def test_the_line_is_reported() -> None:
    message = syntax_problem(SourceFile("x = 1\nprint 'x'\n"))
    assert message is not None and dict(message.arguments)["line"] == "2"


@pytest.mark.parametrize("code", ["x = x.cuda(async=True)\n", "def f(x, async = False):\n    pass\n"])
def test_an_argument_that_has_become_a_keyword_is_named(code: str) -> None:
    message = syntax_problem(SourceFile(code))
    assert message is not None and dict(message.arguments)["reason"] == Message.of("project.async-keyword")
