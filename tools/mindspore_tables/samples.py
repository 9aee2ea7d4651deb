"""Calls of torch on small tensors, which prove the entries of the table.

Names of tensors: ``X`` and ``Y`` are 3 by 4, ``P`` and ``Q`` the same between 0.1 and 0.9, ``I`` and ``J``
whole numbers, ``MASK`` bools; the others are made in :func:`tensors`. ``X_ARRAY`` is an array of numpy.
``ONCE`` names each place of a row once: where two values are written to one place, no framework defines
which of them stays.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

_SAMPLES = Path(__file__).parent / "sources" / "samples.tsv"
Array = np.ndarray[Any, Any]


def tensors() -> dict[str, Array]:
    """The tensors that the samples name, as arrays; the same at every call."""
    draw = np.random.RandomState(7)

    def normal(*shape: int) -> Array:
        return draw.randn(*shape).astype(np.float32)

    def between(*shape: int) -> Array:
        return (draw.rand(*shape) * 0.8 + 0.1).astype(np.float32)

    def whole(below: int, *shape: int) -> Array:
        return draw.randint(0, below, shape).astype(np.int64)

    regular = (np.eye(4) * 3 + draw.rand(4, 4)).astype(np.float32)
    x = normal(3, 4)
    logits = normal(5, 7)
    return {
        "X": x, "Y": normal(3, 4), "P": between(3, 4), "Q": between(3, 4), "OVER": between(3, 4) + 1.0,
        "V": normal(4), "V2": normal(4), "W": normal(3), "M": normal(4, 5), "SQ": regular,
        "SPD": (regular @ regular.T).astype(np.float32), "B3": normal(2, 3, 4), "C3": normal(2, 4, 5),
        "K3": normal(2, 3, 5), "A35": normal(3, 5), "THIN": normal(3, 1, 4), "EVEN": normal(4, 2),
        "I": whole(5, 3, 4) + 1, "J": whole(5, 3, 4) + 1, "MASK": x > 0, "MASK2": normal(3, 4) > 0,
        "COLUMNS": whole(4, 3, 2), "ROWS": whole(3, 2), "PLACES": whole(4, 3, 4), "FLAT": whole(12, 5),
        "COUNTS": whole(5, 9), "SORTED": np.sort(normal(4)), "BATCH_MASK": normal(2, 3, 4) > 0,
        "IMG": normal(2, 4, 8, 8), "SEQ": normal(2, 4, 10), "VOL": normal(2, 4, 6, 6, 6),
        "TOKENS": whole(5, 5, 3),
        "LOGITS": logits, "LABELS": whole(7, 5),
        "LOGP": np.log(np.exp(logits) / np.exp(logits).sum(1, keepdims=True)),
        "SIGN": np.where(normal(3, 4) > 0, 1.0, -1.0).astype(np.float32), "BITS": (x > 0).astype(np.float32),
        "SIGN3": np.array([1.0, -1.0, 1.0], np.float32), "K2": normal(6, 4, 3, 3), "K1": normal(6, 4, 3),
        "KV": normal(6, 4, 3, 3, 3), "KT2": normal(4, 6, 3, 3), "KT1": normal(4, 6, 3), "BIAS6": normal(6),
        "W54": normal(5, 4), "BIAS5": normal(5), "GAIN": between(4), "SHIFT": normal(4),
        "ZERO4": np.zeros(4, np.float32),
        "ONE4": np.ones(4, np.float32), "TABLE": normal(5, 6), "GRID": (between(2, 5, 5, 2) * 2 - 1),
        "THETA": normal(2, 2, 3),
        "STEPS": normal(5, 2, 4), "H26": normal(2, 6), "X24": normal(2, 4), "PAIRS": normal(3, 2),
        "X2": normal(2, 4), "ONCE": np.argsort(draw.rand(3, 4), axis=1),
    }  # fmt: skip


def calls() -> list[tuple[str, tuple[str, ...]]]:
    """All samples: an expression, and the inputs of the layer that it makes, if it makes one."""
    lines = _SAMPLES.read_text(encoding="utf-8").splitlines()[1:]
    return [(call, tuple(inputs.split())) for call, _, inputs in (line.partition("\t") for line in lines)]
