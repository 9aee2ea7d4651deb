"""Whose devices an object means: the library that it begins with."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow.libraries import Origin, source_of_value
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
