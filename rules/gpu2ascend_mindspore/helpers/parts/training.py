"""Losses, distances, optimizers and their rates."""

import itertools
import math

import mindspore as ms
from mindspore import Parameter, ParameterTuple, mutable, nn, ops
from mindspore.experimental import optim


# adam: torch.optim.Adam
class Adam(optim.AdamW):
    """Adam with weight decay in the gradients.

    MindSpore's Adam adds epsilon before it corrects the averages, and has no amsgrad; its AdamW is torch's.
    """

    def __init__(
        self,
        params,
        lr=0.001,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        super().__init__(
            params,
            lr=float(lr),
            betas=betas,
            eps=eps,
            weight_decay=float(weight_decay),
            amsgrad=amsgrad,
            maximize=maximize,
        )

    def implementation(self, lr, weight_decay, beta1, beta2, amsgrad, eps, grads, start_id, end_id):
        if weight_decay:
            parameters = self.parameters[start_id:end_id]
            grads = tuple(grad + weight_decay * one for grad, one in zip(grads, parameters))
        return super().implementation(lr, 0.0, beta1, beta2, amsgrad, eps, grads, start_id, end_id)


# cross_entropy_loss: torch.nn.CrossEntropyLoss
class CrossEntropyLoss(nn.Cell):
    """The loss with its arguments, in a form that is compiled with its gradients."""

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
        label_smoothing=0.0,
    ):  # fmt: skip
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)
        self.weight, self.ignore_index = weight, ignore_index
        self.label_smoothing = label_smoothing

    def construct(self, input, target):
        input = ops.clamp(input, min=-1e30)  # of -inf, the function makes nan
        return ops.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


# functional_cross_entropy: torch.nn.functional.cross_entropy
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
    label_smoothing=0.0,
):  # fmt: skip
    """The loss, also of logits that are masked with -inf, of which the one of MindSpore makes nan."""
    input = ops.clamp(input, min=-1e30)
    reduction = reduction_of(size_average, reduce, reduction)
    return ops.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


# functional_nll_loss: torch.nn.functional.nll_loss
def nll_loss(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
):  # fmt: skip
    """The loss, also of logarithms of zero, of which the one of MindSpore makes nan."""
    input = ops.clamp(input, min=-1e30)
    return ops.nll_loss(input, target, weight, ignore_index, reduction_of(size_average, reduce, reduction))


# loss: torch.nn.modules.loss._Loss
class _Loss(nn.Cell):
    """What losses derive from: a cell with the name of a reduction."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)


# nll_loss_layer: torch.nn.NLLLoss
class NLLLoss(nn.Cell):
    """The loss with its arguments, also of logarithms of zero, of which the one of MindSpore makes nan."""

    def __init__(
        self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
    ):  # fmt: skip
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, input, target):
        input = ops.clamp(input, min=-1e30)
        return ops.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


# one_cycle_lr: torch.optim.lr_scheduler.OneCycleLR
class OneCycleLR(optim.lr_scheduler.LRScheduler):
    """A learning rate that rises to ``max_lr`` and falls; a momentum that does the opposite."""

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
        anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
        final_div_factor=1e4, three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        if last_epoch != -1 or (total_steps is None and (epochs is None or steps_per_epoch is None)):
            raise ValueError("give total_steps, or epochs and steps_per_epoch, and no last_epoch")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}")
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        groups, self.anneal_strategy = optimizer.param_groups, anneal_strategy
        self.max_lrs = list(max_lr) if isinstance(max_lr, (list, tuple)) else [max_lr] * len(groups)
        self.first_lrs = [one / div_factor for one in self.max_lrs]
        self.last_lrs = [one / final_div_factor for one in self.first_lrs]
        end, first = self.total_steps - 1, float(pct_start * self.total_steps) - 1
        self.ends = [first, 2 * first, end] if three_phase else [first, end]
        self.momentum = [base_momentum, max_momentum] if cycle_momentum else None
        self.made = 0
        super().__init__(optimizer, last_epoch)

    def _between(self, start, end, part):
        if self.anneal_strategy == "linear":
            return start + (end - start) * part
        return end + (start - end) / 2.0 * (1 + math.cos(math.pi * part))

    def _value(self, points, step):
        start = 0.0
        for end, low, high in zip(self.ends, points, points[1:]):
            if step <= end or end == self.ends[-1]:
                return self._between(low, high, (step - start) / (end - start))
            start = end
        raise AssertionError("the last phase ends behind all steps")

    def get_lr(self):
        step, self.made = self.made, self.made + 1
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        three = len(self.ends) == 3
        if self.momentum:
            low, high = self.momentum
            value = self._value([high, low, high, high] if three else [high, low, high], step)
            value = mutable(value)  # a plain number would have the update compiled anew in each step
            for group in self.optimizer.param_groups:
                if "betas" in group:
                    group["betas"] = (value, *group["betas"][1:])
                else:
                    group["momentum"] = value
        lrs = zip(self.first_lrs, self.max_lrs, self.last_lrs)
        return [self._value([a, b, a, c] if three else [a, b, c], step) for a, b, c in lrs]


# pairwise_distance: torch.nn.functional.pairwise_distance
def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    """The norm of the differences, along the last dimension."""
    return ops.vector_norm(x1 - x2 + eps, ord=p, axis=-1, keepdims=keepdim)


# reduction: The reduction of a loss, by its name or by the older arguments.
def reduction_of(size_average, reduce, reduction):
    """The name of a reduction."""
    if size_average is None and reduce is None:
        return reduction
    return ("mean" if size_average in (None, True) else "sum") if reduce in (None, True) else "none"


# update: Gradients and updates of the parameters that a loss depends on, as torch has them.
_depended_on = set()


def value_and_grad(function, grad_position, weights, has_aux=False, added_to=None):
    """The same as of MindSpore, which gives zeros for what torch has no gradient of; see ``update``.

    The gradients of before do not count any more, unless these are ``added_to`` them.
    """

    def noted(*inputs):
        if added_to is None:
            _depended_on.difference_update(map(id, weights))
        result = function(*inputs)
        _note(result[0] if has_aux else result, weights)
        return result

    return ms.value_and_grad(noted, grad_position, weights, has_aux)


def vjp(function, *inputs, weights):
    """The same as of MindSpore; ``update`` knows the weights that the result depends on."""

    def noted(*inputs):
        _depended_on.difference_update(map(id, weights))
        result = function(*inputs)
        _note(result, weights)
        return result

    return ms.vjp(noted, *inputs, weights=weights)


def _note(result, weights):
    nodes, found = [result._grad_node], set()
    while nodes:
        node = nodes.pop()
        if node is not None and node._unique_id() not in found:
            found.add(node._unique_id())
            nodes += [one for one, output in node.next_functions if _has_slope(one, output)]
    _depended_on.update(id(one) for one in weights if one._grad_node._unique_id() in found)


def _has_slope(node, output):
    """Whether an output of an operation has gradients in torch: it is of floats, and not made of a shape."""
    if node is None or not hasattr(node, "_input_metadata"):
        return node is not None  # that of a function with its own gradients
    is_of_floats = not str(node._input_metadata[output].dtype).startswith(("Int", "UInt", "Bool"))
    return is_of_floats and not node.name().startswith(("ZerosLike", "OnesLike", "NewZeros", "NewOnes"))


def gradients_by_id(parameters, gradients):
    """The gradients by the ids of their parameters: None where torch has none."""
    return {id(one): grad if _has_gradient(one) else None for one, grad in zip(parameters, gradients)}


def gradients_in_order(parameters, by_id):
    """The gradients of ``gradients_by_id`` again, of which some may have been changed."""
    _depended_on.difference_update(map(id, parameters))
    _depended_on.update(id(one) for one in parameters if by_id[id(one)] is not None)
    return tuple(ops.zeros_like(one) if by_id[id(one)] is None else by_id[id(one)] for one in parameters)


def _has_gradient(parameter):
    return id(parameter) in _depended_on or getattr(parameter, "keeps_gradient", False)


def update(optimizer, gradients, set_to_none=True):
    """Update what the loss depends on, each by its own number of steps.

    Where ``zero_grad`` does not set gradients to None, what a loss has depended on keeps one of zeros.
    """
    parameters = optimizer.parameters
    step = getattr(optimizer, "state_step", getattr(optimizer, "step_t", None))
    before = _steps_of_each(optimizer, 0 if step is None else int(step))
    chosen = [_has_gradient(one) for one in parameters]
    _depended_on.difference_update(map(id, parameters))
    for count in sorted({*itertools.compress(before, chosen)}):
        others = [i for i, one in enumerate(before) if one != count or not chosen[i]]
        _update_all_but(others, optimizer, gradients, step, count)
    if step is not None:
        after = [*map(int.__add__, before, chosen)]
        _set_step(step, max(after))
        for group in optimizer.param_groups:
            group["steps"], after = after[: len(group["params"])], after[len(group["params"]) :]
    for one in () if set_to_none else itertools.compress(parameters, chosen):
        one.keeps_gradient = True


def _steps_of_each(optimizer, start):
    groups = optimizer.param_groups
    return [one for group in groups for one in group.get("steps", [start] * len(group["params"]))]


def _update_all_but(others, optimizer, gradients, step, count):
    values, size = vars(optimizer).values(), len(optimizer.parameters)
    states = [one for one in values if isinstance(one, (ParameterTuple, list)) and len(one) == size]
    states = [one for one in states if all(isinstance(each, Parameter) for each in one)]
    kept = [(one[i], one[i].copy()) for one in (optimizer.parameters, *states) for i in others]
    _set_step(step, count)
    optimizer(gradients)
    for one, value in kept:
        ops.assign(one, value)


def _set_step(step, count):
    if step is not None:
        ops.assign(step, ops.full(step.shape, count, dtype=step.dtype))


# triplet_margin_loss: torch.nn.functional.triplet_margin_loss
def triplet_margin_loss(
    anchor,
    positive,
    negative,
    margin=1.0,
    p=2,
    eps=1e-6,
    swap=False,
    size_average=None,
    reduce=None,
    reduction="mean",
):
    """How much nearer the positive is than the negative, at most by the margin."""
    if size_average is not None or reduce is not None:
        raise ValueError("size_average and reduce: use reduction")
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    losses = ops.relu(margin + pairwise_distance(anchor, positive, p, eps) - far)
    return {"mean": losses.mean, "sum": losses.sum, "none": lambda: losses}[reduction]()
