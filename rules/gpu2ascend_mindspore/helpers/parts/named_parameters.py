"""torch.nn.Module.named_parameters"""

from mindspore import nn

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
    """Whether torch has a parameter for one of MindSpore: averages and the constants of a norm are none."""
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
