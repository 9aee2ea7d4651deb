"""Classes of other files that a file's own derive from: which class of PyTorch they are."""

from __future__ import annotations

from collections.abc import Callable

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.classes.class_definitions import ClassDefinitions
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.limits.walks import WALK_LIMITS
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field, same


def bases_elsewhere(context: Context) -> Callable[[str], str | None]:
    """What says of a class by its qualified name from which of PyTorch it derives; None if not known."""
    known: dict[tuple[str, str], str | None] = {}

    def base_of(name: str, importer: str, depth: int) -> str | None:
        key = (importer, name)
        if key not in known:
            known[key] = None  # while it is looked for: files import each other
            known[key] = _base_of(name, importer, depth)
        return known[key]

    def _base_of(name: str, importer: str, depth: int) -> str | None:
        module, _, last = name.rpartition(".")
        module = f"{module}." if name.startswith(".") and not module.strip(".") else module
        found = context.project.find_module(importer, module) if module and depth else None
        if found is None:
            return None
        path, text = found
        source = SourceFile(text, path)
        for identifier in source.identifiers(last):
            definition = parent_of(identifier)
            is_name = definition is not None and definition.type == "class_definition"
            if definition is not None and is_name and same(field(definition, "name"), identifier):
                definitions = ClassDefinitions(source)
                definitions.look_elsewhere(lambda other: base_of(other, path, depth - 1))
                return definitions.torch_base(definition)
        for binding in source.names.imports:
            if binding.name == last:
                return base_of(binding.target, path, depth - 1)
        return None

    return lambda name: base_of(name, context.source.path, WALK_LIMITS.bases)
