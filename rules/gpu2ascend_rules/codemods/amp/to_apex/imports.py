"""The imports of a module that moves to ``apex.amp``: those of ``torch.cuda.amp`` go, that of apex comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from ..module import Module
from .survey import AUTOCASTS, CUSTOM, GENERIC_AUTOCASTS, SCALERS, ScalerSurvey

_OLD = "torch.cuda.amp"
_DROPPED = AUTOCASTS | CUSTOM | GENERIC_AUTOCASTS | SCALERS | {_OLD}


class ApexImport:
    """What the imports become."""

    def __init__(self, survey: ScalerSurvey) -> None:
        """Settle it.

        Raises:
            Declined: apex.amp is in use already, the import is a guarded one, or the module uses more of
                ``torch.cuda.amp`` than has a counterpart.
        """
        self._survey = survey
        self._refuse_mixture()
        self.name = "apex_amp" if self._is_taken("amp") else "amp"
        self._dropped = dict(self._drops())
        self.anchor = self._anchor()

    def statement(self) -> str:
        """The import of apex."""
        return "from apex import amp" if self.name == "amp" else f"from apex import amp as {self.name}"

    def kept(self, statement: cst.Import | cst.ImportFrom) -> Sequence[cst.ImportAlias] | None:
        """The names that an import keeps; ``None`` if it keeps all."""
        return self._dropped.get(statement)

    def _drops(self) -> Iterator[tuple[cst.Import | cst.ImportFrom, list[cst.ImportAlias]]]:
        module = self._survey.module
        statements: list[cst.Import | cst.ImportFrom] = [
            *module.find(cst.ImportFrom),
            *module.find(cst.Import),
        ]
        for node in statements:
            if isinstance(node.names, cst.ImportStar):
                continue
            prefix = ""
            if isinstance(node, cst.ImportFrom):
                prefix = f"{module.code(node.module)}." if node.module is not None else "."
            kept = []
            for alias in node.names:
                full = prefix + module.code(alias.name)
                if full.startswith(_OLD) and full not in _DROPPED:
                    raise self._survey.decline("other-use", node, name=full)
                if full not in _DROPPED:
                    kept.append(alias)
            if len(kept) < len(node.names):
                if module.around(node, cst.Try) is not None:
                    raise self._survey.decline("import-guarded", node)
                yield node, kept

    def _anchor(self) -> cst.CSTNode:
        """The statement that the import of apex goes behind: an import that goes, or the first of torch."""
        module = self._survey.module
        top = [item for item in module.tree.body if isinstance(item, cst.SimpleStatementLine)]
        for line in top:
            if any(item in self._dropped for item in line.body):
                return line
        for line in top:
            if any(
                isinstance(item, (cst.Import, cst.ImportFrom))
                and "torch" in module.code(item).replace(".", " ").replace(",", " ").split()
                for item in line.body
            ):
                return line
        raise self._survey.decline("no-import", module.tree.body[0])

    def _refuse_mixture(self) -> None:
        for call in self._survey.module.find(cst.Call):
            if (self._survey.module.name(call) or "").startswith("apex.amp."):
                raise self._survey.decline("mixed", call)

    def _is_taken(self, name: str) -> bool:
        """Whether a name is bound to anything but the old module."""
        module = self._survey.module
        return any(
            node.value == name and not self._is_label(module, node) and not self._is_old(module, node)
            for node in module.find(cst.Name)
        )

    @staticmethod
    def _is_label(module: Module, node: cst.Name) -> bool:
        """Whether a name is only an attribute's, a keyword's, or a part of an import."""
        return module.is_label(node) or isinstance(module.parent(node), cst.ImportAlias)

    @staticmethod
    def _is_old(module: Module, node: cst.Name) -> bool:
        return (module.name(node) or "").startswith(_OLD)
