"""Whose devices an object means: the library that it begins with."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow.libraries import Origin, extension_module, is_foreign_file, source_of_value
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import receiver_of_probe

IMPORTS = "import torch\nimport tensorflow as tf\nimport unlisted\n"


def origin(code: str) -> Origin:
    """Where the receiver of ``.PROBE`` comes from."""
    source = SourceFile(IMPORTS + code)
    return source_of_value(
        receiver_of_probe(source), Context(source, options_from({"version": "2.8.0"}))
    ).origin


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("tf.device.PROBE", Origin.FOREIGN),
        ("x = tf.ones(2)\ny = x[0].numpy()\ny.PROBE", Origin.FOREIGN),
        ("x = None\nx = tf.ones(2)\nx.PROBE", Origin.FOREIGN),
        ("def f(x):\n    x = tf.ones(x)\n    x.PROBE", Origin.FOREIGN),
        ("class M(tf.keras.Model): pass\nm = M()\nm.PROBE", Origin.FOREIGN),
        (
            "class C:\n    def f(self):\n        self.s = tf.Session()\n        self.s.run().PROBE",
            Origin.FOREIGN,
        ),
        ("async def f():\n    x = await tf.read()\n    x.PROBE", Origin.FOREIGN),
        ("jax.devices()[0].PROBE", Origin.FOREIGN),
        ("chex.devices()[0].PROBE", Origin.UNKNOWN),
        ("x = torch.ones(2)\nx.PROBE", Origin.TORCH),
        ("x = unlisted.make()\nx.PROBE", Origin.LIBRARY),
        ("x = tf.ones(2) if c else torch.ones(2)\nx.PROBE", Origin.UNKNOWN),
        ("x = tf.ones(2)\nx = torch.ones(2)\nx.PROBE", Origin.UNKNOWN),
        ("x = tf.ones(2)\nx = make()\nx.PROBE", Origin.UNKNOWN),
        ("def f(x):\n    x.PROBE", Origin.UNKNOWN),
        ("x = 3\nx.PROBE", Origin.UNKNOWN),
        ("x = x.a\nx.PROBE", Origin.UNKNOWN),
    ],
)
def test_an_object_is_of_the_library_that_it_begins_with(code: str, expected: Origin) -> None:
    assert origin(code) is expected


class WithModules(Standalone):
    """A project that has these modules."""

    def __init__(self, *modules: str) -> None:
        self._modules = modules

    def has_module(self, importer_path: str, module: str) -> bool:
        return module in self._modules


def extension(statement: str, *modules: str) -> str | None:
    """The module that an import brings of the project's own extensions for CUDA."""
    source = SourceFile(statement)
    context = Context(source, options_from({"version": "2.8.0"}), WithModules(*modules))
    (binding, *_) = source.names.imports
    return extension_module(binding, context)


@pytest.mark.parametrize(
    "statement", ["import ops_cuda", "import ops_cuda as ops", "from ops_cuda import run", "import CUDAOps"]
)
def test_a_module_named_for_cuda_that_is_no_file_is_an_extension_of_the_project(statement: str) -> None:
    name = statement.split()[1]
    assert extension(statement) == name
    assert extension(statement, name) is None


@pytest.mark.parametrize(
    "statement",
    [
        "import ops",
        "from . import ops_cuda",
        "from .ops_cuda import run",
        "from package.ops_cuda import run",
        "import package.ops_cuda",
        "from ops import run_cuda",
        "import torch.cuda",
        "from torch import cuda",
        "import pycuda",
        "from cuda import cudart",
    ],
)
def test_what_may_be_a_file_or_is_a_library_is_none(statement: str) -> None:
    assert extension(statement) is None
    assert extension("import ops_cuda") == "ops_cuda"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tensorflow", True),
        ("import jax.numpy as jnp\nimport os", True),
        ("import tensorflow\nimport torch", False),
        ("import tensorflow\nfrom torch import nn", False),
        ("import tensorflow\nfrom . import helpers", False),
        ("import tensorflow\nimport helpers", False),
        ("import os", False),
        ("", False),
    ],
)
def test_a_file_is_of_another_framework_that_imports_one_and_nothing_of_torch_or_its_project(
    text: str, expected: bool
) -> None:
    context = Context(SourceFile(text), options_from({"version": "2.8.0"}), WithModules("helpers"))
    assert is_foreign_file(context) is expected
