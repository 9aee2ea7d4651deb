"""Classes of other files that a file's own derive from: which class of PyTorch they are."""

from __future__ import annotations

from gpu2ascend_rules.codemods.program import Program
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.inference.classes.class_definitions import ClassDefinitions
from gpu2ascend_rules.text.source_file import SourceFile


class BasesElsewhere:
    """Says of a class by its qualified name from which of PyTorch it derives; None if not known."""

    def __init__(self, context: Context) -> None:
        self._source = context.source
        self._program = Program(context.source, context.project)
        self._known: dict[tuple[str, int], str | None] = {}

    def forget(self) -> None:
        """Let go of the files, which know each other."""
        self._program.forget()
        self.__dict__.clear()

    def base_of(self, name: str) -> str | None:
        """The class of PyTorch that one named in the file derives from."""
        return self._base_of(name, self._source)

    def _base_of(self, name: str, importer: SourceFile) -> str | None:
        found = self._program.imported(importer, name)
        if found is None or found.node.type != "class_definition":
            return None
        if found.key not in self._known:
            self._known[found.key] = None  # while it is looked for: files import each other
            definitions = ClassDefinitions(found.file)
            definitions.look_elsewhere(lambda other: self._base_of(other, found.file))
            self._known[found.key] = definitions.torch_base(found.node)
        return self._known[found.key]
