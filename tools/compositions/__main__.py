"""``python -m tools.compositions``: writes ``data/compositions.tsv`` from the PyTorch that is installed.

PyTorch's own samples come from ``torch.testing``, which needs the package expecttest, and SciPy for some.
"""

from __future__ import annotations

from pathlib import Path

from .samples import samples
from .trace import Composition, compositions

TABLE = Path(__file__).parents[2] / "rules" / "gpu2ascend_rules" / "data" / "compositions.tsv"
_HEAD = (
    "# The operators of PyTorch that the functions and classes below torch compute by, without those",
    "# that are made of others on every device. Made by `python -m tools.compositions`; not edited by hand.",
    "api\talways\tsometimes",
)


def table(found: dict[str, Composition]) -> str:
    """The rows as text, sorted by name."""
    rows = (
        f"{name}\t{' '.join(sorted(made_of.always))}\t{' '.join(sorted(made_of.sometimes))}"
        for name, made_of in sorted(found.items())
    )
    return "".join(f"{line}\n" for line in (*_HEAD, *rows))


if __name__ == "__main__":
    TABLE.write_text(table(compositions(samples())), encoding="utf-8")
