"""torch.nn.ParameterDict"""

from mindspore import Parameter, Tensor, nn


class ParameterDict(nn.Cell):
    """Parameters by their names, as a part of a module."""

    def __init__(self, parameters=None):
        super().__init__()
        self.held = {}
        self.update(parameters or {})

    def update(self, parameters):
        for name, one in parameters.items() if hasattr(parameters, "items") else parameters:
            self[name] = one

    def __setitem__(self, name, one):
        one = one if isinstance(one, Parameter) or not isinstance(one, Tensor) else Parameter(one)
        if isinstance(one, Parameter):
            self.insert_param_to_cell(name, one, check_name_contain_dot=False)
        self.held[name] = one

    def __getitem__(self, name):
        return self.held[name]

    def __contains__(self, name):
        return name in self.held

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)

    def get(self, name, default=None):
        return self.held.get(name, default)

    def keys(self):
        return self.held.keys()

    def values(self):
        return self.held.values()

    def items(self):
        return self.held.items()
