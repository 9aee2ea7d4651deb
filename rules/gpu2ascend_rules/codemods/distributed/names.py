"""The names that new text uses in one file: those that it has already, or new ones that mean nothing yet."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...engine.context import Context
from ...limits.parents import parent_of
from ...text.scopes import BindingKind
from ...text.source_file import SourceFile
from ..operations import Operation, OperationKind
from . import helpers

_SAMPLER = "torch.utils.data.distributed.DistributedSampler"
_DDP = "torch.nn.parallel.DistributedDataParallel"
_SPELLINGS = {
    _SAMPLER: (_SAMPLER, "torch.utils.data.DistributedSampler"),
    _DDP: (_DDP, "torch.nn.parallel.distributed.DistributedDataParallel"),
}


def _import_order(statement: str) -> tuple[bool, str]:
    """Whole modules first, as people sort imports."""
    return statement.startswith("from"), statement


def _has(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


class _Helper:
    """The name of a helper function or class, which a file gets that asks for it."""

    def __init__(self, name: str, template: str) -> None:
        self._name = name
        self._template = template

    def __get__(self, names: FileNames, owner: type[FileNames] | None = None) -> str:
        return names.helper(self._name, self._template)


class FileNames:
    """Hands out names, and remembers the imports and the helper functions that they need."""

    def __init__(self, source: SourceFile, context: Context) -> None:
        self._source = source
        self._context = context
        self._imports: dict[str, str] = {}
        self._helpers: dict[str, str] = {}
        self._given: dict[str, str] = {}

    @property
    def dist(self) -> str:
        """The module torch.distributed."""
        return self._module("torch.distributed", "dist")

    @property
    def os(self) -> str:
        """The module os."""
        return self._module("os", "os")

    @property
    def copy(self) -> str:
        """The module copy."""
        return self._module("copy", "copy")

    @property
    def sampler(self) -> str:
        """The class DistributedSampler."""
        return self._member(_SAMPLER, "DistributedSampler")

    @property
    def wrapper(self) -> str:
        """The class DistributedDataParallel."""
        return self._member(_DDP, "DistributedDataParallel")

    set_up = _Helper("setup_distributed", helpers.SET_UP)
    clean_up = _Helper("cleanup_distributed", helpers.CLEAN_UP)
    is_main_process = _Helper("is_main_process", helpers.IS_MAIN_PROCESS)
    unwrap_model = _Helper("unwrap_model", helpers.UNWRAP_MODEL)
    wrap_changing_model = _Helper("wrap_changing_model", helpers.WRAP_CHANGING_MODEL)
    keep_checkpoint_names = _Helper("keep_checkpoint_names", helpers.KEEP_CHECKPOINT_NAMES)
    agreed = _Helper("agreed", helpers.AGREED)
    sum_over_processes = _Helper("sum_over_processes", helpers.SUM_OVER_PROCESSES)
    mean_over_processes = _Helper("mean_over_processes", helpers.MEAN_OVER_PROCESSES)
    from_main_process = _Helper("from_main_process", helpers.FROM_MAIN_PROCESS)
    share_of_sampler = _Helper("ShareOfSampler", helpers.SHARE_OF_SAMPLER)
    share_of_stream = _Helper("ShareOfStream", helpers.SHARE_OF_STREAM)
    main_process_first = _Helper("main_process_first", helpers.MAIN_PROCESS_FIRST)

    def reserve_main_path(self) -> None:
        """Have the functions of the main path come first among the helpers, if they are needed."""
        assert self.set_up and self.clean_up

    def npu(self, name: str) -> str:
        """A name below torch_npu, in the style that the options choose."""
        root = "torch" if self._context.spells_torch(name) or not self._context.has_torch_npu else "torch_npu"
        if self._context.has_torch_npu:
            self._module("torch_npu", "torch_npu")
        if root == "torch":
            self._module("torch", "torch")
            name = name if self._context.has_torch_npu else "torch" + name.removeprefix("torch_npu")
        return self._context.spell(name)

    def new(self, preferred: str) -> str:
        """A name for a new variable; another one at each call."""
        name = self._unused(preferred)
        self._given[f"variable {name}"] = name
        return name

    def operations(self, text: str) -> tuple[Operation, ...]:
        """What the file must get for the names that were handed out, as far as its new text has them."""
        helpers = [item for key, item in self._helpers.items() if _has(text, self._given[key])]
        text = "\n".join([text, *helpers])
        needed = [item for key, item in self._imports.items() if _has(text, self._given[key])]
        imports = "".join(f"{item}\n" for item in sorted(needed, key=_import_order))
        tops = (Operation(OperationKind.MODULE_TOP, text=imports),) if imports else ()
        return (*tops, *(Operation(OperationKind.HELPERS, text=helper) for helper in helpers))

    def _module(self, module: str, preferred: str) -> str:
        known = self._bound_to(module)
        if known is not None:
            return known
        if module not in self._given:
            name = self._unused(preferred)
            self._given[module] = name
            self._imports[module] = f"import {module}" if name == module else f"import {module} as {name}"
        return self._given[module]

    def _member(self, path: str, preferred: str) -> str:
        for spelling in _SPELLINGS[path]:
            known = self._bound_to(spelling)
            if known is not None:
                return known
        if path not in self._given:
            name = self._unused(preferred)
            self._given[path] = name
            module = path.rpartition(".")[0]
            alias = "" if name == preferred else f" as {name}"
            self._imports[path] = f"from {module} import {preferred}{alias}"
        return self._given[path]

    def _bound_to(self, target: str) -> str | None:
        """The name by which the module's own scope, and nothing else, knows an import."""
        root = self._source.root.id
        for binding in self._source.names.imports:
            if binding.target != target or binding.scope.id != root or binding.name == "*":
                continue
            if "." in binding.name or parent_of(binding.statement) != self._source.root:
                continue
            others = self._source.names.bindings(binding.name)
            if all(item.kind is BindingKind.IMPORT and item.target == target for item in others):
                return binding.name
        return None

    def helper(self, name: str, template: str) -> str:
        """The name of a helper, which is written for this file where it is asked for first."""
        if name not in self._given:
            self._given[name] = self._unused(name)
            parts: dict[str, Callable[[], str]] = {
                "dist": lambda: self.dist,
                "os": lambda: self.os,
                "torch": lambda: self._module("torch", "torch"),
                "ddp": lambda: self.wrapper,
                "contextlib": lambda: self._module("contextlib", "contextlib"),
                "set_device": lambda: self.npu("torch_npu.npu.set_device"),
            }
            values = {part: give() for part, give in parts.items() if f"{{{part}}}" in template}
            self._helpers[name] = template.format(name=self._given[name], **values)
        return self._given[name]

    def _unused(self, name: str) -> str:
        """A name of which the file has no trace, and which no new text has."""
        candidate, number = name, 1
        while self._source.occurrences(candidate) or candidate in self._given.values():
            number += 1
            candidate = f"{name}_{number}"
        return candidate
