"""Patterns of einops: the axes that they name, and how long they are."""

import re


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
