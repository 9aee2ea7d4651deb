"""Who refuses, by the frames and by the lines around an exception, and what that means."""

from __future__ import annotations

import re

import pytest

from gpu2ascend.doctor.logs.failures import Failure, failures
from gpu2ascend.doctor.logs.literals import required
from gpu2ascend.doctor.logs.reasons import answer_of
from gpu2ascend.doctor.logs.table import matching, table
from gpu2ascend.texts.catalogue import Texts

OWN = "/home/them/job/pkg/train.py"
FAST = "/usr/lib/python3.11/site-packages/fastserve/engine.py"
PLUGIN = "/vllm-workspace/vllm-ascend/vllm_ascend/worker/worker.py"
TORCH = "/usr/lib/python3.11/site-packages/torch/functional.py"
NPU = "/usr/lib/python3.11/site-packages/torch_npu/utils/affinity.py"
COPIED = "/home/them/job/megatron/training/arguments.py"
SHIPPED = "/tmp/ray/session_1/_ray_pkg_06ff/verl/trainer/main.py"
CLOSING = "[ERROR] 2026-01-01-00:00:00 (PID:7, Device:0, RankID:-1) ERR0000"
CASES = (
    # whose code it is: torch_npu's, torch's, a plugin's, a library's that was copied into the project
    ((OWN, NPU), "RuntimeError: cores 0-1,4-5 are odd", "unknown.of-npu", "torch_npu itself"),
    ((OWN, TORCH), "RuntimeError: cores are odd", "unknown.framework", "torch"),
    ((COPIED,), "ValueError: 3 is odd", "unknown.pair", "megatron-core"),
    ((SHIPPED,), "ValueError: 3 is odd", "unknown.met", "verl"),
    ((PLUGIN,), "TypeError: 'FooBarData' object is not iterable", "versions-differ.pair", "vllm-ascend"),
    (
        (TORCH,),
        "TypeError: DSFooAgent.run() takes 3 positional arguments but 4 were given",
        "versions-differ.framework",
        "deepspeed",
    ),
    # what Python itself says
    (
        (OWN,),
        "AttributeError: module 'importlib' has no attribute 'util'",
        "submodule.named",
        "importlib.util",
    ),
    ((FAST,), "ZeroDivisionError: float division by zero", "empty-value.divisor", "divide"),
    ((), "OSError: Address already in use (addr='tcp://10.0.0.1:23456')", "port-in-use.named", "23456"),
    ((), "AssertionError: foo_available, no foo", "optional-part", "foo_available"),
    ((), "ValueError: Target module FooLinear() is not supported. Only x", "peft-target", "FooLinear"),
    # what compilers, operators and graphs do not take
    ((), "x.h:3:10: fatal error: 'cstdint' file not found", "cxx-headers", "cstdint"),
    ((), "g++: internal compiler error: Killed (program cc1plus)", "compiler-crashed", "memory"),
    ((), "E60108: In op[foo], [bar failed, not support input shape [-1] and [-2]]", "dynamic-shape", "[-1]"),
    ((), "RuntimeError: dynamic shape operator: aten.foo.default; x", "data-dependent.named", "aten.foo"),
    (
        (),
        "op_name: Foo AclNN_Parameter_Error(EZ1001): Size of x 3 should be even.",
        "operator-limit.quoted",
        "3 should be even",
    ),
)


def read(paths: tuple[str, ...], *text: str, code: str = "f(x)") -> list[Failure]:
    frames = [line for path in paths for line in (f'  File "{path}", line 7, in f', f"    {code}")]
    return failures(["Traceback (most recent call last):", *frames, *text] if frames else text)


@pytest.mark.parametrize(("paths", "error", "text", "names"), CASES, ids=[case[2] for case in CASES])
def test_the_answer_names_who_refuses_and_what(
    paths: tuple[str, ...], error: str, text: str, names: str
) -> None:
    cause = answer_of(read(paths, error)[0]).cause
    assert cause.id == f"doctor.log.{text}.cause"
    assert names in Texts("en").of(cause)


def test_a_check_of_a_plugin_is_not_the_same_on_a_gpu() -> None:
    cause = answer_of(read((PLUGIN,), "RuntimeError: state 7 is odd", code="raise RuntimeError(x)")[0]).cause
    assert cause.id == "doctor.log.unknown.check-plugin.cause"


def test_an_argument_that_unpacked_options_repeat_is_given_twice() -> None:
    error = "TypeError: Engine() got multiple values for keyword argument 'dtype'"
    cause = answer_of(read((FAST,), error, code="Engine(dtype=x, **options)")[0]).cause
    assert cause.id == "doctor.log.versions-differ.twice.cause"


def test_a_message_that_another_process_repeats_is_read() -> None:
    repeated = "RuntimeError: Worker failed with error 'dynamic shape operator: aten.foo.default; no meta'"
    assert [one.name for one in read((), repeated)] == ["data-dependent"]


def test_a_repeated_message_that_nothing_knows_stays_a_consequence() -> None:
    assert [one.kind for one in read((), "RuntimeError: Worker failed with error 'a strange thing'")] == [
        "follows"
    ]


def test_colours_that_lost_their_sign_hide_no_exception() -> None:
    assert [one.name for one in read((), "[36m(main_task pid=7)[0m KeyError: 'npu'")] == ["missing-key"]


def test_the_line_below_says_that_torch_npu_raised_it() -> None:
    found = read((OWN,), "RuntimeError: cores 0-1,4-5 are odd", f"{CLOSING}1 PTA invalid parameter")
    assert [one.said.get("refuser") for one in found] == ["torch-npu"]


def test_the_line_below_a_known_cause_adds_none() -> None:
    found = read((OWN,), "RuntimeError: the stream is captured", f"{CLOSING}7 PTA feature not supported")
    assert [one.name for one in found] == ["in-capture"]


def test_a_word_in_a_name_that_python_misses_is_no_cause() -> None:
    """Whatever words rows look for, a name with one of them is just a name."""
    words = {
        word
        for row in table()
        for text in required(row.pattern.pattern) or ()
        for word in re.findall("[A-Za-z]{4,}", text)
    }
    assert len(words) > 500
    for word in sorted(words):
        row = matching(f"AttributeError: 'Zork{word}Zork' object has no attribute 'zork{word}'", True)
        assert row is not None
        assert row.name == "versions-differ", word
