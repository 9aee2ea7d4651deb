import importlib


def load_ext(name):
    """The compiled module of the package; None where it was not built."""
    try:
        return importlib.import_module("points." + name)
    except ImportError:
        return None
