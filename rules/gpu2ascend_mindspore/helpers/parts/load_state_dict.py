"""torch.nn.Module.load_state_dict"""

from collections import namedtuple

from mindspore import Tensor, nn
from mindspore.experimental.optim import Optimizer

from .state_dict import state_dict

_OF_NORMS = {
    "gamma": "weight",
    "beta": "bias",
    "moving_mean": "running_mean",
    "moving_variance": "running_var",
}
_NAMES = {**_OF_NORMS, "embedding_table": "weight"}
_Keys = namedtuple("_Keys", ["missing_keys", "unexpected_keys"])


def _set(there, value):
    """Give a parameter the values of a tensor; that of a Conv1d has one more axis here."""
    if there.size != value.size or [n for n in there.shape if n != 1] != [n for n in value.shape if n != 1]:
        raise RuntimeError(f"{there.shape} and {value.shape} differ")
    there.copy_(Tensor(value.asnumpy().reshape(there.shape)).astype(there.dtype))


def _load_optimizer(owner, state):
    own = state_dict(owner)
    if own["state"].keys() != state["state"].keys() or len(own["param_groups"]) != len(state["param_groups"]):
        raise RuntimeError("the state is of another optimizer, or of PyTorch's")
    for name, there in own["state"].items():
        _set(there, state["state"][name])
    for group, saved in zip(owner.param_groups, state["param_groups"]):
        _set(group["lr"], saved["lr"])
        group.update({key: one for key, one in saved.items() if key != "lr"})


def _load_model(owner, state, strict):
    left, missing = dict(state), []
    for name, there in owner.state_dict().items():
        head, dot, last = name.rpartition(".")
        other = f"{head}{dot}{_NAMES.get(last, last)}"
        found = left.pop(name, None)
        found = left.pop(other, None) if found is None else found
        missing += [name] if found is None else []
        if found is not None:
            _set(there, found)
    unexpected = [name for name in left if not name.endswith("num_batches_tracked")]
    if strict and (missing or unexpected):
        raise RuntimeError(f"missing: {missing}, unexpected: {unexpected}")
    return _Keys(missing, unexpected)


def load_state_dict(owner, state, strict=True):
    """Give a model, an optimizer or a scheduler what ``state_dict`` gave; a model also what PyTorch's did."""
    if isinstance(owner, Optimizer):
        return _load_optimizer(owner, state)
    if isinstance(owner, nn.Cell):
        return _load_model(owner, state, strict)
    if hasattr(owner, "load_state_dict"):
        return owner.load_state_dict(state)
    for key, one in state.items():
        _set(getattr(owner, key), one) if isinstance(one, Tensor) else setattr(owner, key, one)
    return None
