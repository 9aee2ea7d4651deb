"""Files of tensors and weights."""

import hashlib
import os
import pickle
import re
import urllib.request
from collections import namedtuple
from pathlib import Path
from urllib.parse import urlparse

import mindspore as ms
from mindspore import Parameter, Tensor, nn
from mindspore.experimental.optim import Optimizer

from .common import _Arrays, _mapped


# load_pth: A file of PyTorch's.
def load_pth(f, weights_only=True):
    """What a file of PyTorch's holds, with tensors of MindSpore; this needs PyTorch."""
    import torch

    def changed(one):
        if isinstance(one, torch.Tensor) and one.dtype == torch.bfloat16:
            return Tensor(one.detach().float().numpy()).astype(ms.bfloat16)
        return Tensor(one.detach().numpy()) if isinstance(one, torch.Tensor) else one

    return _mapped(changed, torch.load(f, map_location="cpu", weights_only=weights_only))


# load: torch.load
def _restored(value):
    if isinstance(value, dict):
        if value.keys() == {"x2ms"}:
            return Tensor(value["x2ms"])
        return {key: _restored(one) for key, one in value.items()}
    return type(value)(map(_restored, value)) if type(value) in (list, tuple) else value


def load(f, weights_only=True):
    """What ``save`` wrote, or PyTorch, or ``mindspore.save_checkpoint``."""
    path = Path(f)
    if path.suffix == ".ckpt" or not path.exists():
        return ms.load_checkpoint(str(path.with_suffix(".ckpt")))
    with path.open("rb") as file:
        head = file.read(16)
        file.seek(0)
        if head.startswith(b"PK") or b"\xfc\x9c\x46\xf9" in head:
            return load_pth(f, weights_only)
        return _restored((_Arrays if weights_only else pickle.Unpickler)(file).load())


# state_dict: torch.nn.Module.state_dict
def state_dict(owner):
    """The weights of a model; of an optimizer or a scheduler all that it changes as it goes."""
    if isinstance(owner, Optimizer):
        trained = {id(one) for one in owner.parameters}
        state = {one.name: one for one in owner.get_parameters() if id(one) not in trained}
        groups = [{key: group[key] for key in group if key != "params"} for group in owner.param_groups]
        return {"state": state, "param_groups": _mapped(_as_float, groups)}
    if isinstance(owner, nn.Cell) or hasattr(owner, "state_dict"):
        return owner.state_dict()
    return {key: one for key, one in vars(owner).items() if _is_kept(one)}


def _as_float(one):
    return float(one) if isinstance(one, float) else one  # what a schedule sets is of a class of MindSpore


def _is_kept(one):
    """Whether a scheduler keeps it: numbers, what it counts, and the rates that it began with."""
    if isinstance(one, list):
        return all(isinstance(each, (Tensor, int, float)) and not isinstance(each, Parameter) for each in one)
    return isinstance(one, (Parameter, int, float, str))


# load_state_dict: torch.nn.Module.load_state_dict
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


# load_state_dict_from_url: torch.hub.load_state_dict_from_url
def load_state_dict_from_url(
    url, model_dir=None, map_location=None, progress=True, check_hash=False, file_name=None, weights_only=True
):
    """Weights of PyTorch's from the net, or from where they were kept; reading them needs PyTorch."""
    home = os.environ.get("TORCH_HOME", Path.home() / ".cache" / "torch")
    folder = Path(model_dir) if model_dir is not None else Path(home, "hub", "checkpoints")
    name = file_name or Path(urlparse(url).path).name
    path = folder / name
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f"{name}.partial")
        urllib.request.urlretrieve(url, partial)
        found = re.search(r"-([a-f0-9]{8,})\.", name)
        digest = hashlib.sha256(partial.read_bytes()).hexdigest()
        if check_hash and found is not None and not digest.startswith(found[1]):
            raise RuntimeError(f"{url}: its digest is {digest}, not {found[1]}")
        partial.replace(path)
    return load(path, weights_only=weights_only)


# named_parameters: torch.nn.Module.named_parameters
_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm, nn.GroupNorm)
_BUFFERS = ("moving_mean", "moving_variance")


def _name_of_torch(cell, name):
    """What PyTorch calls a parameter of a layer."""
    if isinstance(cell, nn.Embedding) and name == "embedding_table":
        return "weight"
    if isinstance(cell, nn.PReLU) and name == "w":
        return "weight"
    return {"gamma": "weight", "beta": "bias"}.get(name, name) if isinstance(cell, _NORMS) else name


def _is_parameter(cell, name):
    """Whether torch has a parameter for one of MindSpore; a norm's averages and constants do not count."""
    if not isinstance(cell, _NORMS):
        return True
    is_affine = getattr(cell, "affine", "False" not in str(getattr(cell, "cell_init_args", "")))
    return name not in _BUFFERS and (is_affine or name not in ("gamma", "beta"))


def named_parameters(module, prefix="", recurse=True):
    """The parameters of a module by the names that PyTorch has for them, also those that are not trained."""
    cells = module.cells_and_names(name_prefix=prefix) if recurse else [(prefix, module)]
    done = set()
    for head, cell in cells:
        for last, one in cell.parameters_and_names(expand=False):
            if id(one) not in done and _is_parameter(cell, last):
                done.add(id(one))
                name = _name_of_torch(cell, last)
                yield f"{head}.{name}" if head else name, one


# parameters: torch.nn.Module.parameters
def parameters(module, recurse=True):
    """The parameters of a module, also those that are not trained; averages of norms do not count."""
    for _, one in named_parameters(module, recurse=recurse):
        yield one


# save: torch.save
def save(obj, f):
    """Write what may hold tensors into the file of a name, as arrays in a pickle."""

    def changed(one):
        if isinstance(one, nn.Cell):
            raise TypeError("a whole model cannot be saved: save its state_dict")
        return {"x2ms": one.asnumpy()} if isinstance(one, Tensor) else one

    data = _mapped(changed, obj)
    with Path(f).open("wb") as file:
        pickle.dump(data, file)
