"""``python -m tools.mindspore_tables.mint PAIRS.tsv``: make the table of ``mindspore.mint`` anew.

That package has torch's names and arguments. Most of it computes on Ascend only, so that a row is written
where the parameters have torch's names and defaults, and no sample that runs on the CPU refutes it; it is
verified where samples agree.
"""

from __future__ import annotations

import argparse
import csv
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mindspore

from gpu2ascend_mindspore.correspondences.signature import Parameter, Signature, read_signature
from gpu2ascend_mindspore.correspondences.table import entries

from .build import COLUMNS, Builder, Judged
from .prove import Row
from .running import Agreement
from .signatures import found, signatures

TABLE = Path(__file__).parents[2] / "rules" / "gpu2ascend_mindspore" / "data" / "mindspore_mint_apis.tsv"
_PREFIX = "mindspore.mint."
_LEFT_OUT = ("mindspore.mint.distributed.", "mindspore.mint.optim.")
"""What is written for these is the same without the option."""
_DROPPED = frozenset({"inplace", "layout", "device", "pin_memory", "memory_format"})
_MISTAKES = ("TypeError", "ValueError", "AttributeError", "KeyError", "NameError")
"""Errors of a call that is wrong; any other is that of a kernel that the CPU lacks."""
_SINCE = {"mint.vdot": "2.10.0"}
"""The first release of names that not every release has (``sources/names.tsv``)."""


def main() -> int:
    """Write the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.mindspore_tables.mint", description=__doc__)
    parser.add_argument("pairs", type=Path)
    with parser.parse_args().pairs.open(encoding="utf-8", newline="") as file:
        pairs = sorted(
            {
                (row["torch_api"], row["mindspore_api"])
                for row in csv.DictReader(file, delimiter="\t")
                if row["mindspore_api"].startswith(_PREFIX)
                and not row["mindspore_api"].startswith(_LEFT_OUT)
                and not row["torch_api"].endswith("_")  # in place, without effect on the CPU
            }
        )
    builder = Builder({})
    builder.table = {api: list(forms) for api, forms in entries().items()}
    rows = [row for api, target in pairs for row in _rows(builder, api, target)]
    lines = ["\t".join(COLUMNS), *("\t".join(row[column] for column in COLUMNS) for row in rows)]
    TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(rows)} rows of {len(pairs)} pairs, {sum(row['verified'] == 'yes' for row in rows)} verified")
    return 0


def _rows(builder: Builder, api: str, target: str) -> Iterator[Row]:
    """The rows of a pair of names that nothing refutes."""
    for row in _proposed(api, target.removeprefix("mindspore.")):
        judged = builder.judge(api, [row])
        if _is_refuted(judged):
            print(f"refuted: {api}({row['parameters']}): {_reasons(judged)}")
            continue
        yield {**row, "verified": "yes" if judged.agreeing and not judged.refuted else "no"}


def _is_refuted(judged: Judged) -> bool:
    return any(
        proof.outcome is not None
        and (proof.outcome.agreement is Agreement.DIFFERS or proof.outcome.detail.startswith(_MISTAKES))
        for proof in judged.refuted
    )


def _reasons(judged: Judged) -> str:
    return "; ".join(f"{one.sample}: {one.outcome.detail}" for one in judged.refuted if one.outcome)


def _proposed(api: str, target: str) -> Iterator[Row]:
    """A row for each form of an API whose parameters its counterpart has, too."""
    value: Any = mindspore
    for name in target.split("."):
        value = getattr(value, name, None)
    try:
        theirs = inspect.signature(value).parameters
        forms = signatures(api)
        found(api)
    except (AttributeError, TypeError, ValueError):
        print(f"no signature: {api} or {target}")
        return
    for text in forms:
        signature = read_signature(text)
        template = _template(signature, target, dict(theirs))
        if template is None:
            print(f"other parameters: {api}({text})")
            continue
        dropped = " ".join(
            one.name
            for one in signature.parameters
            if one.name in _DROPPED and f"={one.name}" not in template
        )
        yield {
            "api": api, "parameters": text, "target": template, "dropped": dropped,
            "since": _SINCE.get(target, ""), "verified": "no", "note": "",
        }  # fmt: skip


def _template(signature: Signature, target: str, theirs: dict[str, inspect.Parameter]) -> str | None:
    written: list[str] = []
    by_position = True
    for one in signature.parameters:
        other = theirs.get(one.name)
        by_position = by_position and one.default is None and one.by_position
        if other is None:
            if one.default is None:
                return None
        elif one.collects:
            is_same = other.kind is inspect.Parameter.VAR_POSITIONAL
            written.append(f"*{one.name}" if is_same else f"packed({one.name})")
        elif not _has_same_default(one, other):
            return None
        else:
            written.append(one.name if by_position else f"{one.name}={one.name}")
    needed = [
        name
        for name, other in theirs.items()
        if other.default is other.empty and other.kind not in (other.VAR_POSITIONAL, other.VAR_KEYWORD)
    ]
    if any(signature.named(name) is None for name in needed):
        return None
    if any(other.kind is other.VAR_KEYWORD for other in theirs.values()):
        return None
    return f"{target}({', '.join(written)})"


def _has_same_default(one: Parameter, other: inspect.Parameter) -> bool:
    if one.default is None or other.default is other.empty:
        return one.default is None
    ours = repr(other.default)
    return one.default in (ours, str(other.default)) or (
        (number := _number(ours)) is not None and _number(one.default) == number
    )


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


if __name__ == "__main__":
    raise SystemExit(main())
