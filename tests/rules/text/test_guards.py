"""Code that expects a name to be missing."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.guards import (
    gives_up,
    is_expected_missing,
    is_for_types,
    is_guarded,
    is_version_dependent,
    known_at,
)
from gpu2ascend_rules.text.source_file import SourceFile


@pytest.mark.parametrize(
    ("text", "guarded", "for_types"),
    [
        ("import apex\n", False, False),
        ("try:\n    import apex\nexcept ImportError:\n    apex = None\n", True, False),
        ("try:\n    import apex\nfinally:\n    pass\n", False, False),
        ("with suppress(ImportError):\n    import apex\n", True, False),
        ("with suppress(KeyError):\n    import apex\n", False, False),
        ("if TYPE_CHECKING:\n    import apex\n", True, True),
        ("if typing.TYPE_CHECKING:\n    import apex\n", True, True),
        ("if fused:\n    import apex\n", False, False),
    ],
)
def test_an_import(text: str, guarded: bool, for_types: bool) -> None:
    source = SourceFile(text)
    statement = next(item.statement for item in source.names.imports)
    assert (is_guarded(statement), is_for_types(statement, source)) == (guarded, for_types)


@pytest.mark.parametrize(
    ("handler", "guarded"),
    [
        ("import spconv", False),
        ("from spconv.core import ops", False),
        ("import numpy as spconv", True),
        ("from . import spconv", False),
    ],
)
def test_a_handler_that_imports_the_same_package_again_needs_it(handler: str, guarded: bool) -> None:
    source = SourceFile(f"try:\n    import spconv.pytorch as spconv\nexcept ImportError:\n    {handler}\n")
    tried, again = (item.statement for item in source.names.imports)
    assert (is_guarded(tried), is_guarded(again)) == (True, guarded)


@pytest.mark.parametrize(
    ("tried", "handler", "guarded"),
    [
        ("from networks.warp import Warp", "from .networks.warp import Warp", False),
        ("from .networks.warp import Warp", "from app.networks.warp import Warp", False),
        ("from networks import warp", "from .networks import warp", False),
        ("from networks.warp import Warp", "from .fallback import Warp", True),
        ("from . import warp", "from .fallback import warp", True),
        ("from torch.amp import autocast", "from contextlib import autocast", True),
    ],
)
def test_a_handler_that_imports_the_same_module_by_another_path_needs_it(
    tried: str, handler: str, guarded: bool
) -> None:
    source = SourceFile(f"try:\n    {tried}\nexcept ImportError:\n    {handler}\n")
    *_, again = (item.statement for item in source.names.imports)
    assert is_guarded(again) is guarded


@pytest.mark.parametrize(
    ("arms", "expected"),
    [
        ("if a:\n    raise A\nelse:\n    raise B\n", True),
        ("if a:\n    raise A\nelif b:\n    go()\nelse:\n    raise B\n", False),
        ("if a:\n    raise A\nelif b:\n    raise B\n", False),
        ("if a:\n    raise A\nelse:\n    if b:\n        raise B\n    else:\n        exit(1)\n", True),
    ],
)
def test_a_block_gives_up_where_every_way_of_its_last_choice_does(arms: str, expected: bool) -> None:
    assert gives_up(SourceFile(f"{arms}").root) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s = new() if TORCH_GE_2_3 else old()\n", True),
        ("s = new() if hasattr(torch.amp, 'GradScaler') else old()\n", True),
        ("if torch.__version__ >= '2.3':\n    s = new()\n", True),
        ("if fp16:\n    s = new()\n", False),
        ("s = new()\n", False),
    ],
)
def test_a_choice_by_version(text: str, expected: bool) -> None:
    node = next(iter(SourceFile(text).identifiers("new")))
    assert is_version_dependent(node) is expected


@pytest.mark.parametrize(
    "text",
    [
        "if hasattr(lib.sub, 'name'):\n    lib.sub.name()\n",
        "y = lib.name() if hasattr(lib, 'name') else None\n",
        "hasattr(lib, 'name') and lib.name()\n",
        "not hasattr(lib, 'name') or lib.name()\n",
        "if hasattr(lib, 'other'):\n    lib.other()\nelse:\n    lib.name()\n",
        "if not hasattr(lib, 'name'):\n    pass\nelse:\n    lib.name()\n",
        "def f():\n    if not hasattr(lib, 'name'):\n        return\n    lib.name()\n",
        "for x in y:\n    if not hasattr(lib, 'name'):\n        continue\n    lib.name(x)\n",
        "assert hasattr(lib, 'name')\nlib.name()\n",
        "HAS = hasattr(lib, 'name')\nif HAS:\n    lib.name()\n",
        "def has():\n    return hasattr(lib, 'name')\nif has():\n    lib.name()\n",
        "if getattr(lib, 'name', None) is not None:\n    lib.name()\n",
        "NEW = version.parse(lib.__version__) >= version.parse('2')\nif not NEW:\n    lib.name()\n",
        "if lib.__version__ < '2':\n    lib.name()\nelse:\n    pass\n",
        "try:\n    lib.name()\nexcept AttributeError:\n    pass\n",
        "try:\n    f = new\nexcept (ImportError, AttributeError) as e:\n    f = lib.name\n",
        "try:\n    f = lib.name\nexcept Exception:\n    f = None\n",
    ],
)
def test_a_name_whose_absence_is_thought_of(text: str) -> None:
    assert _is_expected(text)


@pytest.mark.parametrize(
    "text",
    [
        "lib.name()\n",
        "if hasattr(lib, 'other'):\n    lib.name()\n",
        "if not hasattr(lib, 'name'):\n    lib.name()\n",
        "if hasattr(lib, 'name'):\n    pass\nlib.name()\n",
        "if hasattr(lib, 'name'):\n    pass\nelse:\n    lib.name()\n",
        "HAS = hasattr(lib, 'name')\nif not HAS:\n    lib.name()\n",
        "if fast:\n    lib.name()\n",
        "try:\n    lib.name()\nexcept KeyError:\n    pass\n",
        "try:\n    a()\n    b()\n    c()\n    lib.name()\nexcept Exception:\n    pass\n",
        "try:\n    lib.name()\nfinally:\n    close()\n",
    ],
)
def test_a_name_whose_absence_is_not_thought_of(text: str) -> None:
    assert not _is_expected(text)


def _is_expected(text: str) -> bool:
    source = SourceFile(text)
    used = [node for node in source.identifiers("name") if node.parent and node.parent.type == "attribute"]
    return is_expected_missing(used[-1].parent, source)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("if a:\n    x\n", [("a", True)]),
        ("if a:\n    pass\nelse:\n    x\n", [("a", False)]),
        ("if a:\n    pass\nelif b:\n    x\n", [("b", True)]),
        ("y = x if a else z\n", [("a", True)]),
        ("y = a or x\n", [("a", False)]),
        ("assert a\nif b:\n    raise E\nx\nassert c\n", [("a", True), ("b", False)]),
    ],
)
def test_what_is_known_where_a_child_of_a_node_runs(text: str, known: list[tuple[str, bool]]) -> None:
    source = SourceFile(text)
    inner = source.identifiers("x")[0]
    while (parent := inner.parent) is not None and not (found := list(known_at(inner, parent))):
        inner = parent
    assert [(source.text_of(condition), holds) for condition, holds in found] == known
