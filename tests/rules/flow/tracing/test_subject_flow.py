"""The flow of a subject in a file: one object while the file is examined, and nothing of it behind that."""

from __future__ import annotations

import gc
import weakref

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import Role, device_flow, flow_of
from gpu2ascend_rules.flow.subjects.backends import BACKENDS
from gpu2ascend_rules.flow.subjects.devices import DEVICES
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

PARTS = {"SubjectFlow", "Tracer", "Stores", "Tests", "Named", "Definitions", "Classes", "Uses", "ProgramFile"}
OPTIONS = options_from({"version": "2.8.0"})
CODE = """\
d = {'a': 'cuda'}
for i in ['cuda', 'cpu']:
    x.to(d['a'])
    if x.device.type == i: pass
"""


def test_a_file_has_one_flow_for_each_subject() -> None:
    ctx = Context(SourceFile(CODE), OPTIONS)
    assert flow_of(DEVICES, ctx) is device_flow(ctx)
    assert flow_of(BACKENDS, ctx) is not device_flow(ctx)
    assert flow_of(DEVICES, Context(SourceFile(CODE), OPTIONS)) is not device_flow(ctx)


def parts() -> list[object]:
    """The parts of flows that are alive, those of other tests too."""
    return [item for item in gc.get_objects() if type(item).__name__ in PARTS]


def test_nothing_is_kept_of_a_file_that_is_examined_no_more() -> None:
    gc.collect()
    gc.disable()
    of_others = parts()
    try:
        with Context(SourceFile(CODE), OPTIONS) as ctx:
            flow = device_flow(ctx)
            assert [flow.role_of(ref).role for _, ref in scan_strings(ctx.source, ["cuda"])]
            known = {id(item) for item in of_others}
            kept = [weakref.ref(item) for item in parts() if id(item) not in known]
            assert {type(reference()).__name__ for reference in kept} == PARTS
            del flow
        assert [reference() for reference in kept if reference() is not None] == []
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("text", "role"),
    [("x.to('cuda')\n", Role.CONSUMED), ("x.to(b'cuda')\n", Role.SHOWN), ("x.to('cudas')\n", Role.SHOWN)],
)
def test_only_a_text_of_the_subject_has_a_role(text: str, role: Role) -> None:
    ctx = Context(SourceFile(text), OPTIONS)
    ((_, ref),) = scan_strings(ctx.source, ["cuda"])
    assert device_flow(ctx).role_of(ref).role is role
