"""Imports of torch make room for those that the new text needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_imports
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.scopes import Binding, BindingKind
from gpu2ascend_rules.text.syntax import arguments_of, call_of, text_of

from ..with_tensors import WITH_TENSORS_OF_TORCH
from .evidence import CONVERTED, Evidence
from .table import IMPORTED
from .use import Reason, Use, changed, refused

_OF_TORCH = WITH_TENSORS_OF_TORCH | {
    *(
        "apex",
        "bitsandbytes",
        "clip",
        "flash_attn",
        "higher",
        "learn2learn",
        "lpips",
        "mamba_ssm",
        "pytorch_metric_learning",
        "torch_cluster",
        "torch_optimizer",
        "torch_scatter",
        "torch_sparse",
        "torch_xla",
        "torchdata",
        "torchdiffeq",
        "torchinfo",
        "torchio",
        "torchsummary",
        "torchviz",
        "triton",
        "einx",
        "mindspore",
        "torch_npu",
        "torchaudio",
        "torchmetrics",
        "torchtext",
    )
}
"""Libraries that take and give tensors of torch, and MindSpore itself: who uses it has converted the file."""


def uses_of_imports(evidence: Evidence, needs: Iterable[str]) -> Iterator[Use]:
    """What becomes of the import statements, given the names that new text begins with."""
    statements = _statements(evidence)
    wanted = [name for name in IMPORTED if name in set(needs) and not _is_there(evidence, name)]
    for index, (statement, is_whole) in enumerate(statements):
        parent = parent_of(statement)
        if not is_whole or parent is None or parent.type != "module":
            yield refused(text_of(statement), statement, Reason.IMPORT)
            continue
        new = "\n".join(_lines(wanted)) if index == 0 else ""
        yield changed(text_of(statement), statement, [_replaced(evidence, statement, new)])
    project, path = evidence.context.project, evidence.source.path
    for ref in scan_imports(evidence.source, _OF_TORCH):
        if project.has_module(path, ref.name.partition(".")[0]):
            continue  # a module of the project that is called so
        yield refused(ref.name, ref.statement, Reason.LIBRARY)
    yield from _imported_by_calls(evidence)
    for name in wanted:
        if _is_taken(evidence, name):
            yield refused(name, evidence.source.root.children[0], Reason.TAKEN, name)


def under_free_names(evidence: Evidence, uses: list[Use]) -> list[Use]:
    """The uses, with ``ms.Tensor`` in new text where the file has another ``Tensor``."""
    if _is_taken(evidence, "ms"):
        return uses
    needs = {name for use in uses for name in use.needs}
    taken = [
        name
        for name in sorted(needs & IMPORTED.keys())
        if IMPORTED[name] == f"from mindspore import {name}" and _is_taken(evidence, name)
    ]
    own = [name for name in taken if not any(map(_is_of_torch, evidence.source.names.bindings(name)))]
    for name in own:
        uses = [_under_free_name(evidence, use, name) if name in use.needs else use for use in uses]
    return uses


def _under_free_name(evidence: Evidence, use: Use, name: str) -> Use:
    """A use with a name as a member of ``ms``; as it is where text of the file may be meant."""
    word = re.compile(rf"(?<![\w.]){name}(?!\w)")
    data = evidence.source.data
    is_mixed = any(word.search(data[one.start : one.end].decode()) for one in use.edits)
    if is_mixed or not any(word.search(one.text) for one in use.edits):
        return use
    edits = tuple(one._replace(text=word.sub(f"ms.{name}", one.text)) for one in use.edits)
    return use._replace(edits=edits, needs=use.needs - {name} | {"ms"})


def _imported_by_calls(evidence: Evidence) -> Iterator[Use]:
    """Libraries that a call imports by their names: ``importlib.import_module("timm")``."""
    project, path = evidence.context.project, evidence.source.path
    for name in ("import_module", "__import__"):
        for identifier in evidence.source.identifiers(name):
            place = parent_of(identifier) or identifier
            call = call_of(place if place.type == "attribute" else identifier)
            module = arguments_of(call).at(0) if call is not None else None
            root = text_of(module.value).strip("\"'").partition(".")[0] if module is not None else ""
            is_text = module is not None and module.value.type == "string"
            if call is not None and is_text and root in _OF_TORCH and not project.has_module(path, root):
                yield refused(root, call, Reason.LIBRARY)


def _statements(evidence: Evidence) -> list[tuple[Node, bool]]:
    """The statements that import from torch, in order, each with whether it imports nothing else."""
    found: dict[int, Node] = {}
    for ref in evidence.imports:
        found.setdefault(ref.statement.start_byte, ref.statement)
    names = evidence.source.names
    return [
        (node, all(one.target.partition(".")[0] in CONVERTED for one in names.imported_by(node)))
        for _, node in sorted(found.items())
    ]


def _lines(wanted: Iterable[str]) -> Iterator[str]:
    """The import statements, those of one module together."""
    plain = [IMPORTED[name] for name in wanted if IMPORTED[name].startswith("import ")]
    by_module: dict[str, list[str]] = {}
    for name in wanted:
        if IMPORTED[name].startswith("from "):
            module, _, imported = IMPORTED[name].removeprefix("from ").partition(" import ")
            by_module.setdefault(module, []).append(imported)
    yield from plain
    for module, names in by_module.items():
        yield f"from {module} import {', '.join(sorted(names, key=str.lower))}"


def _replaced(evidence: Evidence, statement: Node, new: str) -> Edit:
    """The edit that puts new imports in the place of a statement; without any its line goes, too."""
    start, end = statement.start_byte, statement.end_byte
    data = evidence.source.data
    if not new and data[end : end + 1] == b"\n" and (start == 0 or data[start - 1 : start] == b"\n"):
        end += 1
    return Edit(start, end, new if new or end > statement.end_byte else "pass")


def _is_there(evidence: Evidence, name: str) -> bool:
    """Whether the file imports what a name is to stand for already."""
    _, _, target = IMPORTED[name].partition("import ")
    module = target.partition(" as ")[0]
    return any(
        one.name == name and one.target == module and one.statement.type == "import_statement"
        for one in evidence.source.names.bindings(name)
    )


def _is_taken(evidence: Evidence, name: str) -> bool:
    """Whether the file binds a name to anything but torch."""
    return not all(map(_is_of_torch, evidence.source.names.bindings(name)))


def _is_of_torch(binding: Binding) -> bool:
    return binding.kind is BindingKind.IMPORT and binding.target.partition(".")[0] in CONVERTED
