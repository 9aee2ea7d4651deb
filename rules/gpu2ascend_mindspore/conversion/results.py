"""What functions and classes of torch give, by their qualified names."""

from __future__ import annotations

import re

from tree_sitter import Node

from gpu2ascend_rules.inference.instances import Instance
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import arguments_of, field

from .usage import FUNCTIONAL
from .values.functions import is_smaller_or_larger

DATASETS = "torchvision.datasets."
_OF_DATASETS = re.compile(rb"\.(?:data|targets|(?:train|test)_(?:data|labels))$")
_WITH_TENSORS = frozenset(f"{DATASETS}{name}MNIST" for name in ("", "Fashion", "K"))
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


def is_tensor_of_dataset(class_name: str, attribute: Node, data: bytes) -> bool:
    """Whether an attribute of a dataset of torchvision has a tensor, which the file does not replace."""
    kept = _OF_DATASETS.search(attribute.text or b"") if class_name in _WITH_TENSORS else None
    return kept is not None and not re.search(rb"%s\s*=[^=]" % kept[0], data)


def gives_gradients(source: SourceFile, node: Node | None) -> bool:
    """Whether an expression is a call that gives a tuple of gradients."""
    function = field(node, "function") if node is not None and node.type == "call" else None
    return source.names.name_of(function) == "torch.autograd.grad"
