"""Write `dist/ThirdPartyNotices.txt`: every component in the .vsix that others made, with its licence.

    python scripts/notices.py

Runs on the bundle of one platform, after `bundle.py` and `esbuild.mjs`, which writes the part of JavaScript.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from bundle import EXTENSION, LIBS

DIST = EXTENSION / "dist"
OWN = ("gpu2ascend", "gpu2ascend-mindspore", "gpu2ascend-rules", "gpu2ascend-simulator")
RULE = f"\n\n{'-' * 80}\n\n"
_LICENCE = re.compile(r"(^|/)(LICEN[CS]E|COPYING|NOTICE)[^/]*$", re.IGNORECASE)
_WITHIN = ("jedi/third_party/typeshed",)
"""Components that another one holds."""
_MODULES = ("attr", "cattr")
"""Modules that are not called as their component is."""


class Component(NamedTuple):
    """Something in the bundle that others made."""

    name: str
    version: str
    licence: str
    """As its metadata calls it."""
    texts: tuple[str, ...]
    """The licences in full."""

    @property
    def title(self) -> str:
        """The line that names it."""
        return " ".join(filter(None, (self.name, self.version, f"({self.licence})")))


def components(libs: Path) -> list[Component]:
    """Every component of the bundle.

    Raises:
        SystemExit: one has no licence text, or something in the bundle belongs to no component.
    """
    metadata = sorted(libs.glob("*.dist-info"))
    found = [_component(folder) for folder in metadata if not folder.name.startswith("gpu2ascend-")]
    found += [_part(libs, place) for place in _WITHIN if (libs / place).is_dir()]
    without = [component.name for component in found if not component.texts]
    if without:
        raise SystemExit(f"no licence: {', '.join(without)}")
    known = {_normal(part.name) for part in found} | {*OWN, *_MODULES}
    entries = (entry for entry in libs.iterdir() if entry.suffix != ".dist-info")
    nobodys = sorted(entry.name for entry in entries if _normal(entry.stem) not in known)
    if nobodys:
        raise SystemExit(f"of no component: {', '.join(nobodys)}")
    return found


def notices(libs: Path, javascript: str) -> str:
    """The whole text: a list of all components, then the licences in full."""
    parts = components(libs)
    listed = [part.title for part in parts]
    listed += [text.partition("\n")[0] for text in javascript.split(RULE) if text]
    head = "\n".join(["This extension contains:", "", *sorted(listed, key=str.lower)])
    texts = ["\n\n".join([part.title, *part.texts]) for part in parts]
    return RULE.join([head, *texts, javascript])


def _component(folder: Path) -> Component:
    head = (folder / "METADATA").read_text(encoding="utf-8").split("\n\n", 1)[0]
    fields = dict(re.findall(r"^([\w-]+): (.+)$", head, re.MULTILINE))
    classified = re.findall(r"^Classifier: License :: (?:OSI Approved :: )?(.+)$", head, re.MULTILINE)
    licence = fields.get("License-Expression") or fields.get("License") or ", ".join(classified)
    return Component(fields["Name"], fields["Version"], licence or "see below", _texts(folder))


def _part(libs: Path, place: str) -> Component:
    owner, name = place.split("/")[0], place.rsplit("/", 1)[1]
    return Component(f"{name} (in {owner})", "", "see below", _texts(libs / place))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _texts(folder: Path) -> tuple[str, ...]:
    files = (file for file in sorted(folder.rglob("*")) if file.is_file())
    return tuple(
        file.read_text(encoding="utf-8", errors="replace").strip()
        for file in files
        if _LICENCE.search(file.as_posix())
    )


def main() -> None:
    """Write the notices of the bundle that is there."""
    javascript = (DIST / "JavaScriptNotices.txt").read_text(encoding="utf-8")
    (DIST / "ThirdPartyNotices.txt").write_text(notices(LIBS, javascript), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
