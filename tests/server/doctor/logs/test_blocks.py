"""In what CANN prints of one failure, the code with a meaning of its own is the cause, the calls follow."""

from __future__ import annotations

import pytest

from gpu2ascend.doctor.logs.failures import failures
from gpu2ascend.doctor.logs.reasons import answer_of

HEAD = [
    "RuntimeError: SetDevice:NPUFunctions.cpp:1 NPU function error: aclrtSetDevice, error code is 507033",
    "[ERROR] 2026-01-01-00:00:00 (PID:1, Device:0, RankID:-1) ERR00100 PTA call acl api failed",
]
TRACE = [
    "        TraceBack (most recent call last):",
    "        tsd client wait response fail, device response code[1][FUNC:WaitRsp][FILE:a.cpp][LINE:1]",
]


def kinds(log: list[str]) -> list[tuple[str, str]]:
    return [(one.name, one.kind) for one in failures(log)]


def test_the_meaning_of_a_code_stands_before_the_number_and_the_calls() -> None:
    code = "Memory_Allocation_Failure(EL0004): Failed to allocate memory."
    assert kinds([*HEAD, code, *TRACE]) == [
        ("out-of-memory", "cause"), ("device-busy", "follows"), ("driver-failed", "follows"),
    ]  # fmt: skip


def test_below_a_general_code_the_first_known_call_is_the_cause() -> None:
    trace = [*TRACE, "        kernel failed, reason=[vector core exception][FUNC:F][FILE:b.cc][LINE:2]"]
    assert kinds(["EE9999: Inner Error!", *trace]) == [("driver-failed", "cause"), ("aicore", "follows")]


def test_another_failure_after_the_block_is_a_cause_of_its_own() -> None:
    code = "Memory_Allocation_Failure(EL0004): Failed to allocate memory."
    found = kinds([code, *TRACE[:1], "step 2", "RuntimeError: aclrtSetDevice, error code is 507033"])
    assert found == [("out-of-memory", "cause"), ("device-busy", "cause")]


def test_of_the_errors_that_one_thread_logs_the_first_is_the_cause() -> None:
    logged = "[ERROR] HCCL(7,a):2026-01-01 [b.cc:{}] [{}]{}"
    port = "listen on ip[1.2.3.4] and specific port[60000] fail. Please check the port status"
    detect = "[InitGroupStage][RanktableDetect]failed"
    same = kinds([logged.format(1, 7, port), logged.format(2, 7, detect)])
    assert same == [("port-in-use", "cause"), ("communicator", "follows")]
    other = kinds([logged.format(1, 7, port), logged.format(2, 8, detect)])
    assert other == [("port-in-use", "cause"), ("communicator", "cause")]


def test_below_a_code_that_only_repeats_the_call_the_fault_of_a_core_is_the_cause() -> None:
    head = [HEAD[0].replace("507033", "507011"), HEAD[1]]
    code = "AclNN_Runtime_Error(EZ9903): aclrtLaunchKernel failed: 507011"
    fault = (
        "        The error from device(chipId:1), there is an exception of fftsplus aivector error[FUNC:F]"
    )
    assert kinds([*head, code, *TRACE[:1], fault]) == [("aicore", "cause"), ("model-execution", "follows")]


def test_what_says_why_a_core_failed_is_before_the_fault() -> None:
    fault = "EZ9999: The error from device(chipId:2), there is an exception of aicore error[FUNC:F]"
    why = "        The extend info: errorStr: timeout or trap error.[FUNC:F][FILE:f.cc][LINE:2]"
    found = kinds(["[ERROR] aclrtSynchronizeStream failed: 507014", fault, *TRACE[:1], why])
    assert found == [("task-timeout", "cause"), ("aicore", "follows")]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("TypeError: error: cannot convert 'NoneType' object to bytes", ["none-value"]),
        ("train.py: error: too few arguments to function train", ["unknown"]),
        ("csrc/a.cpp:1:5: error: 'x' was not declared in this scope", ["source-differs"]),
        ("git apply: error: cannot find expected lines in file a.py", ["unknown"]),
        ("FileNotFoundError: Could not find the original source file data/a.json", ["no-file"]),
        ("ValueError: Op [x] has optype [Conv] which is quantized", ["unknown"]),
        ("[ERROR] HCCL(1,a): [b.cc:1] [2]Cluster Exception Location[IP/ID]:[None], ExceptionType:[None]",
         ["family-hccl"]),
        ("RuntimeError: step failed, reason=[invalid value for lr]", ["refused"]),
        ("RuntimeError: repeated initialization of process group default", ["unknown"]),
        ("ERROR: grpc transport init error: connection refused", ["rendezvous"]),
        ("flops_profiler/profiler.py:55: ValueError: invalid parameter count", ["refused"]),
        ("ValueError: kernel_name=hccl is not a valid kernel", ["unknown"]),
        ("[ERROR] vllm: request failed, reason=end of sequence not reached", ["unknown"]),
    ],
)  # fmt: skip
def test_words_that_others_use_too_are_not_those_of_a_compiler_or_cann(said: str, names: list[str]) -> None:
    assert [one.name for one in failures([said])] == names


def test_the_trace_of_calls_says_nothing_beside_a_cause() -> None:
    cause = "[ERROR] HCCL(1,a): [b.cc:1] [2][InitGroupStage][EnvConfig] HCCL_X is wrong"
    assert kinds([cause, "[ERROR] HCCL(1,a): [b.cc:9] [2]call trace: hcclRet -> 9"]) == [
        ("hccl-variable", "cause")
    ]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("L0C read/write conflict.", "conflict"),
        ("The access address of the instruction is not aligned with the type.", "align"),
        ("The address for FIXP to read L1 is out of bounds.", "bounds"),
        ("Division by 0 error.", "number"),
        ("The value of the flag counter for inter-core communication exceeds the maximum value 15.", ""),
        ("The VEC instruction parameter is invalid.", "instruction"),
    ],
)
def test_what_the_core_reports_says_what_the_kernel_does_wrong(said: str, text: str) -> None:
    lines = ["[Error]: The aicore execution is abnormal.", f"The extend info: errcode:(1) errorStr: {said}"]
    assert answer_of(failures(lines)[0]).cause.id == f"doctor.log.aicore.{text}.cause".replace("..", ".")


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ('[InitGroupStage][RanktableCheck] Value x for config "tls" is invalid', "rank-table.tls"),
        ("[InitGroupStage][RanktableCheck]rank[0] device ip family[2] is not", "rank-table.family"),
        ("[InitGroupStage][RanktableCheck]super_device_id[] is invalid", "rank-table.superpod"),
        ("[InitGroupStage][RanktableConfig]path /t is not a valid real path", "rank-table.file"),
        ("[InitGroupStage][RanktableCheck]rankid[9] is invalid", "rank-table.quoted"),
        ("[InitChannelStage][ParameterConflict]CMD information tag check fail", "ranks-differ.calls"),
        ("Cluster Exception Location[IP/ID]:[1.2.3.4/1], ExceptionType:[Stuck Occurred]", "hccl-peer.stuck"),
        (
            "Cluster Exception Location[IP/ID]:[1.2.3.4/1], ExceptionType:[Error cqe Occurred]",
            "hccl-peer.cqe",
        ),
    ],
)
def test_the_stage_and_the_words_of_hccl_say_what_is_wrong(said: str, text: str) -> None:
    found = failures([f"[ERROR] HCCL(1,a):2026-01-01 [b.cc:1] [2]{said}"])
    assert answer_of(found[0]).cause.id == f"doctor.log.{text}.cause"


def test_what_cmake_says_stands_on_the_next_line() -> None:
    assert kinds(["CMake Error at a.cmake:2 (message):", "  SOC_VERSION x1 does not support"]) == [
        ("other-chip", "likely")
    ]
