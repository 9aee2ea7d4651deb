"""``python -m tools.cuda_operators FACTS MMCV WHEEL...``: writes the tables of CUDA operators."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .build import TABLES, SourceError, tables


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.cuda_operators", description=__doc__)
    parser.add_argument("facts", type=Path, help="the collected rows: cuda-ops-to-npu.tsv")
    parser.add_argument("mmcv", type=Path, help="a clone of open-mmlab/mmcv with the branches main and 1.x")
    parser.add_argument("wheels", type=Path, nargs="+", help="wheels of mx-driving, one for each build")
    parsed = parser.parse_args(arguments)
    try:
        texts = tables(parsed.facts, parsed.mmcv, parsed.wheels)
    except SourceError as error:
        print(error, file=sys.stderr)
        return 1
    for name, text in texts.items():
        (TABLES / f"{name}.tsv").write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
