"""The tables of what ``transfer_to_npu`` replaces, made from what was read in the wheels of torch_npu.

    python -m tools.transfer_tables FOLDER

The folder holds ``analysis/transfer-to-npu.tsv``: one row for each statement of the file that replaces a
name, ``patched`` and ``how``, and a column for each wheel. The rules and the simulated torch_npu read the
same table. The other table of ``--auto``, ``transfer_reach.tsv``, is judgement
and written by hand.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).parents[1]
OF_RULES = TOP / "rules" / "gpu2ascend_rules" / "data" / "transfer_patched.tsv"
OF_SIMULATOR = TOP / "server" / "gpu2ascend_simulator" / "transfer" / "patched.tsv"
_COLUMNS = "name\thow\treleases\n"
_HEAD = (
    "# What transfer_to_npu of a release of torch_npu replaces, as read in the wheels. The simulated one\n"
    "# has the same table. Made by `python -m tools.transfer_tables`; not edited by hand.\n"
)
_OUTSIDE = re.compile(
    r".*\(\)$"  # helpers, which replace what other rows name
    r"|torch\.(_C|_dynamo|_inductor|_utils)\..*"  # torch's own inside, which no project names
    r"|torch\.cuda\.memory\._.*|(torch\.npu|torch_npu)\..*"  # private ones, and those of torch_npu
    r"|filesystem.*|torch\.distributed\.checkpoint\..*"  # loading checkpoints, whose meaning stays
    r"|torch\.utils\.cpp_extension.*|torch\.utils\.data\.DataLoader\..*"  # reported by their own rules
)
"""Names that the tables leave out."""
_KINDS = (
    (r"device argument rewritten", "device"),
    (r"= _compose_wrappers\(_wrapper_cuda, _wrapper_hccl\)\(.*", "both"),
    (r"= _wrapper_cuda\(torch\.UntypedStorage\.__new__\)", "new"),
    (r"= (_wrapper_cuda|_patch_(is|set)_autocast_enabled)\(.*", "device"),
    (r"= _wrapper_hccl\(.*", "backend"),
    (r"= _EventProxy", "event"),
    (r"= _GeneratorProxy", "generator"),
    (r"= _wrapper_profiler\(.*", "= torch_npu.profiler.profile"),
    (r"= _patch_has_triton", "never"),
    (r"= torch.*", ""),
)
"""What a statement does, by its text; the text itself if nothing is named."""


class UnknownStatementError(ValueError):
    """A row replaces a name in a way that the tables have no word for."""


class Replaced(NamedTuple):
    """A row of the table."""

    name: str
    how: str
    releases: str


def replaced(rows: Sequence[Mapping[str, str]]) -> list[Replaced]:
    """The rows of the table, by name.
    Raises UnknownStatementError: a statement is of no kind that is known."""
    found = []
    for row in rows:
        name, how, *wheels = row.values()
        if _OUTSIDE.fullmatch(name):
            continue
        kind = "generator" if name == "torch.Generator" else _kind(how)
        spans = ",".join(_spans(dict(zip(list(row)[2:], wheels, strict=True))))
        if spans:
            found.append(Replaced(name, kind, spans))
    return sorted(found)


def table_text(rows: Sequence[Replaced]) -> str:
    """The table without what stands above it."""
    return _COLUMNS + "".join("\t".join(row) + "\n" for row in rows)


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a table of facts, by column."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def _kind(how: str) -> str:
    for pattern, kind in _KINDS:
        if re.fullmatch(pattern, how):
            return kind or how
    message = f"{how!r} is no way of replacing a name that the tables know"
    raise UnknownStatementError(message)


def _spans(wheels: Mapping[str, str]) -> Iterator[str]:
    """The versions of torch whose newest wheel has a row, such as ``2.1.0`` and ``2.5.1-``."""
    newest = {wheel.partition(".post")[0]: mark == "yes" for wheel, mark in wheels.items()}
    *_, last = newest
    for has, group in groupby(newest, key=newest.__getitem__):
        versions = list(group)
        if has and versions[-1] == last:
            yield f"{versions[0]}-"
        elif has:
            yield versions[0] if len(versions) == 1 else f"{versions[0]}-{versions[-1]}"


def main(arguments: Sequence[str]) -> None:
    """Writes both tables from the folder of facts."""
    [folder] = arguments
    table = table_text(replaced(read_rows(Path(folder) / "analysis" / "transfer-to-npu.tsv")))
    OF_RULES.write_text(_HEAD + table, encoding="utf-8", newline="\n")
    OF_SIMULATOR.write_text(table, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
