"""Classes of other files that a file's own derive from: which class of PyTorch they are."""

from __future__ import annotations

from collections.abc import Callable

from gpu2ascend_rules.codemods.program import Program
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.classes.class_definitions import ClassDefinitions
from gpu2ascend_rules.text.source_file import SourceFile


def bases_elsewhere(context: Context) -> Callable[[str], str | None]:
    """What says of a class by its qualified name from which of PyTorch it derives; None if not known."""
    program = Program(context.source, context.project)
    known: dict[tuple[str, int], str | None] = {}

    def base_of(name: str, importer: SourceFile) -> str | None:
        found = program.imported(importer, name)
        if found is None or found.node.type != "class_definition":
            return None
        if found.key not in known:
            known[found.key] = None  # while it is looked for: files import each other
            definitions = ClassDefinitions(found.file)
            definitions.look_elsewhere(lambda other: base_of(other, found.file))
            known[found.key] = definitions.torch_base(found.node)
        return known[found.key]

    return lambda name: base_of(name, context.source)
