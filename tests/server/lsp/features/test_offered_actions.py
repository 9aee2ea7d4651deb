"""Which actions are offered at a place, by what the client asks for and can do, and what each changes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from gpu2ascend.lsp.features.action_edits import _edits, _equivalents, workspace_edit
from gpu2ascend.lsp.features.code_actions import _actions, _Wanted
from gpu2ascend.lsp.session.analysis import Analysis
from gpu2ascend.lsp.session.documents import Document
from gpu2ascend.lsp.session.settings import Settings
from gpu2ascend.lsp.startup.announcement import EXPLAIN, FIX_ALL, NOTEBOOK_FIX_ALL
from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from gpu2ascend_rules.text.source_file import SourceFile
from tests.server.lsp.editor import capabilities

OPTIONS = options_from({"version": "2.8.0"})
URI = "file:///p/a.py"
TEXT = "import torch\ntorch.cuda.synchronize()\ntorch.cuda.empty_cache()\nx = torch.ones(1).cuda()\n"
MANUAL = "import torch\ntorch.backends.cudnn.benchmark = True\n"
UNSAFE = "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n"
EQUIVALENT = "from flash_attn import flash_attn_func\ny = flash_attn_func(q, k, v)\n"


@pytest.mark.parametrize(
    ("kinds", "kind", "answer"),
    [
        (None, "quickfix", True),
        (None, "refactor.rewrite", True),
        (None, FIX_ALL, False),
        (None, NOTEBOOK_FIX_ALL, False),
        (("",), "quickfix", True),
        (("",), FIX_ALL, True),
        (("quickfix",), "quickfix", True),
        (("quickfix",), FIX_ALL, False),
        (("source",), FIX_ALL, True),
        (("source.fixAll",), FIX_ALL, True),
        (("source.fix",), FIX_ALL, False),
        (("refactor", "source.fixAll"), FIX_ALL, True),
        ((), "quickfix", False),
    ],
)
def test_a_kind_that_is_asked_for_has_all_below_it(
    kinds: tuple[str, ...] | None, kind: str, answer: bool
) -> None:
    assert _Wanted(kinds).has(kind) is answer


@pytest.mark.parametrize(
    ("kinds", "answer"),
    [
        (None, False),
        (("source",), True),
        (("source.fixAll",), True),
        (("notebook.source.fixAll",), True),
        (("source.organizeImports", "notebook.source"), True),
        (("source", "quickfix"), False),
        (("sources",), False),
        (("notebook",), False),
        (("",), False),
    ],
)
def test_what_is_made_when_a_file_is_saved_is_of_whole_files(
    kinds: tuple[str, ...] | None, answer: bool
) -> None:
    assert _Wanted(kinds).is_of_whole_files is answer


def analysis(text: str) -> Analysis:
    source = SourceFile(text, "a.py")
    return Analysis(Document(URI, 3, "python", source), OPTIONS, tuple(check(source, OPTIONS)))


def client(can: types.ClientCapabilities | None = None) -> Any:
    return SimpleNamespace(
        settings=Settings(), unit=ColumnUnit.UTF16, client_capabilities=can or capabilities()
    )


def offered(
    text: str,
    start: tuple[int, int],
    end: tuple[int, int],
    *kinds: str,
    can: types.ClientCapabilities | None = None,
) -> list[types.CodeAction]:
    place = types.Range(types.Position(*start), types.Position(*end))
    return list(_actions(client(can), analysis(text), types.Location(URI, place), _Wanted(kinds or None)))


def named(actions: list[types.CodeAction]) -> list[str]:
    """What each of them does."""
    found = []
    for action in actions:
        data = action.data if isinstance(action.data, dict) else {}
        what = str(data.get("what", action.command.command if action.command else ""))
        found.append(f"{what} {data['where']}" if "where" in data else what)
    return found


LOOP = """import torch
model = torch.nn.Linear(2, 1).cuda()
optimizer = torch.optim.SGD(model.parameters())
for x in loader:
    loss = model(x).sum()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("uri", "answer"), [(URI, True), (f"{URI}w", True), ("untitled:a", False)])
def test_a_program_is_made_another_where_it_is_a_file_of_python(uri: str, answer: bool) -> None:
    source = SourceFile(LOOP, "a.py")
    examined = Analysis(Document(uri, 3, "python", source), OPTIONS, ())
    place = types.Location(uri, types.Range(types.Position(0, 0), types.Position(0, 0)))
    kind = types.CodeActionKind.RefactorRewrite
    actions = list(_actions(client(), examined, place, _Wanted((kind,))))
    assert bool(actions) is answer
    assert {action.kind for action in actions} <= {kind}


SILENCE = ["ignore line", "ignore file", EXPLAIN]


@pytest.mark.parametrize(
    ("text", "lines", "kinds", "expected"),
    [
        (TEXT, (1, 1), (), ["fix", "rule", *SILENCE]),
        (TEXT, (1, 1), ("quickfix",), ["fix", "rule", *SILENCE]),
        (TEXT, (1, 2), (), ["fix", "fix", "rule", *SILENCE]),
        (TEXT, (3, 3), (), ["fix", *SILENCE]),
        (TEXT, (1, 3), (), ["fix", "fix", "fix", "rule", *SILENCE, *SILENCE]),
        (TEXT, (0, 0), (), []),
        (TEXT, (0, 0), ("source.fixAll",), ["all"]),
        (TEXT, (1, 1), ("",), ["fix", "rule", *SILENCE, "all"]),
        (MANUAL, (1, 1), (), SILENCE),
        (MANUAL, (1, 1), ("source.fixAll",), []),
        (UNSAFE, (1, 1), (), ["fix", *SILENCE]),
        (UNSAFE, (1, 1), ("source.fixAll",), []),
    ],
)
def test_fixes_come_first_and_what_silences_comes_last(
    text: str, lines: tuple[int, int], kinds: tuple[str, ...], expected: list[str]
) -> None:
    assert named(offered(text, (lines[0], 0), (lines[1], 80), *kinds)) == expected


@pytest.mark.parametrize(
    ("start", "end", "has_any"),
    [((1, 0), (1, 0), True), ((1, 22), (1, 22), True), ((1, 23), (1, 24), False), ((0, 0), (0, 12), False)],
)
def test_a_finding_is_at_a_place_that_touches_it(
    start: tuple[int, int], end: tuple[int, int], has_any: bool
) -> None:
    assert bool(offered(TEXT, start, end)) is has_any


def test_an_action_says_what_finds_it_again_and_which_is_preferred() -> None:
    fix, rule, line, *_ = offered(TEXT, (2, 0), (2, 5))
    assert fix.data == {"uri": URI, "version": 3, "what": "fix", "finding": 1}
    assert rule.data == {"uri": URI, "version": 3, "what": "rule", "code": "NPU101"}
    assert fix.is_preferred and fix.diagnostics and fix.diagnostics[0].code == "NPU101"
    assert rule.diagnostics is None and line.diagnostics and line.edit is not None
    (unsafe, *_) = offered(UNSAFE, (1, 0), (1, 5))
    assert not unsafe.is_preferred and "unsafe" in unsafe.title


def test_what_needs_a_file_is_offered_to_clients_that_make_files() -> None:
    without = capabilities(workspace=types.WorkspaceClientCapabilities())
    place = ((1, 0), (1, 30))
    assert "fix" in named(offered(EQUIVALENT, *place))
    assert "fix" not in named(offered(EQUIVALENT, *place, can=without))


def changed(text: str, **data: object) -> str:
    """The text after the edits of an action."""
    found = analysis(text)
    edits, _ = _edits(found.document.source, found.findings, OPTIONS, STANDALONE, data)
    raw = text.encode()
    for edit in sorted(edits, reverse=True):
        raw = raw[: edit.start] + edit.text.encode() + raw[edit.end :]
    return raw.decode()


IMPORTED = TEXT.replace("import torch\n", "import torch\nimport torch_npu\n", 1)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"what": "fix", "finding": 0}, IMPORTED.replace("torch.cuda.sync", "torch_npu.npu.sync")),
        ({"what": "rule", "code": "NPU101"}, IMPORTED.replace("torch.cuda.", "torch_npu.npu.")),
        ({"what": "rule", "code": "NPU999"}, TEXT),
        ({"what": "fix", "finding": 3}, TEXT),
        ({"what": "fix", "finding": -1}, TEXT),
        ({"what": "fix", "finding": "0"}, TEXT),
        ({}, TEXT),
        ({"what": "all"}, IMPORTED.replace("torch.cuda.", "torch_npu.npu.").replace(".cuda()", ".npu()")),
    ],
)
def test_what_an_action_changes(data: dict[str, object], expected: str) -> None:
    assert changed(TEXT, **data) == expected


def test_everything_in_a_file_is_what_is_safe() -> None:
    assert changed(UNSAFE, what="all") == UNSAFE
    assert changed(UNSAFE, what="fix", finding=0) != UNSAFE


def test_only_the_one_fix_of_an_action_brings_equivalents() -> None:
    found = analysis(EQUIVALENT)
    (number,) = [i for i, item in enumerate(found.findings) if item.fix and item.fix.plan.equivalents]
    assert _equivalents(found, {"what": "fix", "finding": number})
    for data in (
        {"what": "rule", "finding": number},
        {"what": "fix", "finding": str(number)},
        {"what": "fix", "finding": len(found.findings)},
        {"what": "fix", "finding": -1},
        {},
    ):
        assert _equivalents(found, data) == frozenset()


def test_edits_are_bound_to_the_version_where_the_client_can_check_that() -> None:
    document, edits = analysis(TEXT).document, [Edit(0, 6, "IMPORT")]
    place = types.Range(types.Position(0, 0), types.Position(0, 6))
    (change,) = workspace_edit(client(), document, edits).document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (URI, 3)
    assert change.edits == [types.TextEdit(place, "IMPORT")]
    for can in (types.ClientCapabilities(), capabilities(workspace=types.WorkspaceClientCapabilities())):
        plain = workspace_edit(client(can), document, edits)
        assert (plain.document_changes, plain.changes) == (None, {URI: [types.TextEdit(place, "IMPORT")]})
