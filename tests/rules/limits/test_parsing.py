"""A parse ends when its file's time does, and its steps do not change the tree."""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from gpu2ascend_rules.limits.checkpoints import StoppedError, asking
from gpu2ascend_rules.limits.long_runs import blanked, long_runs
from gpu2ascend_rules.limits.parsing import _SMALL, parse

CODE = "def 函数(x):\n    return f'{x}模型', x.cuda()\n"


def _stop() -> None:
    raise StoppedError


def test_a_checkpoint_ends_it() -> None:
    with asking(_stop), pytest.raises(StoppedError):
        parse(b"x = 1\n" * _SMALL)


def test_an_incremental_parse_too() -> None:
    data = b"x = 1\n" * _SMALL
    tree = parse(data)
    tree.edit(0, 5, len(data), (0, 0), (0, 5), (_SMALL, 0))
    with asking(_stop), pytest.raises(StoppedError):
        parse(data + data[5:], tree)


@pytest.mark.parametrize("shift", range(3))
def test_the_characters_of_a_long_text_are_whole(shift: int) -> None:
    data = (" " * shift + "\n" + CODE * (2 * _SMALL // len(CODE))).encode()
    assert len(data) > _SMALL
    tree = parse(data)
    assert not tree.root_node.has_error
    last = tree.root_node.children[-1]
    assert last.text == CODE.strip().encode()


@pytest.mark.parametrize(("begin", "line"), [("if x:\n    y\n", "    # c\n"), ("x = 1 + ", "\\\n")])
def test_of_a_run_the_parser_sees_the_same_few_lines_however_long_it_is(begin: str, line: str) -> None:
    counts = set()
    for length in (100, 10_000):
        data = (begin + line * length + "    2\n").encode()
        seen = blanked(data, long_runs(data))
        counts.add(seen.count(line.strip().encode()))
    assert len(counts) == 1 and counts.pop() < 20


@pytest.mark.slow
def test_a_parse_that_may_be_stopped_keeps_nothing_of_its_text() -> None:
    """What tree-sitter's reader hands out is never given back: it must not be the text."""

    def parsed_once(number: int) -> None:
        data = f"x = {number}\n".encode() * _SMALL
        with asking(lambda: None):
            assert parse(data).root_node.end_byte == len(data)

    parsed_once(0)
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(1, 6):
            parsed_once(number)
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert kept < _SMALL
