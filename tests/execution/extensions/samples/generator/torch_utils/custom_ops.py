"""Builds a plug-in when it is needed first."""

import importlib
import os

import torch.utils.cpp_extension

_plugins = {}


def get_plugin(module_name, sources, source_dir, **options):
    if module_name not in _plugins:
        paths = [os.path.join(source_dir, name) for name in sources]
        torch.utils.cpp_extension.load(name=module_name, sources=paths, **options)
        _plugins[module_name] = importlib.import_module(module_name)
    return _plugins[module_name]
