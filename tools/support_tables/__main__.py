"""``python -m tools.support_tables``: the packed tables from public sources, in two steps."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpu2ascend_rules.model.versions import choose_version

from .collect.add_documents import add_documents
from .collect.add_torch import add_torch
from .collect.add_wheel import add_wheel, differences
from .collect.wheel import Wheel
from .pack import packed_tables
from .summary import summary
from .unpack import unpack_tables

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "rules" / "gpu2ascend_rules" / "facts" / "packed"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit code."""
    parsed = _parser().parse_args(arguments)
    code: int = parsed.run(parsed)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tools.support_tables", description=__doc__)
    commands = parser.add_subparsers(required=True)

    unpack = commands.add_parser("unpack", help="write the facts that there are as TSV files")
    unpack.set_defaults(run=_unpack)

    collect = commands.add_parser("collect", help="step one: enter public sources into the TSV files")
    collect.add_argument("--torch", type=Path, metavar="WHEEL", help="a PyTorch wheel, for torch.cuda")
    collect.add_argument(
        "--wheel", type=Path, metavar="WHEEL", action="append", default=[], help="a torch_npu wheel"
    )
    collect.add_argument(
        "--documents", nargs=3, metavar=("VERSION", "FOLDER", "SOURCE"), action="append", default=[],
        help="the support pages of a PyTorch version, and the name of the source that rows get",
    )  # fmt: skip
    collect.set_defaults(run=_collect)

    differ = commands.add_parser("compare", help="check a version's facts against a torch_npu wheel")
    differ.add_argument("wheel", type=Path)
    differ.set_defaults(run=_compare)

    pack = commands.add_parser("pack", help="step two: pack the TSV files, and print what that changes")
    pack.add_argument("--dry-run", action="store_true", help="only print")
    pack.add_argument("--limit", type=int, default=20, help="how many names of a kind to print (20)")
    pack.set_defaults(run=_pack)

    for command in (unpack, collect, differ, pack):
        command.add_argument("folder", type=Path, help="the folder of TSV files")
    return parser


def _unpack(arguments: argparse.Namespace) -> int:
    unpack_tables(_packaged(), arguments.folder)
    return 0


def _collect(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder
    if arguments.torch is not None:
        print(
            "\n".join(f"new below torch.cuda: {name}" for name in add_torch(folder, Wheel(arguments.torch)))
        )
    for wheel in arguments.wheel:
        undecided = add_wheel(folder, Wheel(wheel))
        for line in undecided.unknown_members:
            print(f"{wheel.name} does not show it, so as before: {line}")
        for line in undecided.candidates:
            print(f"{wheel.name} may have a counterpart; if so, enter it by hand: {line}")
    for version, pages, source in arguments.documents:
        count = add_documents(folder, choose_version(version).version, Path(pages), source)
        print(f"{version}: {count} APIs")
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    found = list(differences(arguments.folder, Wheel(arguments.wheel)))
    for line in found:
        print(line)
    return 1 if found else 0


def _pack(arguments: argparse.Namespace) -> int:
    tables = packed_tables(arguments.folder)
    for line in summary(_packaged(), tables, arguments.limit):
        print(line)
    if not arguments.dry_run:
        for name, data in tables.items():
            (PACKAGE / name).write_bytes(data)
    print(f"{sum(map(len, tables.values())):,} bytes in all")
    return 0


def _packaged() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in PACKAGE.glob("*.tsv")}


if __name__ == "__main__":
    raise SystemExit(main())
