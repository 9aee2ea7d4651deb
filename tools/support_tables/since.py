"""The build of torch_npu since which there is a name or an operator, where builds for one PyTorch differ.

    PYTHONPATH=rules python -m tools.support_tables.since WHEEL ...

The wheels are those of the index from the build that has a documented CANN up to the newest one of each
PyTorch. A name that the oldest of them has needs no row.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from packaging.version import Version as Release

from gpu2ascend_rules.model.versions import choose_version

from .collect.add_wheel import public_names
from .collect.operators import registered_operators
from .collect.wheel import Wheel

TABLE = Path(__file__).parents[2] / "rules" / "gpu2ascend_rules" / "data" / "npu_since.tsv"
OPERATORS = "torch.ops.aten"
_HEAD = (
    "# The build of torch_npu since which there is a name or an operator, where builds for one PyTorch\n"
    "# differ. Made by tools/support_tables/since.py from the wheels of the package index.\n"
    "name\ttorch\tbuild\n"
)


def rows(wheels: Iterable[Wheel]) -> Iterator[tuple[str, str, str]]:
    """Name, PyTorch version and build of what some wheels of a version have and older ones lack."""
    by_version: dict[str, list[Wheel]] = defaultdict(list)
    for wheel in sorted(wheels, key=lambda wheel: Release(wheel.version)):
        by_version[str(choose_version(wheel.version).version)].append(wheel)
    for torch, builds in by_version.items():
        before = _offered(builds[0])
        for build in builds[1:]:
            offered = _offered(build)
            yield from ((name, torch, build.version) for name in sorted(offered - before))
            before |= offered


def _offered(wheel: Wheel) -> set[str]:
    names = {f"{module}.{name}" for module, name, _ in public_names(wheel)}
    return names | {f"{OPERATORS}.{name.partition('.')[0]}" for name in registered_operators(wheel)}


def main(arguments: Sequence[str]) -> None:
    """Write the table."""
    found = sorted(rows(Wheel(Path(argument)) for argument in arguments))
    TABLE.write_text(_HEAD + "".join("\t".join(row) + "\n" for row in found), "utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
