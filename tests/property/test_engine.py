"""Whatever the text: no crash, no overlapping edits, no broken output, and a second run changes nothing."""

from __future__ import annotations

import ast
import random
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.fix_closure import closure_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS
from gpu2ascend_rules.options.options import MigrationOptions, options_from
from gpu2ascend_rules.rewrite.declined import RewriteDeclined
from gpu2ascend_rules.text.source_file import SourceFile

pytestmark = pytest.mark.slow

SETTINGS = settings(max_examples=120)

NAMES = ["x", "model", "args", "device", "torch", "self", "rank", "npu", "th", "cuda", "os", "dist"]
EXPRESSIONS = st.deferred(lambda: ATOMS | CALLS | BINARY | CONDITIONAL | COLLECTIONS)
ATOMS = st.sampled_from(
    [
        *NAMES,
        "'cuda'", "'cuda:0'", "f'cuda:{rank}'", "'nccl'", "'cpu:gloo,cuda:nccl'", "0", "None", "1.0",
        "torch.cuda", "torch.cuda.is_available()", "torch.device('cuda')", "x.is_cuda", "device.type",
        "torch.float64", "os.environ['CUDA_VISIBLE_DEVICES']", "torch.cuda.amp.autocast",
        "torch.profiler.ProfilerActivity.CUDA", "b'cuda'", "'世界 cuda 🎉'", "'cuda' ':0'",
    ]
)  # fmt: skip
CALLEES = st.sampled_from(
    [
        "x.cuda", "x.to", "torch.device", "torch.zeros", "torch.load", "print", "f", "hasattr", "getattr",
        "torch.cuda.amp.GradScaler", "torch.autocast", "dist.init_process_group", "os.environ.get",
        "torch.utils.data.DataLoader", "torch.cuda.set_device", "p.add_argument", "torch.compile",
    ]
)  # fmt: skip
KEYWORDS = st.sampled_from(
    [
        "",
        "device=",
        "map_location=",
        "backend=",
        "default=",
        "pin_memory=",
        "device_type=",
        "dtype=",
        "**",
        "*",
    ]
)
ARGUMENTS = st.lists(st.tuples(KEYWORDS, EXPRESSIONS), max_size=3)
CALLS = st.builds(
    lambda callee, arguments: f"{callee}({', '.join(key + value for key, value in arguments)})",
    CALLEES,
    ARGUMENTS,
)
BINARY = st.builds(
    lambda left, sign, right: f"({left} {sign} {right})",
    EXPRESSIONS,
    st.sampled_from(["+", "%", "==", "!=", "in", "and", "or", "*"]),
    EXPRESSIONS,
)
CONDITIONAL = st.builds(lambda a, b, c: f"({a} if {b} else {c})", EXPRESSIONS, EXPRESSIONS, EXPRESSIONS)
COLLECTIONS = st.builds(
    lambda left, right, shape: shape.format(left, right),
    EXPRESSIONS,
    EXPRESSIONS,
    st.sampled_from(["[{}, {}]", "({}, {})", "{{{}: {}}}", "{{'device': {}, 'k': {}}}"]),
)
STATEMENTS = st.one_of(
    st.sampled_from(
        [
            "import torch", "import torch as th", "from torch import cuda", "import torch.cuda",
            "import torch.cuda as tc", "from torch.cuda.amp import autocast, GradScaler", "import os",
            "import torch.distributed as dist", "from torch.cuda import *", "pass", "import torch_npu",
            "from torch.cuda import nvtx, synchronize", "import torch.cuda.nccl as nccl", "'''cuda'''",
            "from torch.profiler import profile, ProfilerActivity", "from torch import device, nn",
        ]
    ),
    EXPRESSIONS,
    st.builds(lambda name, value: f"{name} = {value}", st.sampled_from(NAMES), EXPRESSIONS),
    st.builds(lambda value: f"if {value}: pass", EXPRESSIONS),
    st.builds(lambda value: f"def f(device={value}): return torch.cuda.current_device()", EXPRESSIONS),
    st.builds(lambda value: f"with {value}: x.cuda()", EXPRESSIONS),
    st.builds(lambda value: f"for rank in {value}: x.cuda(rank)", EXPRESSIONS),
)  # fmt: skip
PROGRAMS = st.lists(STATEMENTS, max_size=8).map("\n".join)
RUNNABLE = PROGRAMS.map(lambda text: f"import torch\n{text}")
"""With the import of torch that stays in its place whatever is fixed, as nearly every file has it."""
OPTIONS = st.builds(
    lambda version, unsafe, style: options_from(
        {"version": str(version), "unsafe_fixes": unsafe, "api_style": style}
    ),
    st.sampled_from(SUPPORTED_VERSIONS),
    st.booleans(),
    st.sampled_from(["torch_npu.npu", "torch.npu"]),
)


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


@given(PROGRAMS, OPTIONS)
@SETTINGS
def test_what_parsed_still_parses_and_a_second_run_changes_nothing(
    text: str, options: MigrationOptions
) -> None:
    once = apply_fixes(SourceFile(text), options).text
    assert parses(once) or not parses(text)
    assert apply_fixes(SourceFile(once), options).text == once


@given(PROGRAMS, OPTIONS)
@SETTINGS
def test_the_edits_of_a_fix_do_not_overlap_and_keep_the_text_parsing(
    text: str, options: MigrationOptions
) -> None:
    source = SourceFile(text)
    for finding in check(source, options):
        if finding.fix is None:
            continue
        try:
            edits = edits_of(source, finding.fix)
        except RewriteDeclined:
            continue
        assert all(left.end <= right.start for left, right in pairwise(edits))
        assert parses(apply_edits(source.data, edits).decode()) or not parses(text)


@given(st.text(max_size=200) | PROGRAMS, OPTIONS)
@example("torch.cuda.\x00", options_from({"version": "2.8.0"}))
@example("import torch\r\x0ctorch.cuda.init()\u2028", options_from({"version": "2.8.0"}))
@SETTINGS
def test_any_text_is_survived_and_every_finding_can_be_rendered_in_both_languages(
    text: str, options: MigrationOptions
) -> None:
    source = SourceFile(text)
    for finding in check(source, options):
        assert 0 <= finding.start <= finding.end <= len(source.data)
        for language in ("en", "zh"):
            assert render(finding.message, language)
            assert finding.fix is None or render(finding.fix.title, language)


@given(PROGRAMS, st.integers(0, 400), OPTIONS)
@SETTINGS
def test_half_typed_text_is_survived(text: str, cut: int, options: MigrationOptions) -> None:
    apply_fixes(SourceFile(text[:cut]), options)


@given(RUNNABLE, st.integers(0, 1_000_000))
@SETTINGS
def test_quick_fixes_in_any_order_end_in_the_text_of_all_at_once(text: str, seed: int) -> None:
    options = options_from({"version": "2.8.0"})
    order = random.Random(seed)
    at_once = apply_fixes(SourceFile(text), options).text
    while True:
        source = SourceFile(text)
        findings = check(source, options)
        safe = [item for item in findings if item.applicability is Applicability.SAFE]
        order.shuffle(safe)
        made = (apply_edits(source.data, closure_edits(source, [item], findings, options)) for item in safe)
        changed = next((data for data in made if data != source.data), None)
        if changed is None:
            break
        text = changed.decode()
    assert text == at_once
