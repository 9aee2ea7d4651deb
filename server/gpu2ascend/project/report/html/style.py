"""The style sheet of the page, and the policy that allows it and nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

LIGHT: Mapping[str, str] = {
    "ground": "#f5f6f8",
    "panel": "#ffffff",
    "sunken": "#eef0f4",
    "line": "#d5dae2",
    "text": "#1b2330",
    "faint": "#566072",
    "accent": "#0b57b5",
    "focus": "#0b57b5",
    "troubled": "#7b4397",
    "blocked": "#b3261e",
    "open": "#8a5a00",
    "migrated": "#17693f",
    "untouched": "#5f6979",
    "removed": "#fdeceb",
    "removed-strong": "#f6c6c2",
    "added": "#e6f5ec",
    "added-strong": "#b4e2c6",
}
DARK: Mapping[str, str] = {
    "ground": "#12161d",
    "panel": "#1a202a",
    "sunken": "#232b37",
    "line": "#384252",
    "text": "#e5eaf1",
    "faint": "#a7b1c1",
    "accent": "#82b4ff",
    "focus": "#9cc4ff",
    "troubled": "#cd9fe6",
    "blocked": "#ff9a92",
    "open": "#f0bc62",
    "migrated": "#74d19b",
    "untouched": "#93a0b3",
    "removed": "#3a2023",
    "removed-strong": "#6b2c31",
    "added": "#17301f",
    "added-strong": "#245c3a",
}
STATES = ("troubled", "blocked", "open", "migrated", "untouched")
"""The colours of states, as text on panels, and as the ground of text in the colour of panels."""


def variables(palette: Mapping[str, str]) -> str:
    """The colours as declarations of a style sheet."""
    return "".join(f"--{name}:{value};" for name, value in palette.items())


@cache
def style_sheet() -> str:
    """The whole style sheet."""
    rules = files(__package__).joinpath("page.css").read_text(encoding="utf-8")
    light, dark = variables(LIGHT), variables(DARK)
    return (
        f":root{{color-scheme:light;{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root{{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root:has(#theme-light:checked){{color-scheme:light;{light}}}\n"
        f":root:has(#theme-dark:checked),"
        f":root:has(.vscode-dark,.vscode-high-contrast):has(#theme-system:checked){{color-scheme:dark;{dark}}}\n"
        f":root:has(.vscode-light,.vscode-high-contrast-light):has(#theme-system:checked)"
        f"{{color-scheme:light;{light}}}}}\n{rules}"
    )


@cache
def content_policy() -> str:
    """What a browser may load for the page: this style sheet, and nothing from anywhere."""
    digest = base64.b64encode(hashlib.sha256(style_sheet().encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
