"""Which edits of a module leave its code, and where its words are afterwards."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.flow.names.same_code import same_code
from gpu2ascend_rules.text.source_file import SourceFile

BEFORE = (
    "import torch\n"
    "def run(x, rate=0.5):  # a comment\n"
    "    # another\n"
    "    return x.to('cuda'), 1\n"
    "\n"
    'TEXT = """\n'
    "# no comment\n"
    '"""\n'
    "@torch.jit.script\n"
    "def other(x): pass\n"
    "y = run(1, \\\n"
    "    2.5)\n"
)


def edited(old: str, new: str) -> str:
    assert BEFORE.count(old) == 1
    return BEFORE.replace(old, new)


SAME = {
    "a comment changes": edited("# a comment", '# what it does: it\'s "quoted"'),
    "a comment goes": edited("  # a comment", ""),
    "a comment comes behind code": edited("'cuda'), 1", "'cuda'), 1  # here"),
    "a comment with less indentation": edited("    # another", "# another"),
    "lines of comments come": edited("    # another\n", "# one\n\n        # two\n"),
    "a blank line comes": edited("import torch\n", "import torch\n\n"),
    "a number with a point": edited("rate=0.5", "rate=0.25"),
    "the text ends in a comment": BEFORE + "# the end",
    "at both ends": "# one\n" + BEFORE.replace("# another", "# two") + "\n# three\n",
    "nothing": BEFORE,
}
OTHER = {
    "a name": edited("def run", "def walk"),
    "a string": edited("'cuda'", "'cpu'"),
    "an index may be a number without a point": edited("'cuda'), 1", "'cuda'), 2"),
    "code comes": BEFORE + "x = 1\n",
    "code becomes a comment": edited("    return x", "    # return x"),
    "a comment becomes code": edited("# another", "another"),
    "what looks like a comment in a text": edited("# no comment", "# no remark"),
    "a blank line in a text": edited("# no comment\n", "# no comment\n\n"),
    "indentation": edited("    return x", "  return x"),
    "the rest of a line that goes on": edited("2.5", "3"),
    "a blank line behind one that goes on": edited("\\\n", "\\\n\n"),
    "a mark of a comment in a text": edited("# no comment\n", "\n"),
    "a quote that opens": edited("import torch\n", "import torch\n'''\n"),
    "a comment behind a decorator, which the grammar may not read": edited(
        "@torch.jit.script\n", "@torch.jit.script\n# one\n"
    ),
    "a mark of a comment in a string": edited("'cuda'), 1", "'#cuda'), 1"),
}


@pytest.mark.parametrize("case", SAME)
def test_the_code_is_the_same(case: str) -> None:
    shift = same_code(SourceFile(BEFORE), SAME[case])
    assert shift is not None
    assert SAME[case].encode()[shift.offset(BEFORE.index("'cuda'")) :].startswith(b"'cuda'")
    line = shift.line(BEFORE[: BEFORE.index("'cuda'")].count("\n") + 1)
    assert "'cuda'" in SAME[case].splitlines()[line - 1]
    assert "import torch" in SAME[case].splitlines()[shift.line(1) - 1]


@pytest.mark.parametrize("case", OTHER)
def test_the_code_may_be_another(case: str) -> None:
    assert same_code(SourceFile(BEFORE), OTHER[case]) is None


def test_behind_a_number_that_changes_a_word_has_no_known_place() -> None:
    before = "f(0.5, 'cuda')  # a\n"
    assert same_code(SourceFile(before), "f(0.25, 'cuda')  # a\n") is None
    assert same_code(SourceFile(before), "f(0.5, 'cuda')  # b\n") is not None


def test_of_a_text_that_does_not_parse_nothing_is_known() -> None:
    assert same_code(SourceFile("def f(:\n    x\n"), "def f(:\n    x\n# a\n") is None
