"""A branch of which nothing is left goes with its condition, unless looking at that does something."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.module_rewrite import rewrite_module
from gpu2ascend_rules.codemods.operations import Operation, OperationKind
from gpu2ascend_rules.rewrite import RewriteDeclined
from gpu2ascend_rules.text.source_file import SourceFile

GONE = "gone()"


def left(text: str) -> str:
    """A module without its statements that are to go."""
    text = dedent(text)
    starts = [at for at in range(len(text)) if text.startswith(GONE, at)]
    operations = [Operation(OperationKind.REMOVE, at, at + len(GONE)) for at in starts]
    return rewrite_module(SourceFile(text, "a.py"), operations)


def branches(first: str, *others: str) -> str:
    """What is left of branches after a statement and before one."""
    text = left("\n".join(["a()", first, *others, "b()", ""]))
    return text.removeprefix("a()\n").removesuffix("b()\n")


LOOKED_UP = ("os.environ.get(name)", "os.getenv(name, 1)", "options.get('cards')", "(o or p).get('cards', 1)")


@pytest.mark.parametrize(
    "test", ["flag", "several and len(cards) > 1", "torch.cuda.device_count() > 1", *LOOKED_UP]
)
def test_a_condition_that_only_asks_goes(test: str) -> None:
    assert branches(f"if {test}:", f"    {GONE}") == ""
    assert branches("if outer:", f"    if {test}:", f"        {GONE}") == ""
    assert branches(f"if {test}:", f"    {GONE}", "    kept()") == f"if {test}:\n    kept()\n"


TAKEN = ("args.queue.get()", "queue.get(timeout=1)", "queue.get(True)", "get('key')")


@pytest.mark.parametrize("test", ["load()", "(found := flag)", "flag and next(batches)", *TAKEN])
def test_a_condition_that_may_do_something_stays(test: str) -> None:
    assert branches(f"if {test}:", f"    {GONE}") == f"if {test}:\n    pass\n"


@pytest.mark.parametrize(
    ("test", "opposite"),
    [
        ("flag", "not flag"),
        ("not flag", "flag"),
        ("mode == 'dp'", "mode != 'dp'"),
        ("cards is not None", "cards is None"),
        ("torch.cuda.device_count() > 1", "torch.cuda.device_count() <= 1"),
        ("size > 1.5", "not (size > 1.5)"),
        ("a or b", "not (a or b)"),
        ("lambda: 3", "not (lambda: 3)"),
    ],
)
def test_of_two_branches_the_other_has_the_opposite_condition(test: str, opposite: str) -> None:
    assert branches(f"if {test}:", f"    {GONE}", "else:", "    kept()") == f"if {opposite}:\n    kept()\n"


@pytest.mark.parametrize(
    ("test", "opposite"),
    [
        ("(flag)", "not (flag)"),
        ("(torch.cuda.is_available())", "not (torch.cuda.is_available())"),
        ("(a and b)", "not (a and b)"),
        ("(not a)", "(a)"),
        ("(not\n  a\n  == b)", "(a\n  == b)"),
        ("(not (a))", "(a)"),
    ],
)
def test_parentheses_right_behind_the_word_are_no_obstacle(test: str, opposite: str) -> None:
    others = (f"    {GONE}", "else:", "    kept()")
    assert branches(f"if{test}:", *others) == f"if {opposite}:\n    kept()\n"
    chain = branches("if first:", "    one()", f"elif{test}:", *others)
    assert chain == f"if first:\n    one()\nelif {opposite}:\n    kept()\n"


def test_what_libcst_finds_invalid_is_declined() -> None:
    operation = Operation(OperationKind.EXPRESSION, len("if("), len("if(a"), "c")
    with pytest.raises(RewriteDeclined):
        rewrite_module(SourceFile("if(a):\n    b()\n", "a.py"), [operation])


def test_the_other_branches_of_a_chain_stay() -> None:
    chain = ("if a:", f"    {GONE}", "elif b:", "    one()", "else:", "    two()")
    inner = "    if b:\n        one()\n    else:\n        two()\n"
    assert branches(*chain) == f"if not a:\n{inner}"
    assert branches("if a:", "    one()", "elif b:", f"    {GONE}") == "if a:\n    one()\n"
    assert branches("if a:", "    one()", "else:", f"    {GONE}") == "if a:\n    one()\n"


def test_other_blocks_keep_a_statement() -> None:
    assert branches("with lock:", f"    {GONE}") == "with lock:\n    pass\n"
    assert branches("def f():", f"    {GONE}") == "def f():\n    pass\n"
    assert branches("if a:", "    pass") == "if a:\n    pass\n"
