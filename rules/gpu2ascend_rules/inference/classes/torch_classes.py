"""PyTorch's classes as far as their methods are looked up: what makes an instance, and what it derives from.

The names of functions and methods that give one tensor are those of PyTorch's own type stubs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from ...data import load_json

TENSOR = "torch.Tensor"
MODULE = "torch.nn.Module"
OPTIMIZER = "torch.optim.Optimizer"
DATA_LOADER = "torch.utils.data.DataLoader"
WITH_MOVES = (TENSOR, MODULE)
"""Classes of which the objects are moved to a device by a method of theirs."""

_CONTAINERS = frozenset({"ModuleList", "ModuleDict", "ParameterList", "ParameterDict"})
_NO_SINGLE_TENSOR = frozenset(
    {
        "Module", "Sequential", "RNN", "LSTM", "GRU", "RNNBase", "LSTMCell", "MultiheadAttention",
        "AdaptiveLogSoftmaxWithLoss", "DataParallel", "DistributedDataParallel", "MaxPool1d", "MaxPool2d",
        "MaxPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d", "AdaptiveMaxPool1d",
        "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "Identity",
    }
) | _CONTAINERS  # fmt: skip
"""Modules whose call gives something else than one tensor, or whatever it was given."""
_TAKE_OTHERS = frozenset(
    {"Module", "Sequential", "RNN", "LSTM", "GRU", "RNNBase", "DataParallel", "DistributedDataParallel"}
    | {"Identity", *_CONTAINERS}
)
"""Modules that take something else than tensors: whatever they hold does, packed sequences."""
_PARAMETERS = frozenset({"Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer"})
_MADE_BY = {
    "torch.Tensor": TENSOR,
    "torch.Generator": "torch.Generator",
    "torch.UntypedStorage": "torch.UntypedStorage",
    "torch.TypedStorage": "torch.TypedStorage",
    "torch.utils.data.DataLoader": DATA_LOADER,
    "torch.utils.data.dataloader.DataLoader": DATA_LOADER,
    "torch.distributed.new_group": "torch.distributed.ProcessGroup",
    "torch.distributed.isend": "torch.distributed.Work",
    "torch.distributed.irecv": "torch.distributed.Work",
    "torch.jit.load": "torch.jit.ScriptModule",
    "torch.jit.trace_module": "torch.jit.ScriptModule",
    "torch.nn.Embedding.from_pretrained": "torch.nn.Embedding",
    "torch.nn.EmbeddingBag.from_pretrained": "torch.nn.EmbeddingBag",
}
_TUPLES_OF_TENSORS = frozenset(
    {
        "aminmax", "broadcast_tensors", "chunk", "cummax", "cummin", "max", "meshgrid", "min", "sort",
        "split", "split_with_sizes", "tensor_split", "topk", "unbind", "var_mean", "std_mean",
    }
)  # fmt: skip
_SCRIPT_MODULE = b"jit"
_MAKERS_OF_SCRIPT_MODULES = (b"ScriptModule", b"trace_module")
_LOADS = re.compile(rb"load\b(?<=\bload)")
_ASYNCHRONOUS = "torch.distributed."
_STORES = frozenset({"TCPStore", "FileStore", "HashStore", "PrefixStore"})
_KEEP_MODULE = frozenset(
    {
        "to", "cuda", "npu", "cpu", "half", "float", "double", "bfloat16", "train", "eval", "type", "apply",
        "requires_grad_", "share_memory", "to_empty", "xpu", "ipu",
    }
)  # fmt: skip
_LEGACY_TENSORS = frozenset(
    f"torch.{kind}Tensor"
    for kind in ("Float", "Double", "Half", "BFloat16", "Byte", "Char", "Short", "Int", "Long", "Bool")
)


@cache
def _tensors() -> dict[str, frozenset[str]]:
    return {key: frozenset(names) for key, names in load_json("tensors").items()}


def tensor_methods() -> frozenset[str]:
    """The methods of a tensor that give one tensor."""
    return _tensors()["methods"]


def tensor_functions() -> frozenset[str]:
    """The functions that give one tensor, by qualified name."""
    return frozenset(f"torch.{name}" for name in _tensors()["functions"])


@cache
def _tensor_parameters() -> dict[str, str]:
    found: dict[str, str] = load_json("tensor_parameters")
    return found


@cache
def tensor_parameters(function: str) -> Mapping[str, int]:
    """The parameters of a function that take tensors and nothing else, with their places."""
    pairs = (one.partition("=") for one in _tensor_parameters().get(function, "").split())
    return {name: int(place) for name, _, place in pairs}


def takes_one_tensor(owner: str) -> bool:
    """Whether instances of a class are layers that take tensors and nothing else."""
    last = owner.rpartition(".")[2]
    return owner.startswith("torch.nn.") and is_module(owner) and last not in _TAKE_OTHERS


def kept_by_modules() -> frozenset[str]:
    """The methods of a module that give the module itself."""
    return _KEEP_MODULE


@cache
def tensor_members() -> frozenset[str]:
    """Every public attribute and method of a tensor."""
    return frozenset().union(*(_tensors()[key] for key in ("methods", "attributes", "other_members")))


def instance_made_by(name: str, *, is_asynchronous: bool = False) -> str | None:
    """The class of what a call of an imported name gives, when that is one of PyTorch's."""
    if not name.startswith("torch."):
        return None
    if name.removeprefix("torch.") in _tensors()["functions"] or name in _LEGACY_TENSORS:
        return TENSOR
    if name in _MADE_BY:
        return _MADE_BY[name]
    if is_asynchronous and name.startswith(_ASYNCHRONOUS) and name.count(".") == 2:
        return "torch.distributed.Work"
    return name if is_class(name) else None


def is_class(name: str) -> bool:
    """Whether a name is that of a class whose instances have methods that support lists speak of."""
    module, _, last = name.rpartition(".")
    if not last.removeprefix("_")[:1].isupper():
        return False
    if name in _MADE_BY.values() or name in _LEGACY_TENSORS:
        return True
    if module == "torch.distributed":
        return last in _STORES or last == "ProcessGroup"
    if module.startswith("torch.distributed.fsdp"):
        return last == "FullyShardedDataParallel"
    if module.startswith(("torch.nn.utils", "torch.nn.functional", "torch.nn.init")):
        return False
    return module.startswith(("torch.nn", "torch.optim", "torch.distributions"))


def bases_of(name: str) -> tuple[str, ...]:
    """The class itself and the classes of PyTorch that it derives from, nearest first."""
    module, _, last = name.rpartition(".")
    if last in _PARAMETERS or name in _LEGACY_TENSORS:
        return name, TENSOR
    if name in (TENSOR, MODULE, OPTIMIZER):
        return (name,)
    if name == "torch.jit.ScriptModule" or last == "FullyShardedDataParallel":
        return name, MODULE
    if module.startswith("torch.nn"):
        rnn = ("torch.nn.RNNBase",) if last in ("RNN", "LSTM", "GRU") else ()
        return (name, *rnn, MODULE)
    if module.startswith("torch.optim.lr_scheduler"):
        return name, "torch.optim.lr_scheduler.LRScheduler"
    if module.startswith("torch.optim"):
        return name, OPTIMIZER
    if module.startswith("torch.distributions"):
        return name, "torch.distributions.distribution.Distribution"
    if module == "torch.distributed" and last in _STORES:
        return name, "torch.distributed.Store"
    return (name,)


def word_of(name: str) -> str:
    """A word that a file has in which an instance of a class can be recognised; empty when there is none."""
    if name in (TENSOR, MODULE):
        return ""
    module, _, last = name.rpartition(".")
    return "storage" if last.endswith("Storage") else module.rpartition(".")[2]


def may_have_instances(word: bytes, data: bytes) -> bool:
    """Whether a text has the word of some classes, and more where that word is a common one."""
    if word != _SCRIPT_MODULE or word not in data:
        return word in data
    return any(maker in data for maker in _MAKERS_OF_SCRIPT_MODULES) or _LOADS.search(data) is not None


def is_module(name: str) -> bool:
    """Whether a class is ``nn.Module`` or derives from it."""
    return bases_of(name)[-1] == MODULE


def is_tensor(name: str) -> bool:
    """Whether a class is ``Tensor`` or derives from it."""
    return bases_of(name)[-1] == TENSOR


def result_of_method(owner: str, method: str) -> str | None:
    """The class of what a method of an instance gives."""
    if is_tensor(owner):
        if method in ("storage", "untyped_storage"):
            return "torch.TypedStorage" if method == "storage" else "torch.UntypedStorage"
        return TENSOR if method in tensor_methods() else None
    if is_module(owner):
        return owner if method in _KEEP_MODULE else None
    if owner.startswith("torch.distributions.") and method in ("sample", "rsample", "log_prob", "entropy"):
        return TENSOR
    return None


def gives_its_own_class(method: str) -> bool:
    """Whether a method, of a tensor or a module, gives an instance of the class it is called on."""
    return method in tensor_methods() or method in _KEEP_MODULE


def result_of_call(owner: str) -> str | None:
    """The class of what calling an instance gives: a layer applied to its input."""
    if not owner.startswith("torch.nn.") or not is_module(owner):
        return None
    return None if owner.rpartition(".")[2] in _NO_SINGLE_TENSOR else TENSOR


def attribute_of(owner: str, name: str) -> str | None:
    """The class of an attribute of an instance."""
    if is_tensor(owner):
        return TENSOR if name in _tensors()["attributes"] else None
    if is_module(owner) and owner != MODULE and name in ("weight", "bias"):
        return "torch.nn.Parameter"
    return None


def items_of_tuple(name: str) -> str | None:
    """The class of each thing in the tuple that a function or method gives, when all are of one."""
    return TENSOR if name.removeprefix("torch.") in _TUPLES_OF_TENSORS else None


def item_of(owner: str) -> str | None:
    """The class of what an instance holds, by index or in a loop."""
    if is_tensor(owner):
        return TENSOR
    last = owner.rpartition(".")[2]
    if owner.startswith("torch.nn.") and last in ("ModuleList", "Sequential"):
        return MODULE
    return "torch.nn.Parameter" if owner.startswith("torch.nn.") and last == "ParameterList" else None
