"""The files of the package of equivalents, for the parts that a project uses."""

from __future__ import annotations

from collections.abc import Collection

from ..targets.helpers import NPU, Home
from .assemble import home_of, modules, stand_ins
from .replacements import FORMULAS, replacements


def package_files(parts: Collection[str], language: str) -> dict[str, str]:
    """The text of each file by its name below the directory of the package that the parts belong to.
    Raises UnknownPartError: a part does not exist."""
    home = home_of(parts)
    readme = (home.folder / "readme" / f"{language}.md").read_text(encoding="utf-8")
    return {
        "__init__.py": f'"""{home.package_about}"""\n',
        **{f"{name}.py": text for name, text in modules(parts).items()},
        "README.md": readme.replace("{table}", "\n".join(_rows(home, parts))),
    }


def _rows(home: Home, parts: Collection[str]) -> list[str]:
    """A row of the table for each equivalent, with the API by its shortest name."""
    if home is not NPU:
        return [
            f"| `{home.module}.{api.rpartition('.')[2]}` | `{api}` |"
            for api, part in stand_ins(home).items()
            if part in parts
        ]
    apis: dict[str, str] = {}
    for api, candidates in replacements().items():
        for name in {item.name for item in candidates if item.part in parts}:
            apis[name] = min(apis.get(name, api), api, key=len)
    apis.update((item.name, item.written_out) for part, item in FORMULAS.items() if part in parts)
    return [f"| `{home.module}.{name}` | `{api}` |" for name, api in sorted(apis.items())]
