"""Profiling: names move all together or not at all."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.edits.fix_edits import edits_of
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_beside_control

MIXED_SPELLINGS = """\
import torch
import torch.profiler as tp
from torch import profiler
from torch.profiler import ProfilerActivity as Activity, record_function

def trace(out, on):
    kinds = [Activity.CPU] + ([torch.profiler.ProfilerActivity.CUDA] if on else [])
    with tp.profile(
        activities=kinds,
        schedule=profiler.schedule(wait=1, warmup=1, active=2),
        on_trace_ready=tp.tensorboard_trace_handler(out),
    ) as prof:
        with record_function("step"):
            prof.step()
"""

MOVED = """\
import torch
import torch_npu
import torch_npu.profiler as tp
from torch_npu import profiler
from torch.profiler import record_function
from torch_npu.profiler import ProfilerActivity as Activity

def trace(out, on):
    kinds = [Activity.CPU] + ([torch_npu.profiler.ProfilerActivity.NPU] if on else [])
    with tp.profile(
        activities=kinds,
        schedule=profiler.schedule(wait=1, warmup=1, active=2),
        on_trace_ready=tp.tensorboard_trace_handler(out),
    ) as prof:
        with record_function("step"):
            prof.step()
"""


@pytest.mark.parametrize("version", [item for item in SUPPORTED_VERSIONS if item > Version(1, 8)], ids=str)
def test_every_spelling_moves(version: Version) -> None:
    assert apply_fixes(SourceFile(MIXED_SPELLINGS), options_from({"version": str(version)})).text == MOVED


def test_every_single_fix_moves_all_names() -> None:
    source = SourceFile(MIXED_SPELLINGS)
    findings = check(source, options_from({"version": "2.8.0", "select": ["NPU510"]}))
    assert len(findings) == 4
    for finding in findings:
        assert finding.fix is not None
        after = apply_edits(source.data, edits_of(source, finding.fix)).decode()
        assert after == MOVED


def test_a_second_migration_changes_nothing() -> None:
    assert apply_fixes(SourceFile(MOVED), options_from({"version": "2.8.0"})).text == MOVED


def test_one_name_of_unknown_meaning_keeps_all_where_they_are() -> None:
    text = (
        "from torch.profiler import profile, ProfilerActivity\nif x:\n    from other import profile\n"
        "p = profile(activities=[ProfilerActivity.CUDA])\n"
    )
    outcome = apply_fixes(SourceFile(text), options_from({"version": "2.8.0"}))
    assert outcome.text == text
    assert {item.finding.code for item in outcome.remaining} == {"NPU510"}


@pytest.mark.parametrize(
    ("version", "is_kept"),
    [("2.6.0", False), ("2.7.1", True), ("2.8.0", False), ("2.13.0", True), (str(NEWEST), True)],
)
def test_arguments_go_where_the_release_does_not_take_them(version: str, is_kept: bool) -> None:
    text = "import torch\ns = torch.profiler.schedule(wait=1, warmup=1, active=1, skip_first_wait=1)\n"
    after = apply_fixes(
        SourceFile(text), options_from({"version": version, "unsafe_fixes": True, "select": ["NPU510"]})
    ).text
    assert ("skip_first_wait" in after) is is_kept
    assert "torch_npu.profiler.schedule" in after


def test_a_handler_set_by_position_to_compress_is_not_set_to_skip_the_analysis() -> None:
    text = "from torch.profiler import tensorboard_trace_handler as h\nh('log', None, True)\n"
    after = apply_fixes(SourceFile(text), options_from({"version": "2.8.0"})).text
    assert after == "from torch_npu.profiler import tensorboard_trace_handler as h\nh('log', None)\n"


def test_what_was_moved_is_still_watched() -> None:
    text = (
        "from torch.profiler import profile\nwith profile() as prof:\n    f()\n"
        "print(prof.key_averages().table(sort_by='cuda_time_total'))\n"
    )
    outcome = apply_fixes(SourceFile(text), options_from({"version": "2.8.0"}))
    assert "from torch_npu.profiler import profile" in outcome.text
    assert [item.finding.code for item in outcome.remaining] == ["NPU511"]


@pytest.mark.parametrize(
    "text",
    [
        "from torch.profiler import profile, ProfilerActivity\nprofile(activities=[ProfilerActivity.CPU])\n",
        "import torch\nwith torch.profiler.record_function('a'):\n    pass\n",
        "import torch\nwith torch.autograd.profiler.record_function('a'):\n    pass\n",
        "import torch\nwith torch.autograd.profiler.profile(enabled=on) as p:\n    pass\np.key_averages()\n",
        "import cProfile\nwith cProfile.Profile() as profiler:\n    pass\nprofiler.events()\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert found_beside_control(text) == []


PROFILED = "import torch\nwith torch.profiler.profile() as p:\n    f()\n"


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        pytest.param("rows.sort(key='cuda_time_total')", ["NPU511.column"], id="of something else"),
        pytest.param("column = 'cuda_time_total'", ["NPU511.column"], id="kept"),
        pytest.param(
            "p.key_averages().table(sort_by='cuda_time_total')", ["NPU511.method"], id="asked of it"
        ),
        pytest.param("print(p.key_averages())", ["NPU511.method"], id="without a column"),
        pytest.param("p.step()", [], id="what there is"),
    ],
)
def test_what_profiling_on_the_npu_does_not_have_is_reported_once(use: str, expected: list[str]) -> None:
    found = check(SourceFile(f"{PROFILED}{use}\n"), options_from({"version": "2.8.0", "select": ["NPU511"]}))
    assert [item.message.id for item in found] == expected


@pytest.mark.parametrize(
    ("use", "is_safe"),
    [
        ("profile(activities=[{}])", True),
        ("kinds = list({{{}}})\nprofile(activities=kinds)", True),
        ("given = dict(activities=[{}])\nprofile(**given)", True),
        ("partial(profile, activities=[{}])", True),
        ("isinstance(x, ProfilerActivity) and {}", True),
        ("MyProfiler(activities=[{}])", False),
        ("MyProfiler(**{{'activities': [{}]}})", False),
        ("kinds = [{}]\nprofile(activities=kinds)\nMyProfiler(activities=kinds)", False),
    ],
)
def test_names_move_by_themselves_where_only_the_profiler_gets_them(use: str, is_safe: bool) -> None:
    text = f"from torch.profiler import profile, ProfilerActivity\n{use.format('ProfilerActivity.CUDA')}\n"
    moved = text.replace("torch.", "torch_npu.").replace("CUDA", "NPU")
    outcomes = [
        apply_fixes(SourceFile(text), options_from({"version": "2.8.0", "unsafe_fixes": unsafe})).text
        for unsafe in (False, True)
    ]
    assert outcomes == [moved if is_safe else text, moved]


def test_a_schedule_for_another_profiler_moves_only_if_asked() -> None:
    text = "import torch.profiler as tp\np = {}.profile(schedule=tp.schedule(wait=1))\n"
    for profiler, applicability in (("tp", "safe"), ("other", "unsafe")):
        found = check(
            SourceFile(text.format(profiler)), options_from({"version": "2.8.0", "select": ["NPU510"]})
        )
        assert {item.applicability.value for item in found} == {applicability}


@pytest.mark.parametrize(
    ("use", "taker"),
    [
        ("other.hook([{}])", "other.hook"),
        ("a = []\na.append({})\nother.hook(activities=a)", "other.hook"),
        ("def a():\n    return {{{}}}\nother.hook(a())", "other.hook"),
        ("def f(a):\n    return other.hook(a)\nf([{}])", "other.hook"),
        ("class A:\n    def f(self):\n        self.a = [{}]\n        other.hook(self.a)", "other.hook"),
        ("a = dict(activities=[{}])\nprofile(**a)\nother.hook(**a)", "other.hook"),
        ("a = [{}]\nprofile(activities=a)\nother.hook(a)", "other.hook"),
        ("profile(activities=[{}])", None),
        ("def f(a):\n    return profile(activities=a)\nf([{}])", None),
        ("p = functools.partial(profile, activities=[{}])", None),
        ("print({})\nlen([{}])\nb = isinstance(x, {}) and callable({})", None),
    ],
)
def test_what_gets_an_activity_beside_the_profiler_is_named(use: str, taker: str | None) -> None:
    head = "import functools\nimport other\nfrom torch.profiler import profile, ProfilerActivity\n"
    text = head + use.replace("{}", "ProfilerActivity.CUDA").replace("{{", "{").replace("}}", "}") + "\n"
    found = check(SourceFile(text), options_from({"version": "2.8.0", "select": ["NPU510"]}))
    assert {dict(item.message.arguments).get("taker") for item in found} == {taker}
