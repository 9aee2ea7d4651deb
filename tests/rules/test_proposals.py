"""Unsafe fixes offered beside the safe ones of a file."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.engine.registry import all_rules
from gpu2ascend_rules.fixing import Proposal, proposals
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.finding import Applicability, Edit
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from tests.rules.all_edits import edits_of_all
from tests.rules.example_options import options_of

OPTIONS = options_from({"version": "2.8.0"})
BOTH = "import torch\nx = torch.ones(2).cuda()\ntorch.backends.cuda.matmul.allow_tf32 = True\n"


def offered(
    text: str, options: MigrationOptions = OPTIONS, path: str = ""
) -> tuple[tuple[Edit, ...], tuple[Proposal, ...]]:
    """The safe edits of a text, and what is offered beside them."""
    source = text_file(text, path)
    safe = edits_of_all(source, options)
    return safe, proposals(source, check(source, options), safe)


def test_only_unsafe_fixes_are_offered() -> None:
    _, proposed = offered(BOTH)
    assert proposed and all(item.fix.applicability is Applicability.UNSAFE for item in proposed)


def test_a_file_with_safe_fixes_only_offers_none() -> None:
    assert offered("import torch\nx = torch.ones(2).cuda()\n")[1] == ()


def test_an_import_that_the_safe_fixes_bring_is_not_brought_again() -> None:
    safe, proposed = offered(BOTH)
    data = apply_edits(BOTH.encode(), [*safe, *(edit for item in proposed for edit in item.edits)])
    assert data.decode().count("import torch_npu\n") == 1


@pytest.mark.slow
@pytest.mark.every_rule
def test_any_of_them_can_be_made_and_the_result_parses() -> None:
    for rule in all_rules():
        for example in rule.examples:
            options = options_of(example)
            before = text_file(example.before, example.path)
            safe, proposed = offered(example.before, options, example.path)
            for item in proposed:
                data = apply_edits(example.before.encode(), [*safe, *item.edits])
                assert not before.renewed(data.decode()).has_syntax_error or before.has_syntax_error
