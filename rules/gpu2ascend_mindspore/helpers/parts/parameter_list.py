"""torch.nn.ParameterList"""

from mindspore import Parameter, Tensor, nn


class ParameterList(nn.Cell):
    """Parameters in order, as a part of a module, to which others may be added."""

    def __init__(self, values=None):
        super().__init__()
        self.held = []
        self.extend(values or ())

    def append(self, one):
        one = one if isinstance(one, Parameter) or not isinstance(one, Tensor) else Parameter(one)
        if isinstance(one, Parameter):
            self.insert_param_to_cell(str(len(self.held)), one)
        self.held.append(one)
        return self

    def extend(self, values):
        for one in values:
            self.append(one)
        return self

    def __iadd__(self, values):
        return self.extend(values)

    def __setitem__(self, index, one):
        one = one if isinstance(one, Parameter) or not isinstance(one, Tensor) else Parameter(one)
        self.insert_param_to_cell(str(range(len(self.held))[index]), one)
        self.held[index] = one

    def __getitem__(self, index):
        return self.held[index]

    def __iter__(self):
        return iter(self.held)

    def __len__(self):
        return len(self.held)
