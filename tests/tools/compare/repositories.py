"""A small repository in which a product, its worker and its programs are a few lines each."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools.compare.sides import WORKER

PRODUCT = Path("rules/product.py")


def write(root: Path, path: Path, text: str) -> None:
    """Write a file of a repository, whether or not its folder exists."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def commit(root: Path, product: str, worker: str) -> None:
    """Commit a product and its worker; the repository is made if there is none."""
    write(root, PRODUCT, product)
    write(root, WORKER, worker)
    identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
    for step in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "one"]):
        subprocess.run(["git", *step], cwd=root, check=True)
