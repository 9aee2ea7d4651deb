"""A program for one process that is to run in several: what its main file and its optimizers need.

A program that starts communication and wraps its model itself has all of this already.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import field, text_of

from ..evidence import ROOTS, Evidence
from ..use import Use, changed
from .models import weights_sent

_INIT = "torch.distributed.init_process_group"
_OPTIMIZERS = "torch.optim."
_SCHEDULERS = "torch.optim.lr_scheduler."
_IMPORTS = ("import_statement", "import_from_statement", "future_import_statement")


def uses_of_start(evidence: Evidence) -> Iterator[Use]:
    """What is added to a program for one process where it is to run in several."""
    if not evidence.context.options.distributed or not evidence.imports:
        return
    data = evidence.source.data
    if b"init_process_group" not in data and _is_main(evidence):
        place = _first_statement(evidence.source.root)
        if place is not None:
            indent = " " * place.start_point[1]
            edit = Edit(place.start_byte, place.start_byte, f"communication.init()\n{indent}")
            yield changed(_INIT, place, [edit], {"communication"})
    if b"DistributedDataParallel" not in data and not evidence.source.names.bindings("parameter"):
        yield from _weights(evidence)


def _is_main(evidence: Evidence) -> bool:
    """Whether the file is the one that starts the training."""
    main = evidence.context.options.main_script
    if not main:
        return False
    named, path = (PurePosixPath(one.replace("\\", "/")).parts for one in (main, evidence.source.path))
    shorter = min(len(named), len(path))
    return named[-shorter:] == path[-shorter:]


def _first_statement(root: Node) -> Node | None:
    """The first statement of what runs when a file is started: behind the imports."""
    statements = [one for one in root.named_children if one.type != "comment"]
    for statement in statements:
        if statement.type == "if_statement" and "__main__" in text_of(statement).partition("\n")[0]:
            body = field(statement, "consequence")
            first = body.named_children[0] if body is not None and body.named_children else None
            return first if first is not None and first.start_point[0] > statement.start_point[0] else None
    last = max((index for index, one in enumerate(statements) if one.type in _IMPORTS), default=-1)
    return statements[last + 1] if 0 <= last + 1 < len(statements) else None


def _weights(evidence: Evidence) -> Iterator[Use]:
    """Behind each optimizer that is made: all processes begin with the weights of the first."""
    for ref in scan_names(evidence.source, ROOTS):
        if ref.call is None or not ref.name.startswith(_OPTIMIZERS) or ref.name.startswith(_SCHEDULERS):
            continue
        assignment = parent_of(ref.call)
        target = field(assignment, "left")
        statement = parent_of(assignment)
        if target is None or statement is None or statement.type != "expression_statement":
            continue
        if target.type not in ("identifier", "attribute"):
            continue
        indent = " " * statement.start_point[1]
        sent = weights_sent(text_of(target), "parameters", f"{indent}    ").rstrip()
        text = f"\n{indent}if mint.distributed.is_initialized():\n{sent}"
        edit = Edit(statement.end_byte, statement.end_byte, text)
        yield changed("torch.optim.Optimizer", statement, [edit], {"mint"})
