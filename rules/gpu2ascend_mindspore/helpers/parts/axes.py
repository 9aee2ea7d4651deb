"""Patterns of einops and of einsum."""

import re
import string

from mindspore import nn, ops


# axes_patterns: Patterns of einops: the axes that they name, and how long they are.
def _axes(side):
    """The groups of axes of one side of a pattern; a number is an axis of that length."""
    groups = []
    for group in re.findall(r"\([^()]*\)|[^\s()]+", side.replace("...", " … ")):
        inside = group[1:-1].split() if group.startswith("(") else [group]
        groups.append(["1" if one == "()" else one for one in inside])
    return groups


def _sides(pattern):
    left, arrow, right = pattern.partition("->")
    if not arrow or pattern.count("->") > 1:
        raise ValueError(f"not a pattern: {pattern!r}")
    return _axes(left), _axes(right)


def _named_rest(groups, rest):
    """The groups with the axes that an ellipsis stands for."""
    return [
        part
        for group in groups
        for part in ([[one] for one in rest] if group == ["…"] else [_each(group, rest)])
    ]


def _each(group, rest):
    return [one for axis in group for one in (rest if axis == "…" else [axis])]


def _numbered(groups, side):
    """The groups with a name of its own for each axis that is written as a number."""
    count = iter(range(1000))
    return [[f"{side}{next(count)}:{one}" if one.isdecimal() else one for one in group] for group in groups]


def _taken_apart(shape, left, lengths):
    """The length of each axis of the left side."""
    if len(shape) != len(left):
        raise ValueError(f"{len(left)} axes for a tensor of {len(shape)}")
    sizes = {}
    for length, group in zip(shape, left):
        known = 1
        unknown = None
        for axis in group:
            size = int(axis.partition(":")[2]) if ":" in axis else lengths.get(axis)
            if size is None and unknown is None:
                unknown = axis
            elif size is None:
                raise ValueError(f"the lengths of {unknown} and {axis} are not known")
            else:
                sizes[axis] = size
                known *= size
        if unknown is not None:
            sizes[unknown] = length // known
        if length != known * sizes.get(unknown, 1):
            raise ValueError(f"an axis of {length} is not {' '.join(group)}")
    return sizes


def _read(pattern, shape, lengths):
    """Both sides of a pattern for a shape, and the length of each axis."""
    left, right = _sides(pattern)
    named = sum(group != ["…"] for group in left)
    rest = [f"…{place}" for place in range(len(shape) - named)] if ["…"] in left else []
    left = _numbered(_named_rest(left, rest), "<")
    right = _numbered(_named_rest(right, rest), ">")
    return left, right, {**lengths, **_taken_apart(shape, left, lengths)}


def _flat(groups):
    return [axis for group in groups for axis in group]


def _length(axis, sizes):
    if ":" in axis:
        return int(axis.partition(":")[2])
    return sizes[axis]


def _in_groups(tensor, groups, sizes):
    """A tensor with the axes of each group as one."""
    shape = []
    for group in groups:
        length = 1
        for axis in group:
            length *= _length(axis, sizes)
        shape.append(length)
    return tensor.reshape(tuple(shape))


def _spread(tensor, left, sizes):
    """A tensor with each axis of the left side by itself, and the names of those that are no numbers."""
    axes = [axis for axis in _flat(left) if not axis.endswith(":1")]
    return tensor.reshape(tuple(sizes[one] for one in axes)), axes


def _ordered(tensor, axes, wanted):
    order = tuple(axes.index(one) for one in wanted)
    return tensor if order == tuple(range(len(order))) else tensor.transpose(order)


# einsum: torch.einsum
def _labels(equation, operands):
    """The labels of each operand and of the result; those that an ellipsis stands for are capital letters."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum: {len(terms)} terms in {equation!r}, and {len(operands)} tensors")
    counts = [
        one.ndim - len(term.replace("...", "")) if "..." in term else 0 for term, one in zip(terms, operands)
    ]
    more = [label for label in string.ascii_uppercase if label not in equation][: max(counts)]
    names = [term.replace("...", "".join(more[len(more) - count :])) for term, count in zip(terms, counts)]
    if not arrow:
        every = "".join(names)
        right = "".join(more) + "".join(sorted(one for one in {*every} - {*more} if every.count(one) == 1))
    return names, right.replace("...", "".join(more))


def _plain(tensor, names):
    """A tensor with each label once: the diagonal where a label occurs twice."""
    for label in dict.fromkeys(names):
        while names.count(label) > 1:
            first, second = names.index(label), names.rindex(label)
            tensor = tensor.diagonal(0, first, second)
            names = names[:first] + names[first + 1 : second] + names[second + 1 :] + label
    return tensor, names


def _reduced(tensor, names, kept):
    """A tensor without the dimensions that are not used further."""
    gone = tuple(place for place, label in enumerate(names) if label not in kept)
    return (tensor.sum(axis=gone) if gone else tensor), "".join(one for one in names if one in kept)


def _moved(tensor, names, order):
    """A tensor with its dimensions in another order."""
    return tensor if names == order else tensor.transpose(tuple(names.index(one) for one in order))


def _joined(first, second, kept):
    """The product of two tensors with their labels, summed over those that are not used further."""
    (left, ours), (right, theirs) = first, second
    left, ours = _reduced(left, ours, {*theirs, *kept})
    right, theirs = _reduced(right, theirs, {*ours, *kept})
    common = [one for one in ours if one in theirs and one in kept]
    summed = [one for one in ours if one in theirs and one not in kept]
    rows = [one for one in ours if one not in theirs]
    columns = [one for one in theirs if one not in ours]
    sizes = {**dict(zip(ours, left.shape)), **dict(zip(theirs, right.shape))}
    for label, size in zip(ours, left.shape):
        sizes[label] = max(size, sizes[label])
    left = _filled(_moved(left, ours, "".join(common + rows + summed)), common + rows + summed, sizes)
    right = _filled(
        _moved(right, theirs, "".join(common + summed + columns)), common + summed + columns, sizes
    )
    count = [_product(sizes[one] for one in some) for some in (common, rows, summed, columns)]
    product = ops.bmm(left.reshape(count[0], count[1], count[2]), right.reshape(count[0], count[2], count[3]))
    names = common + rows + columns
    return product.reshape(tuple(sizes[one] for one in names)), "".join(names)


def _filled(tensor, names, sizes):
    """A tensor with dimensions of 1 made as long as those that they are multiplied with."""
    shape = tuple(sizes[one] for one in names)
    return tensor if tensor.shape == shape else tensor.broadcast_to(shape)


def _product(numbers):
    result = 1
    for one in numbers:
        result *= one
    return result


def einsum(equation, *operands):
    """Sums of products of tensors, by matrix products of two at a time."""
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = operands[0]
    names, result = _labels(equation, operands)
    terms = [_plain(tensor, name) for tensor, name in zip(operands, names)]
    while len(terms) > 1:
        first, second, *terms = terms
        terms = [_joined(first, second, {*result, *"".join(name for _, name in terms)}), *terms]
    tensor, name = _reduced(*terms[0], result)
    return _moved(tensor, name, result)


# rearrange: einops.rearrange
def rearrange(tensor, pattern, **axes_lengths):
    """A tensor, or a list of them, with its axes in the order and the groups that a pattern says."""
    if isinstance(tensor, (list, tuple)):
        tensor = ops.stack(list(tensor))
    left, right, sizes = _read(pattern, tensor.shape, axes_lengths)
    tensor, axes = _spread(tensor, left, sizes)
    wanted = [axis for axis in _flat(right) if not axis.endswith(":1")]
    if sorted(axes) != sorted(wanted):
        raise ValueError(f"the axes of both sides differ: {pattern!r}")
    return _in_groups(_ordered(tensor, axes, wanted), right, sizes)


# rearrange_layer: einops.layers.torch.Rearrange
class Rearrange(nn.Cell):
    """A cell that gives its input with its axes in another order and other groups."""

    def __init__(self, pattern, **axes_lengths):
        super().__init__()
        self.pattern, self.axes_lengths = pattern, axes_lengths

    def construct(self, input):
        return rearrange(input, self.pattern, **self.axes_lengths)


# reduce: einops.reduce
def reduce(tensor, pattern, reduction, **axes_lengths):
    """A tensor without the axes that only the left side of a pattern has: their mean, sum or max ..."""
    if isinstance(tensor, (list, tuple)):
        tensor = ops.stack(list(tensor))
    left, right, sizes = _read(pattern, tensor.shape, axes_lengths)
    tensor, axes = _spread(tensor, left, sizes)
    wanted = [axis for axis in _flat(right) if not axis.endswith(":1")]
    gone = [place for place, axis in enumerate(axes) if axis not in wanted]
    if callable(reduction):
        tensor = reduction(tensor, tuple(gone))
    elif reduction in ("max", "min", "prod"):
        for place in reversed(gone):
            tensor = {"max": ops.amax, "min": ops.amin, "prod": ops.prod}[reduction](tensor, axis=place)
    elif gone:
        tensor = getattr(tensor, reduction)(axis=tuple(gone))
    return _in_groups(_ordered(tensor, [one for one in axes if one in wanted], wanted), right, sizes)


# reduce_layer: einops.layers.torch.Reduce
class Reduce(nn.Cell):
    """A cell that gives its input without some of its axes."""

    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__()
        self.pattern, self.reduction, self.axes_lengths = pattern, reduction, axes_lengths

    def construct(self, input):
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)


# repeat: einops.repeat
def repeat(tensor, pattern, **axes_lengths):
    """A tensor repeated along the axes that only the right side of a pattern has."""
    if isinstance(tensor, (list, tuple)):
        tensor = ops.stack(list(tensor))
    left, right, sizes = _read(pattern, tensor.shape, axes_lengths)
    tensor, axes = _spread(tensor, left, sizes)
    wanted = [axis for axis in _flat(right) if not axis.endswith(":1")]
    tensor = _ordered(tensor, axes, [one for one in wanted if one in axes])
    shape = [_length(one, sizes) if one in axes else 1 for one in wanted]
    times = [1 if one in axes else _length(one, sizes) for one in wanted]
    return _in_groups(ops.tile(tensor.reshape(tuple(shape)), tuple(times)) if shape else tensor, right, sizes)
