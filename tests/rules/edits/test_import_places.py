"""Where the imports go that text needs at each place of a program, for each way to need them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.edits.required_imports import WHOLE_MODULE, import_edits, imports_of
from gpu2ascend_rules.model.finding import Edit, Requirement
from gpu2ascend_rules.text.source_file import SourceFile
from tests.golden import agrees
from tests.rules.edits.test_imports_run_first import PROGRAMS

GOLDENS = Path(__file__).with_name("goldens")
NEEDS = {
    "the name": Requirement("torch_npu"),
    "the loaded module": Requirement("torch_npu", by_name=False),
    "torch": Requirement("torch"),
    "another module": Requirement("os"),
    "a part of a module": Requirement("torch_npu.contrib"),
    "a name of a module": Requirement("ascend_function", name="similar_api"),
}
WITH_NPU = {
    "for the NPU": (
        "import torch\nif torch.npu.is_available():\n    import torch_npu\nUSE\ndef f():\n    USE\n"
        "if not torch.npu.is_available():\n    USE\n"
    ),
    "unless there is none": (
        "import torch\nif not is_npu:\n    import torch_npu\nelse:\n    USE\nUSE\nclass A:\n    USE\n"
    ),
    "tried": (
        "try:\n    import torch\n    import torch_npu\nexcept ImportError:\n    USE\nUSE\n"
        "def f():\n    USE\n    def g(a=USE):\n        USE\n"
    ),
    "tried after another": (
        "try:\n    import apex\n    # a comment\n    import torch_npu\nexcept ImportError:\n    pass\nUSE\n"
    ),
    "tried with others": (
        "try:\n    from torch.nn import Module\n    import torch_npu.contrib, torch_npu\n"
        "finally:\n    USE\nUSE\n"
    ),
    "by another name": "import torch_npu as npu\nUSE\ndef f():\n    import torch_npu\n    USE\nUSE\n",
    "a part": "from torch_npu.npu import amp\nUSE\nimport torch_npu.contrib\nUSE\nimport torch_npu\nUSE\n",
    "in each": (
        "def f():\n    USE\n    import torch_npu\n    USE\nclass A:\n    USE\n    import torch_npu\n    USE\n"
        "    def g(self):\n        '''What it does.'''\n        USE\n        [USE for _ in a]\n"
        "        lambda: USE\n"
    ),
    "in arms": (
        "def f():\n    if a:\n        import torch\n        USE\n"
        "    elif b:\n        import torch\n        USE\n"
        "    else:\n        pass\n    USE\n    while USE:\n        import torch\n        USE\n"
    ),
    "for types": (
        "import typing\nif typing.TYPE_CHECKING:\n    import torch\n    import torch_npu\n"
        "def f(a: USE, b=USE) -> USE:\n    x: USE = USE\n"
    ),
    "empty": "",
    "nothing but text": "# What it is\n'''And does.'''\nUSE\n",
    "the future": (
        "'''Text.'''\nfrom __future__ import annotations\n\nimport sys; import re\nUSE\nimport os\n"
    ),
}
"""``USE`` is any place; in the programs of the other test those are where ``torch.cuda`` is."""


def described(edit: Edit, source: SourceFile) -> str:
    line = source.lines.line_of(edit.start)
    return f"{edit.text!r} at {line + 1}:{edit.start - source.lines.line_span(line)[0]}"


def places(text: str) -> list[int]:
    data = text.encode()
    found = [at for at in range(len(data)) if data.startswith((b"torch.cuda", b"USE"), at)]
    return [*found, WHOLE_MODULE]


def outcomes(source: SourceFile, at: int) -> Iterator[str]:
    """Where the imports go at a place: each outcome with the needs that have it."""
    kinds: dict[str, list[str]] = {}
    for kind, requirement in NEEDS.items():
        edits = import_edits(source, [(requirement, at)])
        assert {requirement.statement}.issuperset(imports_of(edits))
        gone = ", ".join(described(edit, source).replace(requirement.statement, "IMPORT") for edit in edits)
        kinds.setdefault(gone or "nothing", []).append(kind)
    line = "the end" if at == WHOLE_MODULE else f"line {source.lines.line_of(at) + 1}"
    yield from (f"  {line}, {', '.join(those)}: {gone}" for gone, those in kinds.items())


def test_where_each_import_goes() -> None:
    lines = []
    for name, text in {**PROGRAMS, **WITH_NPU}.items():
        source = SourceFile(text)
        lines += [f"{name}:", *(line for at in places(text) for line in outcomes(source, at))]
    agrees(GOLDENS / "import-places.txt", "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize("text", [*PROGRAMS.values(), *WITH_NPU.values()], ids=[*PROGRAMS, *WITH_NPU])
def test_all_that_is_needed_at_once_is_all_that_is_needed(text: str) -> None:
    needs = [(requirement, at) for requirement in NEEDS.values() for at in places(text)]
    source = SourceFile(text)
    one = import_edits(source, needs)
    assert one == import_edits(SourceFile(text), reversed(needs))
    each = {
        (e.start, part) for need in needs for e in import_edits(source, [need]) for part in imports_of([e])
    }
    assert {(edit.start, part) for edit in one for part in imports_of([edit])} == each
    assert len(one) == len({edit.start for edit in one})
    assert apply_edits(source.data, one).startswith(source.data[: one[0].start] if one else source.data)
