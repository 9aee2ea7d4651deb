"""What the server stands on is the same as ever where its start is made short.

What is imported first decides, so that each question is put to a separate Python.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.resources import files

import pytest

LEAN = "import gpu2ascend.lsp"
COUNT = """
from lsprotocol import types
def pending():
    kinds = [kind for kind in vars(types).values() if isinstance(kind, type)]
    return sum(type(vars(kind).get("__attrs_attrs__")).__name__ == "_Unknown" for kind in kinds)
"""
FIELDS = """
import attrs
from lsprotocol import _hooks, types
_hooks._resolve_forward_references()
def described(field):
    how = ("default", "init", "kw_only", "eq", "order", "hash", "repr", "alias")
    rest = [getattr(field, name) for name in how]
    return [field.name, str(field.type), str(rest), type(field.validator).__name__]
answer = {
    name: [[described(field) for field in attrs.fields(kind)], kind.__hash__ is None, kind.__match_args__]
    for name, kind in vars(types).items()
    if isinstance(kind, type) and attrs.has(kind)
}
"""


def _answer(*program: str, arguments: Sequence[str] = ()) -> object:
    """What a separate Python has in `answer` at the end."""
    text = "\n".join([*program, "import json; print(json.dumps(answer))"])
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_every_class_gets_the_fields_that_it_has_without() -> None:
    plain = _answer(FIELDS)
    assert isinstance(plain, dict) and len(plain) > 500
    assert _answer(LEAN, FIELDS) == plain


def test_a_start_completes_few_of_the_classes() -> None:
    clients = files("pytest_lsp") / "clients"
    (client,) = [entry for entry in clients.iterdir() if entry.name.startswith("visual_studio_code")]
    start = """
import json, sys
from gpu2ascend.lsp.conversion.json_messages import raw_converter
answer = [pending()]
params = {"processId": None, "rootUri": None, **json.loads(sys.argv[1])}
raw_converter().structure(params, types.InitializeParams)
answer.append(pending())
"""
    answer = _answer(LEAN, COUNT, start, arguments=[client.read_text("utf-8")])
    assert isinstance(answer, list)
    before, after = answer
    assert before > 500 and after > before * 3 / 4


BEHAVIOUR = """
from lsprotocol import types
one, same = (types.Range(types.Position(1, 2), types.Position(3, 4)) for _ in range(2))
answer = [
    repr(one), one == same, types.Position.__hash__ is None,
    types.Position(1, 2) < types.Position(1, 3), repr(types.CodeActionOptions(resolve_provider=True)),
]
"""
WRONG = """
from lsprotocol import types
try:
    types.Position(-1, "two")
    answer = None
except (ValueError, TypeError) as error:
    answer = [type(error).__name__, str(error)]
"""


@pytest.mark.parametrize("program", [BEHAVIOUR, WRONG])
def test_objects_are_and_refuse_the_same(program: str) -> None:
    plain = _answer(program)
    assert plain is not None
    assert _answer(LEAN, program) == plain


def test_threads_that_use_a_class_first_at_the_same_time_get_the_same_one() -> None:
    program = """
import sys, threading
from lsprotocol import types
import attrs
sys.setswitchinterval(1e-6)
names = ["Position", "Hover", "CodeAction", "WorkspaceEdit", "CompletionItem", "Diagnostic"]
kinds = [getattr(types, name) for name in names]
seen, barrier = [], threading.Barrier(8)
def use(number):
    barrier.wait()
    for kind in kinds:
        fields = attrs.fields(kind)
        seen.append((kind.__name__, id(fields), all(not isinstance(field.type, str) for field in fields)))
threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
answer = [len(seen), len(set(seen)), all(resolved for *_, resolved in seen)]
"""
    assert _answer(LEAN, program) == [48, 6, True]
