"""torch.nn.ModuleDict"""

from mindspore import nn


class ModuleDict(nn.Cell):
    """Modules by their names, also such as hold others, which MindSpore's own dictionary refuses."""

    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def update(self, modules):
        for name, one in modules.items() if hasattr(modules, "items") else modules:
            self[name] = one

    def __setitem__(self, name, one):
        self.insert_child_to_cell(name, one)

    def __getitem__(self, name):
        return self._cells[name]

    def __delitem__(self, name):
        del self._cells[name]

    def __contains__(self, name):
        return name in self._cells

    def __iter__(self):
        return iter(self._cells)

    def __len__(self):
        return len(self._cells)

    def keys(self):
        return self._cells.keys()

    def values(self):
        return self._cells.values()

    def items(self):
        return self._cells.items()

    def pop(self, name):
        return self._cells.pop(name)

    def clear(self):
        self._cells.clear()
