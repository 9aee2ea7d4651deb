"""torch.nn.Module.parameters"""

from .named_parameters import named_parameters


def parameters(module, recurse=True):
    """The parameters of a module, also those that are not trained; averages of norms are none."""
    for _, one in named_parameters(module, recurse=recurse):
        yield one
