"""The libraries whose private parts the server replaces at start-up: bounded, and tested as they are.

Where a test fails, a library has moved: run the tests of ``tests/lsp`` with its release, then raise the
upper bound and the release of the extra ``dev`` in ``pyproject.toml`` together.
"""

from __future__ import annotations

import ast
import inspect
import sys
from importlib.metadata import version
from pathlib import Path

import lsprotocol._hooks
import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from pygls.protocol import LanguageServerProtocol

from gpu2ascend.lsp.startup import protocol

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

PATCHED = ("attrs", "lsprotocol", "pygls")
PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BOUNDS = {item.name: item.specifier for item in map(Requirement, PROJECT["dependencies"])}
DEV = {item.name: item.specifier for item in map(Requirement, PROJECT["optional-dependencies"]["dev"])}
TESTED = {name: next(iter(DEV[name])).version for name in PATCHED}
OWNERS = ("self", "super()")


@pytest.mark.parametrize("name", PATCHED)
def test_the_tests_run_with_the_release_that_is_named(name: str) -> None:
    assert version(name) == TESTED[name]


@pytest.mark.parametrize("name", PATCHED)
def test_users_get_no_release_after_the_tested_series(name: str) -> None:
    tested = Version(TESTED[name])
    assert tested in BOUNDS[name]
    assert Version(f"{tested.major + 1}") not in BOUNDS[name]


def test_pygls_has_every_private_name_that_the_protocol_uses() -> None:
    ours = next(
        cls
        for _, cls in inspect.getmembers(protocol, inspect.isclass)
        if issubclass(cls, LanguageServerProtocol) and cls is not LanguageServerProtocol
    )
    names = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(ours)))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in OWNERS
    ]
    own = {
        *vars(ours),
        *ours.__annotations__,
        *(node.attr for node in names if isinstance(node.ctx, ast.Store)),
    }
    used = {node.attr for node in names if node.attr.startswith("_")} - own
    assert used and used <= _names_of(LanguageServerProtocol)


def _names_of(cls: type) -> set[str]:
    """Names that a class of pygls and its bases have, those of their objects included."""
    texts = [inspect.getsource(base) for base in cls.__mro__ if base.__module__.startswith("pygls")]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    return set(dir(cls)) | {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def test_lsprotocol_has_the_flag_that_keeps_its_classes_lazy() -> None:
    assert lsprotocol._hooks._resolved_forward_references in (True, False)
