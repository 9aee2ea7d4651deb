"""Parts of statements that the changes of mixed precision share."""

from __future__ import annotations

import libcst as cst
import pytest

from gpu2ascend_rules.codemods.amp.statements import without


@pytest.mark.parametrize(
    "kept", ["parallel", "parallel, optimizers", "parallel, mlp, optimizers", "a as b, parallel, c as d, mlp"]
)
def test_the_names_that_an_import_keeps_are_all_there_without_a_comma_at_the_end(kept: str) -> None:
    """The name that goes was the last one, so that a comma stood behind the others."""
    line = cst.ensure_type(
        cst.parse_module(f"from apex import {kept}, amp\n").body[0], cst.SimpleStatementLine
    )
    statement = cst.ensure_type(line.body[0], cst.ImportFrom)
    assert not isinstance(statement.names, cst.ImportStar)
    changed = statement.with_changes(names=without(statement.names[:-1]))
    assert cst.Module([]).code_for_node(changed) == f"from apex import {kept}"
