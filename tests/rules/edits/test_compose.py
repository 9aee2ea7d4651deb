"""Edits over edits are the same as one after the other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpu2ascend_rules.edits.offsets import apply_edits, compose
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.all_edits import edits_of_all
from tests.rules.example_options import options_of


@st.composite
def edits(draw: st.DrawFn, length: int) -> list[Edit]:
    """Edits of an ASCII text, free of overlaps: no two at one place."""
    places = sorted(draw(st.sets(st.integers(0, length), max_size=8)))
    texts = st.text(alphabet="xyz", max_size=3)
    found = []
    for start, end in zip(places[::2], places[1::2], strict=False):
        found.append(Edit(start, draw(st.integers(start, end - 1)), draw(texts)))
    return found


@given(st.data(), st.text(alphabet="abcdef", max_size=12))
def test_they_do_at_once_what_both_do_in_turn(data: st.DataObject, text: str) -> None:
    given_text = text.encode()
    first = data.draw(edits(len(given_text)))
    between = apply_edits(given_text, first)
    second = data.draw(edits(len(between)))
    both = compose(first, between, second)
    assert apply_edits(given_text, both) == apply_edits(between, second)
    assert all(one.end <= other.start for one, other in pairwise(both))


def test_fixes_that_need_two_passes_are_told_as_one_set_of_edits() -> None:
    text = (
        "import torch\n"
        "from apex.parallel import DistributedDataParallel as DDP\n"
        "m = DDP(m)\n"
        "x = torch.ones(2).cuda()\n"
    )
    source, options = SourceFile(text), options_from({"version": "2.8.0"})
    fixed = apply_fixes(source, options)
    assert fixed.passes == 2
    edits = edits_of_all(source, options)
    assert apply_edits(source.data, edits).decode() == fixed.text
    assert "torch.ones" not in "".join(edit.text for edit in edits)


@pytest.mark.slow
@pytest.mark.every_rule
def test_the_edits_give_what_all_fixes_give() -> None:
    for example in (item for rule in all_rules() for item in rule.examples):
        options = options_of(example, unsafe_fixes=True)
        source = text_file(example.before, example.path)
        edits = edits_of_all(source, options)
        assert apply_edits(source.data, edits).decode() == apply_fixes(source, options).text


def test_nothing_to_fix_gives_no_edits() -> None:
    assert edits_of_all(SourceFile("x = 1\n"), options_from({"version": "2.8.0"})) == ()
