"""Which edits of a module are of statements that no question led to."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.flow.names.unasked import unasked_edit
from gpu2ascend_rules.text.source_file import SourceFile

BEFORE = (
    "import torch\n"
    "RATE = 1\n"
    "\n"
    "def put(x, where):\n"
    "    return x.to(where)\n"
    "\n"
    "def scaled(x):\n"
    "    return x * RATE\n"
    "\n"
    "class Net:\n"
    "    size = 1\n"
    "    def grown(self):\n"
    "        return self.size + 1\n"
    "\n"
    "put(1, 'cuda')\n"
    "print(2)\n"
)


def asked() -> SourceFile:
    """The module, once the way of its word was followed: where it is, what is called, what is read there."""
    source = SourceFile(BEFORE)
    (word,) = source.find_all(b"cuda")
    node = source.node_at(word, word)
    assert node is not None
    (put,) = source.names.bindings_in_scope("put", node)
    assert len(source.names.readers("where", put.statement)) == 1
    assert source.names.bindings_in_scope("torch", node)
    assert not source.has(b"npu")
    assert source.has_attribute("to")
    return source


def edited(old: str, new: str) -> str:
    assert BEFORE.count(old) == 1
    return BEFORE.replace(old, new)


UNASKED = {
    "the body of a function": edited("x * RATE", "x * RATE * 2"),
    "the body of a method": edited("self.size + 1", "self.size"),
    "a parameter that is called like that of another": edited("scaled(x)", "scaled(x, where=None)"),
    "another function": edited("class Net", "def more(x):\n    return x\n\nclass Net"),
    "a function goes": edited("def scaled(x):\n    return x * RATE\n\n", ""),
    "an assignment": edited("RATE = 1", "RATE, other = 1, 2"),
    "a use of what was looked up": edited("print(2)", "print(put, torch)"),
    "at the end": BEFORE + "y = [1]\n",
    "without a line feed at the end": BEFORE + "y = [1]",
    "before a function that was looked at": edited("def put", "def other(): pass\n\ndef put"),
}
ASKED = {
    "the function that was looked at": edited("x.to(where)", "x.to(where, 1)"),
    "its head": edited("put(x, where)", "put(x, where, more)"),
    "its body goes on": edited("x.to(where)\n", "x.to(where)\n    print(1)\n"),
    "what was searched for": edited("x * RATE", "'cuda'"),
    "an attribute that was searched for": edited("self.size + 1", "self.to"),
    "what the text did not have": edited("print(2)", "print('npu')"),
    "a name that was looked up is bound again": BEFORE + "put = 1\n",
    "by a definition": BEFORE + "def put(): pass\n",
    "by a loop": BEFORE + "for put in (): pass\n",
    "in a function, for the module": edited(
        "x * RATE", "x * RATE\ndef other():\n    global put\n    put = 1"
    ),
    "a statement that decides about others": BEFORE + "if RATE: raise SystemExit\n",
    "a statement that goes on": BEFORE + "y = \\\n",
    "broken code": BEFORE + "def other(:\n",
    "a quote that opens": edited("RATE = 1", "RATE = '''"),
    "the same line": edited("print(2)", "print(2)").replace("put(1, 'cuda')\n", "put(1, 'cuda'); "),
    "an indented line behind a function": edited("x.to(where)\n", "x.to(where)\n\n    y = 1\n"),
}


@pytest.mark.parametrize("case", UNASKED)
def test_no_question_leads_there(case: str) -> None:
    shift = unasked_edit(asked(), UNASKED[case])
    assert shift is not None
    assert UNASKED[case].encode()[shift.offset(BEFORE.index("'cuda'")) :].startswith(b"'cuda'")


@pytest.mark.parametrize("case", ASKED)
def test_a_question_may_have_another_answer(case: str) -> None:
    assert unasked_edit(asked(), ASKED[case]) is None


def test_a_head_that_takes_in_indented_lines_may_have_another_answer() -> None:
    body = "    where = 'cuda'\n    return where\n"
    source = SourceFile(f"# made()\n{body}")
    assert list(source.find_all(b"cuda"))
    assert unasked_edit(source, f"def made():\n{body}") is None
    assert unasked_edit(source, f"# made()\n{body}print(1)\n") is not None


def test_of_a_module_that_nobody_searched_nothing_is_known() -> None:
    assert unasked_edit(SourceFile(BEFORE), UNASKED["at the end"]) is None


def test_questions_to_the_same_text_elsewhere_count_there() -> None:
    source = asked()
    again = source.again()
    again.identifiers("scaled")
    assert unasked_edit(source, UNASKED["the body of a function"]) is not None
    assert unasked_edit(again, UNASKED["the body of a function"]) is None
