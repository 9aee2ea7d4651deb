"""torch.nn.Module.named_parameters"""

from mindspore import nn

_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.LayerNorm, nn.GroupNorm)
_BUFFERS = ("moving_mean", "moving_variance")


def _name_of_torch(cell, name):
    """What PyTorch calls a parameter of a layer."""
    if isinstance(cell, nn.Embedding) and name == "embedding_table":
        return "weight"
    return {"gamma": "weight", "beta": "bias"}.get(name, name) if isinstance(cell, _NORMS) else name


def named_parameters(module, prefix="", recurse=True):
    """The parameters of a module by the names that PyTorch has for them, also those that are not trained."""
    cells = module.cells_and_names(name_prefix=prefix) if recurse else [(prefix, module)]
    done = set()
    for head, cell in cells:
        for last, one in cell.parameters_and_names(expand=False):
            if id(one) not in done and not (isinstance(cell, _NORMS) and last in _BUFFERS):
                done.add(id(one))
                name = _name_of_torch(cell, last)
                yield f"{head}.{name}" if head else name, one
