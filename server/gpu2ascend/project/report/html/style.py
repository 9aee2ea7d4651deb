"""The style sheet of the page, and the policy that allows it and nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from .colours import DARK, LIGHT, variables


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
