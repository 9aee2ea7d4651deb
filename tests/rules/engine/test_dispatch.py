"""Which handlers want a dotted name, and how much of it they want."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.dispatch import Bound, NamePatterns, Words
from gpu2ascend_rules.engine.outlines import Want, outline_of
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.engine.rule import Event


def wanted(name: str, handler: int) -> Bound:
    """A handler of a rule that wants a name."""
    return Bound(outline_of(all_rules()[0]), Want(Event.NAME, name, "", handler, handler))


def patterns(*names: str) -> NamePatterns:
    """Patterns that handlers of their own want."""
    found = NamePatterns()
    for number, name in enumerate(names):
        found.add(wanted(name, number))
    return found


@pytest.mark.parametrize(
    ("pattern", "name", "count"),
    [
        ("torch", "torch", 1),
        ("torch", "torch.nn.Linear", 1),
        ("torch.cuda.init", "torch.cuda.init", 3),
        ("torch.cuda.init", "torch.cuda.init.more", 3),
        ("torch.cuda.init", "torch.cuda", None),
        ("torch.cuda.init", "torch.cuda.initial", None),
        ("torch.cuda.**", "torch.cuda", 2),
        ("torch.cuda.**", "torch.cuda.init", 3),
        ("torch.cuda.**", "torch.cuda.amp.autocast", 4),
        ("torch.cuda.**", "torch.cudnn", None),
        ("torch.cuda.**", "torch", None),
    ],
)
def test_a_pattern_matches_so_many_parts_of_a_name(pattern: str, name: str, count: int | None) -> None:
    matched = patterns(pattern)
    expected = [(pattern, count)] if count is not None else []
    assert [(bound.pattern, parts) for bound, parts in matched.match(name)] == expected
    assert [(bound.pattern, parts) for bound, parts in matched.match(name)] == expected  # as it is kept


def test_all_patterns_that_match_are_found_and_new_ones_count() -> None:
    matched = patterns("torch.cuda.**", "torch.cuda.init", "torch.nn")
    assert {bound.pattern for bound, _ in matched.match("torch.cuda.init")} == {
        "torch.cuda.**",
        "torch.cuda.init",
    }
    matched.add(wanted("torch", 3))
    assert {bound.pattern for bound, _ in matched.match("torch.cuda.init")} == {
        "torch",
        "torch.cuda.**",
        "torch.cuda.init",
    }
    assert matched.roots == {"torch"}


def test_of_the_words_of_a_text_those_of_handlers_are_found_in_their_order() -> None:
    words = Words(to=[], cuda=[], device=[])
    assert words.among(frozenset({b"device", b"x", b"to", b"cuda_device"})) == ["to", "device"]
    assert words.among(frozenset({b"x"})) == []
    assert words.held_by(b"x.cuda_device", frozenset({b"x", b"cuda_device"})) == ["cuda", "device"]
    words = Words({"--device": [], "vice": [], "gpu": []})
    assert words.held_by(b"--device=1", frozenset({b"device", b"1"})) == ["--device", "vice"]
