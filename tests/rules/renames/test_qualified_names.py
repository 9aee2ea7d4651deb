"""A name becomes another wherever it is used or imported, and nothing that reads it is left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpu2ascend_rules.edits.fix_edits import ClaimedPlaces, distinct_edits, needed_imports
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.events import ImportRef, NameRef
from gpu2ascend_rules.engine.scan import scan_names
from gpu2ascend_rules.model.finding import Applicability, Fix, Message, Plan
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.renames.qualified_names import changes_with_import, name_becomes
from gpu2ascend_rules.text.source_file import SourceFile

OLD, NEW = "torch.old.one", "torch_npu.new.two"
OPTIONS = options_from({"version": "2.8.0"})


def references(source: SourceFile) -> Iterator[NameRef | ImportRef]:
    """The imports of the old name, and the uses that do not change with one."""
    for binding in source.names.imports:
        if binding.target == OLD and binding.name != "*":
            yield ImportRef(OLD, binding)
    for ref in scan_names(source, frozenset({"torch"})):
        if ref.name == OLD and not changes_with_import(ref):
            yield ref


def renamed(text: str, path: str = "a.py") -> str:
    """The text after a rule of ten lines: this name becomes that."""
    source = SourceFile(text, path)
    fixes = []
    with Context(source, OPTIONS) as ctx:
        for ref in references(source):
            renaming = name_becomes(ref, NEW, ctx)
            if renaming is not None:
                plan = Plan(renaming.edits, (), renaming.requires)
                fixes.append(Fix(Message.of("fix.remove"), Applicability.SAFE, plan))
        claimed = ClaimedPlaces()
        made = [(fix, fix.plan.edits) for fix in fixes if claimed.takes(fix.plan.edits)]
        edits = {*distinct_edits(own for _, own in made), *needed_imports(source, made)}
        return apply_edits(source.data, edits).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import torch\ntorch.old.one(1)\nf = torch . old.one\n",
            "import torch\nimport torch_npu\ntorch_npu.new.two(1)\nf = torch_npu.new.two\n",
        ),
        (
            "import torch as th\nimport torch_npu as tn\nth.old.one(1)\n",
            "import torch as th\nimport torch_npu as tn\ntn.new.two(1)\n",
        ),
        ("from torch.old import one\none(one)\n", "from torch_npu.new import two\ntwo(two)\n"),
        ("from torch.old import one as o\no()\n", "from torch_npu.new import two as o\no()\n"),
        (
            "from torch.old import a, one, b\none()\n",
            "from torch.old import a, b\nfrom torch_npu.new import two\ntwo()\n",
        ),
        (
            "if x:\r\n    from torch.old import (one, a)\r\n",
            "if x:\r\n    from torch.old import (a)\r\n    from torch_npu.new import two\r\n",
        ),
        (
            "x = 1; from torch.old import a, one\n",
            "x = 1; from torch.old import a; from torch_npu.new import two\n",
        ),
        (
            "from torch.old import one\ntwo = 1\none()\n",
            "from torch_npu.new import two as one\ntwo = 1\none()\n",
        ),
        (
            "from torch.old import one\n__all__ = ['one']\n",
            "from torch_npu.new import two as one\n__all__ = ['one']\n",
        ),
        (
            'from torch.old import one\n__all__ = ["a"]\n__all__ += ("one",)\n',
            'from torch_npu.new import two as one\n__all__ = ["a"]\n__all__ += ("one",)\n',
        ),
        ("from torch.old import one\n__all__ = ['a']\n", "from torch_npu.new import two\n__all__ = ['a']\n"),
        (
            "def f():\n    from torch.old import one\n    one()\n__all__ = ['one']\n",
            "def f():\n    from torch_npu.new import two\n    two()\n__all__ = ['one']\n",
        ),
        (
            "from torch.old import one\ndef f(one):\n    one()\n",
            "from torch_npu.new import two\ndef f(one):\n    one()\n",
        ),
        ("from torch.old import (one, # c\n  a)\n", "from torch.old import (one, # c\n  a)\n"),
    ],
)
def test_a_name_becomes_another(before: str, after: str) -> None:
    assert renamed(before) == after


def test_a_package_hands_on_the_old_name() -> None:
    text = "from torch.old import one\n"
    assert renamed(text, "pkg/__init__.py") == "from torch_npu.new import two as one\n"


def test_what_the_old_name_was_bound_to_is_bound_by_the_new_one_alone_once() -> None:
    assert renamed("from torch.old import one\nfrom torch_npu.new import two\none()\n") == (
        "from torch_npu.new import two\nfrom torch_npu.new import two\ntwo()\n"
    )
