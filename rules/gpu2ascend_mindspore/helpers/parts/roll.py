"""torch.roll"""

from mindspore import ops


def roll(input, shifts, dims=None):
    """A tensor whose elements move along dimensions; what leaves at the end comes back at the start."""
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None or dims == ():
        return roll(input.reshape(-1), shifts, 0).reshape(input.shape)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(shifts) != len(dims):
        raise ValueError(f"roll: {len(shifts)} shifts and {len(dims)} dims")
    for shift, dim in zip(shifts, dims):
        size = input.shape[dim]
        place = size - shift % size if size else 0
        if place not in (0, size):
            before = (slice(None),) * (dim % input.ndim)
            parts = [input[(*before, slice(place, None))], input[(*before, slice(None, place))]]
            input = ops.cat(parts, axis=dim)
    return input
