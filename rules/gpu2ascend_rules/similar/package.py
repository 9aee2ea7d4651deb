"""The files of the package of equivalents, for the parts that a project uses."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from . import MODULE, PACKAGE
from .assemble import assemble
from .replacements import FORMULAS, replacements

_README = Path(__file__).parent / "readme"
_INIT = '"""Equivalents of APIs that torch_npu lacks, put here by gpu2ascend; see README.md."""\n'


def package_files(parts: Collection[str], language: str) -> dict[str, str]:
    """The text of each file by its name below the package's directory.

    Raises:
        UnknownPartError: a part does not exist.
    """
    readme = (_README / f"{language}.md").read_text(encoding="utf-8")
    return {
        "__init__.py": _INIT,
        f"{MODULE}.py": assemble(parts),
        "README.md": readme.replace("{table}", "\n".join(_rows(parts))),
    }


def _rows(parts: Collection[str]) -> list[str]:
    """A row of the table for each equivalent, with the API by its shortest name."""
    apis: dict[str, str] = {}
    for api, candidates in replacements().items():
        for name in {item.name for item in candidates if item.part in parts}:
            apis[name] = min(apis.get(name, api), api, key=len)
    apis.update((item.name, item.written_out) for part, item in FORMULAS.items() if part in parts)
    return [f"| `{MODULE}.{name}` | `{api}` |" for name, api in sorted(apis.items())]


__all__ = ["MODULE", "PACKAGE", "package_files"]
