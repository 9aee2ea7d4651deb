"""Which variables of a module hold models, and which statements run a forward pass."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from ..data_types import other_dtype
from ..module import Module

_PARAMETERS = frozenset({"parameters", "named_parameters"})
_NO_FORWARD = frozenset(
    {
        *(
            "train",
            "eval",
            "zero_grad",
            "requires_grad_",
            "to",
            "cuda",
            "npu",
            "cpu",
            "float",
            "half",
            "double",
        ),
        *(
            "parameters",
            "named_parameters",
            "buffers",
            "named_buffers",
            "modules",
            "named_modules",
            "children",
        ),
        *("state_dict", "load_state_dict", "apply", "share_memory", "no_sync", "step", "backward", "update"),
        *("save", "save_pretrained", "named_children", "register_buffer", "add_module", "compile"),
    }
)
"""Methods of a model that compute no output."""


class Models:
    """What is known to be a model: the target models, and what optimizers and modes show to be one."""

    def __init__(self, module: Module, target_model: str) -> None:
        self._module = module
        targets = [name.strip() for name in target_model.split(",")]
        self.names = {spelling for name in targets for spelling in (name, f"self.{name}")}
        self.names |= set(self._shown())
        self._helpers = {
            node.name.value
            for node in module.find(cst.FunctionDef)
            if node.name.value not in ("forward", "__init__")
            and not _goes_backward(module, node)
            and any(self._is_run(call) for call in module.find(cst.Call, node.body))
        }

    def runs(self, statement: cst.CSTNode) -> bool:
        """Whether a statement runs a forward pass: itself, or by a function that has the model."""
        calls = list(self._module.find(cst.Call, statement))
        if any(self._is_run(call) for call in calls):
            return True
        has_value = next(self._module.find(cst.Assign, statement), None) is not None
        return has_value and any(self._is_by_helper(call) or self._gets_model(call) for call in calls)

    def runs_itself(self, statement: cst.CSTNode) -> bool:
        """Whether a statement calls a model by its name."""
        return any(self._is_run(call) for call in self._module.find(cst.Call, statement))

    def other_dtype(self) -> cst.Call | None:
        """Where a model, or everything, gets a data type of which autocast makes no use."""
        return other_dtype(self._module, self.names)

    def _shown(self) -> Iterator[str]:
        module = self._module
        for call in module.find(cst.Call):
            if isinstance(call.func, cst.Attribute) and call.func.attr.value in (*_PARAMETERS, "train"):
                name = module.code(call.func.value).removesuffix(".module")
                if all(part.isidentifier() for part in name.split(".")):
                    yield name

    def _is_run(self, call: cst.Call) -> bool:
        code = self._module.code(call.func)
        if code in self.names:
            return True
        owner, _, method = code.rpartition(".")
        if owner == "self":
            return method == "forward" and "self" in self.names
        parts = owner.split(".")
        prefixes = {".".join(parts[:end]) for end in range(1, len(parts) + 1)} - {"self"}
        return not prefixes.isdisjoint(self.names) and method not in _NO_FORWARD

    def _is_by_helper(self, call: cst.Call) -> bool:
        code = self._module.code(call.func)
        return code.removeprefix("self.") in self._helpers

    def _gets_model(self, call: cst.Call) -> bool:
        is_class = self._module.code(call.func).rpartition(".")[2][:1].isupper()
        return not is_class and any(
            self._module.code(arg.value) in self.names - {"self"} for arg in call.args
        )


def _goes_backward(module: Module, function: cst.FunctionDef) -> bool:
    return any(
        isinstance(call.func, cst.Attribute) and call.func.attr.value == "backward"
        for call in module.find(cst.Call, function.body)
    )
