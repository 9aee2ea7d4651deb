class Registry:
    def __init__(self, name):
        self.name, self._items = name, {}

    def register(self, key):
        def enter(item):
            self._items[key] = item
            return item

        return enter

    def build(self, key, *args):
        return self._items[key](*args)


LOSSES = Registry("losses")
taken = []
