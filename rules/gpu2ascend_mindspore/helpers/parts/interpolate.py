"""torch.nn.functional.interpolate"""

from mindspore import ops

_LINEAR = ("linear", "bilinear", "trilinear")


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """An image of another size, given as such or by a factor."""
    if mode not in (*_LINEAR, "nearest", "area") or antialias or (mode == "area" and size is None):
        raise ValueError(f"interpolate: {mode} with these arguments gives other results here")
    if size is None:
        factors = (
            scale_factor if isinstance(scale_factor, (tuple, list)) else [scale_factor] * (input.ndim - 2)
        )
        size = tuple(int(length * float(one)) for length, one in zip(input.shape[2:], factors))
        if recompute_scale_factor is not True and any(
            abs(new - old * float(one)) > 1e-6 for new, old, one in zip(size, input.shape[2:], factors)
        ):
            raise ValueError("interpolate: a factor that gives no whole number of places differs here")
    elif not isinstance(size, (tuple, list)):
        size = (size,) * (input.ndim - 2)
    corners = {"align_corners": bool(align_corners)} if mode in _LINEAR else {}
    return ops.interpolate(input, size=tuple(size), mode=mode, **corners)
