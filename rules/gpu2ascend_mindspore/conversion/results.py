"""What functions and classes of torch give, by their qualified names."""

from __future__ import annotations

from tree_sitter import Node

from gpu2ascend_rules.inference.instances import Instance
from gpu2ascend_rules.text.syntax import arguments_of

from .usage import FUNCTIONAL
from .values.functions import is_smaller_or_larger

DATASETS = "torchvision.datasets."
_SEVERAL = frozenset({f"{FUNCTIONAL}multi_head_attention_forward"})
"""Functions that give several tensors."""


def result_of_name(name: str, call: Node) -> Instance | None:
    """What a call of a function or a class of torch gives."""
    if name.startswith(DATASETS):
        return Instance(name)
    if name in ("torch.nn.parallel.data_parallel", "torch.autograd.Variable"):
        return Instance("torch.Tensor")  # of data_parallel by convention, as what a module gives
    gives_one = name.startswith(FUNCTIONAL) and bool(arguments_of(call).items) and name not in _SEVERAL
    return Instance("torch.Tensor") if gives_one or is_smaller_or_larger(name, call) else None
