"""``explain`` for a package of others, as text for a terminal."""

from __future__ import annotations

from gpu2ascend_rules.facts.packages.third_party import PackageVerdict

from ...texts.package_page import package_lines, status_text
from ..session import Session

_COLOURS = {
    "works": "green",
    "plain": "green",
    "no": "red",
    "replaced": "yellow",
    "part": "yellow",
    "cpu": "yellow",
}


def print_package(verdict: PackageVerdict, session: Session) -> None:
    """Print the page."""
    texts, out = session.texts, session.out
    out.line(verdict.name, "bold")
    out.line(status_text(verdict, texts), _COLOURS.get(verdict.status, "dim"))
    out.page(package_lines(verdict, texts))
