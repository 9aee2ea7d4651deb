"""The distributed rule as an editor offers it: on one script, without asking for the model's name first."""

from __future__ import annotations

import attrs

from ...model.finding import Message
from ...model.project.project_view import STANDALONE, ProjectView
from ...options.options import MigrationOptions
from ...text.source_file import SourceFile
from ...text.syntax import field, text_of
from ..outcome import CodemodOutcome
from ..program import Place, Program, callee_name
from . import ModelNotFoundError, distribute
from .processes.main_path import main_guard

DISTRIBUTED_TITLE = Message.of("NPU420.refactor")


def offers_distributed(source: SourceFile) -> bool:
    """Whether a file looks like a training script for one device: cheap, for it is asked at every menu."""
    data = source.data
    if b"torch" not in data or b"init_process_group" in data:
        return False
    return main_guard(source) is not None or (b"backward" in data and b"DataLoader" in data)


def distributed_program(
    source: SourceFile, options: MigrationOptions, project: ProjectView = STANDALONE
) -> CodemodOutcome | None:
    """What the rule does to every file of the program behind a script; None when it finds no model."""
    names = [options.target_model, *_trained_models(Program(source, project))]
    for name in names:
        chosen = attrs.evolve(options, distributed=True, main_file=source.path, target_model=name)
        try:
            return distribute(source, chosen, project)
        except ModelNotFoundError:
            continue
    return None


def _trained_models(program: Program) -> list[str]:
    """The models whose parameters optimizers of the script get, in one text as the option takes them."""
    found: dict[str, None] = {}
    for node in program.nodes(program.entry, "attribute"):
        receiver, name = field(node, "object"), field(node, "attribute")
        if receiver is None or text_of(name) != "parameters":
            continue
        call = next(
            (
                item
                for item in program.nodes(program.entry, "call")
                if item.start_byte <= node.start_byte < item.end_byte
                and callee_name(Place(program.entry, item)).startswith("torch.optim.")
            ),
            None,
        )
        if call is not None:
            found.setdefault(text_of(receiver))
    return [",".join(found)] if found else []
