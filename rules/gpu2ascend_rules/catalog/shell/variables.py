"""NPU1001 to NPU1003: environment variables in shell code. The facts are in environment.tsv."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.subjects.environment import EnvironmentVariable, is_named_in_full, variable_for
from ...flow.subjects.variable_values import (
    allocator_keys,
    converted,
    has_foreign_keys,
    in_order,
    is_device_list,
    is_no_device,
)
from ...kinds.kind import KindFile
from ...kinds.shell.places import Use, Variable, Word
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from .frameworks import is_of_another_framework
from .reading.served import Starts, starts
from .reading.summaries import summary_of

_WORDS = ("cuda", "nccl", "cudnn_", "nvidia_", "cublas_")
_EXPORTS = re.compile(rb"\b(?:export|declare|typeset)\b")
_BEFORE = 1000
_PATHS = frozenset({"LD_LIBRARY_PATH", "PATH", "LIBRARY_PATH", "CPATH"})
_OF_CUDA = ("/cuda", "/nvidia")
"""Bytes before the name of a variable in which the word is that sets it."""
_GIVES = (Use.SET, Use.PREFIX)


class ShellVariable(Rule):
    """A script sets or reads an environment variable of CUDA or NCCL that has a counterpart.

    What it does: Renames the variable wherever the script sets, passes on, reads or removes it. If the
    counterpart has other values, the change is only offered; known values are changed as well.

    Why it matters on the NPU: Nothing on the NPU reads CUDA's variables: the program uses card 0, or all
    cards, and the settings are silently ignored.

    Example: ``export CUDA_VISIBLE_DEVICES=0`` becomes ``export ASCEND_RT_VISIBLE_DEVICES=0``.

    Use instead: the variable that the message names.
    """

    code = "NPU1001"
    words = _WORDS
    example_path = "train.sh"
    examples = (
        Example(
            "export CUDA_VISIBLE_DEVICES=0,1  # two cards\nCUDA_VISIBLE_DEVICES=2 python train.py\n"
            "unset CUDA_VISIBLE_DEVICES\nenv CUDA_VISIBLE_DEVICES=1 python train.py\n"
            "for i in ${CUDA_VISIBLE_DEVICES//,/ }; do echo $i; done\n"
            'echo "on ${CUDA_VISIBLE_DEVICES:-0}" $((CUDA_LAUNCH_BLOCKING + 1))\n',
            "export ASCEND_RT_VISIBLE_DEVICES=0,1  # two cards\nASCEND_RT_VISIBLE_DEVICES=2 python train.py\n"
            "unset ASCEND_RT_VISIBLE_DEVICES\nenv ASCEND_RT_VISIBLE_DEVICES=1 python train.py\n"
            "for i in ${ASCEND_RT_VISIBLE_DEVICES//,/ }; do echo $i; done\n"
            'echo "on ${ASCEND_RT_VISIBLE_DEVICES:-0}" $((ASCEND_LAUNCH_BLOCKING + 1))\n',
        ),
        Example(
            'screen -dm bash -c ". env.sh && CUDA_VISIBLE_DEVICES=3 train 0"\n'
            "mpirun -x NCCL_SOCKET_IFNAME=eth0 -x CUDA_VISIBLE_DEVICES python train.py\n",
            'screen -dm bash -c ". env.sh && ASCEND_RT_VISIBLE_DEVICES=3 train 0"\n'
            "mpirun -x HCCL_SOCKET_IFNAME=eth0 -x ASCEND_RT_VISIBLE_DEVICES python train.py\n",
        ),
        Example(
            "export CUDA_VISIBLE_DEVICES ?= 0\ntrain:\n\t@CUDA_VISIBLE_DEVICES=$(GPU) python train.py\n",
            "export ASCEND_RT_VISIBLE_DEVICES ?= 0\ntrain:\n"
            "\t@ASCEND_RT_VISIBLE_DEVICES=$(GPU) python train.py\n",
            path="Makefile",
        ),
        Example(
            "RUN <<EOF\nCUDA_VISIBLE_DEVICES=0 python train.py\nEOF\n",
            "RUN <<EOF\nASCEND_RT_VISIBLE_DEVICES=0 python train.py\nEOF\n",
            path="Dockerfile",
        ),
        Example(
            "test:\n  variables: {CUDA_VISIBLE_DEVICES: '0'}\n  script:\n    - |\n"
            "      NCCL_SOCKET_IFNAME=eth0 python train.py\n",
            unsafe="test:\n  variables: {ASCEND_RT_VISIBLE_DEVICES: '0'}\n  script:\n    - |\n"
            "      HCCL_SOCKET_IFNAME=eth0 python train.py\n",
            path=".gitlab-ci.yml",
        ),
        Example("CUDA_VISIBLE_DEVICES=0,1\n", "ASCEND_RT_VISIBLE_DEVICES=0,1\n", path=".env"),
        Example("export CUDA_VISIBLE_DEVICES=3,1\n", "export ASCEND_RT_VISIBLE_DEVICES=3,1\n"),
        Example(
            "export NCCL_DEBUG=INFO NCCL_BUFFSIZE='8388608'\n",
            unsafe="export ASCEND_GLOBAL_LOG_LEVEL=1 HCCL_BUFFSIZE='8'\n",
        ),
        Example("export NCCL_DEBUG=${NCCL_DEBUG:-WARN}\n"),
        Example("CUDA_VISIBLE_DEVICES=0 python train.py\n", version="1.5.0"),
        Example.unchanged(
            "# CUDA_VISIBLE_DEVICES=0 python train.py\necho 'set CUDA_VISIBLE_DEVICES'\n"
            "MY_CUDA_VISIBLE_DEVICES=0\nexport GLOO_SOCKET_IFNAME=eth0\n"
        ),
        Example.unchanged("export CUDA_VISIBLE_DEVICES=0\npython -m paddle.distributed.launch train.py\n"),
        Example.unchanged("export CUDA_VISIBLE_DEVICES=0\nexport ASCEND_RT_VISIBLE_DEVICES=0\n"),
    )

    @on.place(Variable)
    def named(self, place: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        variable = variable_for(place.name, ctx.version)
        if variable is None or variable.treatment not in ("rename", "similar", "advise"):
            return
        if _is_set_here(variable.target, ctx) or is_of_another_framework(ctx):
            return
        if starts(ctx) is Starts.SERVED:
            return  # it starts them on CUDA; how they are started on the NPU is their authors' affair
        arguments: dict[str, Any] = {
            "variable": variable.name,
            "target": variable.target,
            "version": ctx.version,
        }
        key = variable.advice or "renamed"
        if variable.advice == "allocator":
            arguments["keys"] = ", ".join(allocator_keys(ctx.version, ctx.options.hardware))
        if variable.treatment == "advise":
            yield self.report(place, key, Severity.ERROR, **arguments)
            return
        fix = self._renamed(place, variable, ctx)
        if fix is not None and starts(ctx) is Starts.BOTH:
            fix = fix._replace(applicability=Applicability.UNSAFE)
        is_given = place.use in _GIVES and fix is not None
        severity = Severity.WARNING if is_given else Severity.INFORMATION
        yield self.report(place, key, severity, fix=fix, **arguments)

    def _renamed(self, place: Variable, variable: EnvironmentVariable, ctx: PlaceContext) -> Fix | None:
        edits = [Edit(place.start, place.end, variable.target)]
        if variable.treatment == "rename":
            is_known = variable.advice != "allocator" or not ctx.once(
                ("foreign keys", variable.name), lambda: _has_foreign_keys(variable.name, ctx)
            )
            return self.fix(Applicability.SAFE if is_known else Applicability.UNSAFE, edits=edits)
        if not ctx.once(("convertible", variable.name), lambda: _are_convertible(variable, ctx)):
            return None
        if place.value is not None:
            edits += _converted(place.value, variable)
        return self.fix(Applicability.UNSAFE, edits=edits)


def _are_convertible(variable: EnvironmentVariable, ctx: PlaceContext) -> bool:
    """Whether every place that names a variable can become one of its counterpart."""
    return all(_is_convertible(item, variable) for item in _places_of(variable.name, ctx))


def _places_of(name: str, ctx: PlaceContext) -> tuple[Variable, ...]:
    return summary_of(ctx).variables.get(name, ())


def _is_convertible(place: Variable, variable: EnvironmentVariable) -> bool:
    """Whether a place can become one of a counterpart that takes other values."""
    if place.use is Use.NAME:
        return True
    if place.use is Use.READ or place.value is None or place.value.text is None:
        return False
    return variable.advice not in ("log", "megabytes") or bool(_converted(place.value, variable))


def _converted(value: Word, variable: EnvironmentVariable) -> list[Edit]:
    new = converted(variable.advice, value.text or "")
    span = value.span_of(value.text or "")
    return [Edit(*span, new)] if new is not None and span is not None else []


def _has_foreign_keys(name: str, ctx: PlaceContext) -> bool:
    """Whether the file gives the allocator settings that torch_npu's does not have."""
    values = (place.value.text for place in _places_of(name, ctx) if place.value is not None)
    return any(
        value is not None and has_foreign_keys(value, ctx.version, ctx.options.hardware) for value in values
    )


def _is_set_here(name: str, ctx: PlaceContext) -> bool:
    """Whether the script deals with the counterpart itself."""
    return ctx.once(
        ("set here", name), lambda: any(place.use is not Use.READ for place in _places_of(name, ctx))
    )


def _is_exported(name: str, ctx: PlaceContext) -> bool:
    """Whether the file puts a variable into the environment of a program."""
    places = (place for place in _places_of(name, ctx) if place.use is not Use.READ)
    return any(place.use in (Use.PREFIX, Use.NAME) or _is_behind_export(place, ctx.file) for place in places)


def _is_behind_export(place: Variable, file: KindFile) -> bool:
    line = file.lines.line_start(file.lines.line_of(place.start))
    return _EXPORTS.search(file.data, max(line, place.start - _BEFORE), place.start) is not None


class ShellVisibleDevices(Rule):
    """A script lists the visible devices in a form that the NPU's runtime does not accept.

    What it does: Checks literal values of CUDA_VISIBLE_DEVICES and of its counterpart. It offers to sort the
    numbers, and reports other values, such as UUIDs.

    Why it matters on the NPU: Unless the numbers are in ascending order, no device is visible at all.

    Example: ``ASCEND_RT_VISIBLE_DEVICES=3,1``.

    Use instead: ``1,3``; the program, not the variable, must choose the order in which it uses its devices.
    """

    code = "NPU1003"
    words = ("visible_devices",)
    example_path = "train.sh"
    examples = (
        Example("export CUDA_VISIBLE_DEVICES='3,1'\n", unsafe="export CUDA_VISIBLE_DEVICES='1,3'\n"),
        Example("CUDA_VISIBLE_DEVICES=GPU-8932f937 python train.py\n"),
        Example.unchanged(
            "export CUDA_VISIBLE_DEVICES=0,1\nCUDA_VISIBLE_DEVICES= python a.py\n"
            "CUDA_VISIBLE_DEVICES=-1 python a.py\nCUDA_VISIBLE_DEVICES=$1 python a.py\n"
        ),
    )

    @on.place(Variable)
    def given(self, place: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        value = place.value
        text = value.text if value is not None else None
        if place.name not in ("CUDA_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES"):
            return
        if value is None or text is None or is_no_device(text) or is_of_another_framework(ctx):
            return
        if place.name == "CUDA_VISIBLE_DEVICES" and starts(ctx) is Starts.SERVED:
            return
        if not is_device_list(text):
            yield self.report(value, "other", Severity.ERROR, value=text)
        elif in_order(text) != text:
            span = value.span_of(text)
            edits = [Edit(*span, in_order(text))] if span is not None else []
            fix = self.fix(Applicability.UNSAFE, edits=edits) if edits else None
            yield self.report(value, "order", Severity.WARNING, fix=fix, value=text)


class ShellUselessVariable(Rule):
    """A script sets an environment variable of CUDA or NCCL that nothing on the NPU reads.

    What it does: Offers to remove the setting before a command; other settings, and CUDA directories in the
    search paths, are reported.

    Why it matters on the NPU: The setting has no effect, or the script looks for CUDA where there is none.

    Example: ``NCCL_IB_DISABLE=1 torchrun train.py`` becomes ``torchrun train.py``.

    Use instead: what the message names, if anything.
    """

    code = "NPU1002"
    words = _WORDS
    example_path = "train.sh"
    examples = (
        Example(
            "NCCL_TREE_THRESHOLD=0 NCCL_IB_DISABLE=1 deepspeed train.py\n", unsafe="deepspeed train.py\n"
        ),
        Example("export CUDA_HOME=/usr/local/cuda\n"),
        Example("export LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH\n"),
        Example.unchanged(
            "export CUDA_DEVICE_MAX_CONNECTIONS=1\necho $CUDA_VISIBLE_DEVICES\nexport PATH=/opt/bin:$PATH\n"
            "CUDNN_BENCHMARK=true\nNCCL_VER=2.4\necho $CUDNN_BENCHMARK $NCCL_VER\n"
        ),
    )

    @on.place(Variable)
    def named(self, place: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        if is_of_another_framework(ctx) or starts(ctx) is Starts.SERVED:
            return
        if place.name in _PATHS:
            if place.value is not None and any(name in place.value.raw for name in _OF_CUDA):
                yield self.report(place, "path", Severity.INFORMATION, variable=place.name)
            return
        variable = variable_for(place.name, ctx.version)
        if variable is None or variable.treatment not in ("drop", "ignored"):
            return
        if (place.use is Use.READ and _is_set_here(place.name, ctx)) or _is_of_script(place.name, ctx):
            return  # said where it is set
        is_dropped = variable.treatment == "drop"
        fix = self._without(place, ctx) if is_dropped and place.use is Use.PREFIX else None
        severity = Severity.INFORMATION if is_dropped else Severity.HINT
        yield self.report(place, variable.advice, severity, fix=fix, variable=variable.name)

    def _without(self, place: Variable, ctx: PlaceContext) -> Fix | None:
        """The fix that takes a setting off a command."""
        end = place.value.end if place.value is not None else place.end + 1
        data = ctx.file.data
        after = end
        while data[after : after + 1] in (b" ", b"\t"):
            after += 1
        if after == end or data[after : after + 1] in (b"\n", b"\r", b"\\", b""):
            return None
        before = data[max(place.start - _BEFORE, 0) : place.start].rstrip(b" \t")
        if before.endswith((b"-x", b"-e", b"--env")):
            return None
        return self.fix(Applicability.UNSAFE, edits=[Edit(place.start, after, "")])


def _is_of_script(name: str, ctx: PlaceContext) -> bool:
    """Whether a variable is the script's own, whatever it is called."""
    if is_named_in_full(name):
        return False
    return not ctx.once(("exported", name), lambda: _is_exported(name, ctx))
