"""torch.einsum"""

import string

from mindspore import ops


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
    """A tensor in which each label stands once: of one that stands twice the diagonal."""
    for label in dict.fromkeys(names):
        while names.count(label) > 1:
            first, second = names.index(label), names.rindex(label)
            tensor = tensor.diagonal(0, first, second)
            names = names[:first] + names[first + 1 : second] + names[second + 1 :] + label
    return tensor, names


def _reduced(tensor, names, kept):
    """A tensor without the dimensions that nobody needs further."""
    gone = tuple(place for place, label in enumerate(names) if label not in kept)
    return (tensor.sum(axis=gone) if gone else tensor), "".join(one for one in names if one in kept)


def _moved(tensor, names, order):
    """A tensor with its dimensions in another order."""
    return tensor if names == order else tensor.transpose(tuple(names.index(one) for one in order))


def _joined(first, second, kept):
    """The product of two tensors with their labels, summed over those that nobody needs further."""
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
