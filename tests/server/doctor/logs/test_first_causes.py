"""Which of the failures of a log stands first: what says why, not what reports or warns."""

from __future__ import annotations

from gpu2ascend.doctor.logs.failures import failures
from gpu2ascend.doctor.logs.reasons import answer_of


def test_a_report_that_a_step_failed_is_no_reason() -> None:
    """The wrapper of pip comes first; what the step printed says why, also without a traceback."""
    log = [
        "  error: subprocess-exited-with-error",
        "  ╰─> [2 lines of output]",
        "      error: the folder holds two packages, ['a', 'b'].",
        "      [end of output]",
        "ERROR: Failed to build 'thing' when getting requirements to build wheel",
    ]
    found = failures(log)
    assert [(one.name, one.line) for one in found] == [("unknown", 3), ("build-failed", 1)]
    assert answer_of(found[0]).cause.id == "doctor.log.unknown.build.cause"


def test_a_warning_is_no_cause_beside_an_error() -> None:
    warning = "WARNING 10:00:00 loader.py:3] NPU out of memory, trying once more"
    error = "ValueError: the field tau of the schedule is not known"
    assert [one.name for one in failures([warning])] == ["out-of-memory"]
    assert failures([warning, error])[0].line == 2
    assert failures([error, warning.replace("WARNING", "ERROR")])[0].name == "out-of-memory"


def test_a_stronger_row_of_the_same_kind_of_failure_takes_its_place() -> None:
    found = failures(["error: subprocess-exited-with-error", "a.cpp:1:1: fatal error: zed.h: No such file"])
    assert [(one.name, one.kind, one.line, one.lines) for one in found] == [("build-failed", "cause", 2, 2)]


def test_colours_of_a_terminal_hide_nothing() -> None:
    coloured = failures(["\x1b[31mValueError\x1b[0m: the \x1b[1mfield\x1b[0m tau is not known"])
    assert [one.text for one in coloured] == ["ValueError: the field tau is not known"]


def test_a_launcher_that_ends_the_other_ranks_is_not_their_killer() -> None:
    """Of torchrun's summary only the rank under Root Cause failed by itself."""
    others = [
        "Failures:",
        "[1]:",
        "  exitcode  : -9 (pid: 7)",
        "  traceback : Signal 9 (SIGKILL) received by PID 7",
    ]
    root = ["Root Cause (first observed failure):", "[0]:", "  exitcode  : {} (pid: 6)"]
    first = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"
    for code, name in ((1, "elastic"), (-9, "killed")):
        assert failures([first, *others, *(line.format(code) for line in root)])[0].name == name


def test_a_weight_that_the_quantization_does_not_describe() -> None:
    frame = '  File "/env/lib/python3.11/site-packages/vllm_ascend/quantization/a.py", line 9, in skipped'
    code = '    return self.quant_description[prefix + ".weight"]'
    found = failures([frame, code, "KeyError: 'model.embed_tokens.weight'"])[0]
    assert answer_of(found).cause.id == "doctor.log.checkpoint.undescribed.cause"
