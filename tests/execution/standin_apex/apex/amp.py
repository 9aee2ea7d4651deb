"""What ``apex.amp`` demands of a script, in float32.

It scales and unscales for real and casts nothing, so a script must come to the results of plain float32. What
apex refuses, or would get wrong without a word, is an error here. ``JOURNAL`` has the calls in their order.
Sources: apex/amp/frontend.py, handle.py, _initialize.py and _amp_state.py of NVIDIA/apex.
"""

import contextlib

import torch

JOURNAL = []

_WRAPPERS = (torch.nn.parallel.DistributedDataParallel, torch.nn.DataParallel)
_scalers = []
_optimizers = []
_scaled = set()
_is_initialized = _casts = False


def initialize(models, optimizers, enabled=True, opt_level="O1", loss_scale=None, num_losses=1):
    """Takes over models and optimizers, once, before anything wraps a model."""
    global _is_initialized, _casts
    assert not _is_initialized, "amp.initialize is to be called once"
    JOURNAL.append("initialize" if enabled else "initialize, disabled")
    _is_initialized = True
    if not enabled:
        return models, optimizers
    assert opt_level == "O1" and loss_scale == "dynamic"
    for model in models if isinstance(models, list) else [models]:
        assert not isinstance(model, _WRAPPERS), "wrappers come after amp.initialize"
        assert all(item.device.type == "npu" for item in model.parameters()), "the model is not on its device"
    _optimizers.extend(optimizers if isinstance(optimizers, list) else [optimizers])
    _scalers.extend({"loss_scale": 2.0**16, "unskipped": 0} for _ in range(num_losses))
    _casts = True
    for optimizer in _optimizers:
        optimizer.step = _noted(optimizer.step)
    torch.Tensor.backward = _checked(torch.Tensor.backward)
    return models, optimizers


def _noted(step):
    def noted(*arguments, **keywords):
        JOURNAL.append("step")
        assert not _scaled, "the gradients are still scaled"
        return step(*arguments, **keywords)

    return noted


def _checked(backward):
    def checked(tensor, *arguments, **keywords):
        assert id(tensor) in _scaled, "backward of a loss that is not scaled"
        return backward(tensor, *arguments, **keywords)

    return checked


@contextlib.contextmanager
def scale_loss(loss, optimizers, loss_id=0):
    """Scales a loss; the gradients that come of it are unscaled, those that were there stay."""
    assert _is_initialized, "amp.initialize must be called before amp.scale_loss"
    if not _scalers:
        yield loss
        return
    JOURNAL.append(f"scale loss {loss_id}" if len(_scalers) > 1 else "scale")
    owners = optimizers if isinstance(optimizers, list) else [optimizers]
    assert all(any(owner is known for known in _optimizers) for owner in owners), "an unknown optimizer"
    scale, before = _scalers[loss_id]["loss_scale"], []
    for parameter in _parameters(owners):
        before.append((parameter, parameter.grad))
        parameter.grad = None
    scaled = loss.float() * scale
    _scaled.add(id(scaled))
    yield scaled
    _scaled.clear()
    for parameter, old in before:
        new = None if parameter.grad is None else parameter.grad / scale
        parameter.grad = new if old is None else old if new is None else old + new
    _scalers[loss_id]["unskipped"] += 1


def master_params(optimizer):
    """The parameters of an optimizer."""
    yield from _parameters([optimizer])


def _parameters(optimizers):
    return [item for owner in optimizers for group in owner.param_groups for item in group["params"]]


@contextlib.contextmanager
def disable_casts():
    """No casts within; only where they are in force otherwise."""
    global _casts
    assert _scalers, "casts are not in force"
    _casts = False
    yield
    _casts = True


def state_dict():
    """The state of all scalers."""
    assert _scalers, "there is no state before amp.initialize, nor when it was disabled"
    JOURNAL.append("state_dict")
    return {f"loss_scaler{index}": dict(scaler) for index, scaler in enumerate(_scalers)}


def load_state_dict(state):
    """The state of all scalers, as :func:`state_dict` gave it."""
    assert _scalers, "there is no state before amp.initialize, nor when it was disabled"
    assert all(name.startswith("loss_scaler") for name in state), f"not a state of apex: {state}"
    JOURNAL.append("load_state_dict")
    for index, scaler in enumerate(_scalers):
        scaler.update(state[f"loss_scaler{index}"])
