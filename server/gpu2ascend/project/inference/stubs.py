"""The stub package of torch in a folder of the worker that infers types."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend_rules.facts import Facts
from gpu2ascend_rules.hosting import stub_modules


def write_stubs(folder: Path, facts: Facts) -> None:
    """Write the stub package of torch below a folder."""
    for module, text in stub_modules(facts):
        root, *parts = module.split(".")
        below = folder.joinpath(f"{root}-stubs", *parts)  # found before any module of that name (PEP 561)
        below.mkdir(parents=True, exist_ok=True)
        below.joinpath("__init__.pyi").write_text(text, encoding="utf-8")
