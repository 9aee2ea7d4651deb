"""NPU901 and NPU903: environment variables of CUDA and NCCL. The facts are in environment.tsv."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from tree_sitter import Node

from ...edits.removal import statement_removal
from ...engine.context import Context
from ...engine.events import KeywordRef, StringRef
from ...engine.rule import Example, Rule, on
from ...flow import Role
from ...flow.command_line.programs import starts_served
from ...flow.guards.cuda_guards import is_build_script
from ...flow.libraries import is_of_another_framework
from ...flow.subjects.commands import command_role
from ...flow.subjects.environment import (
    EnvironmentVariable,
    given_value,
    is_environment,
    is_named_in_full,
    set_value,
    setting_statement,
    variable_for,
    variable_role,
)
from ...flow.subjects.variable_values import allocator_keys, converted, has_foreign_keys
from ...flow.templates import plain_text
from ...limits.parents import parent_of, parent_type
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...renames.texts import literal_becomes, part_becomes, written_text
from ...text.syntax import field, last_name
from ...text.unit_tests import is_unit_test

WORDS = ("CUDA", "NCCL", "CUDNN_", "NVIDIA_", "CUBLAS_")
"""One of these is in every name of the table that is not kept. Each costs a search of every file."""
_KEYWORDS = ("CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "PYTORCH_CUDA_ALLOC_CONF", "NCCL_DEBUG")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_SETTING = re.compile(
    r"(?:^|(?<=[\s;&|('\"]))([A-Z][A-Z0-9_]*)(?==)|(?<=\$)([A-Z][A-Z0-9_]*)|(?<=\$\{)([A-Z][A-Z0-9_]*)"
)


class _Mention(NamedTuple):
    """A place that names a variable."""

    node: Node
    """What the finding is on."""
    at: int | None
    """Where the name begins among the characters of a literal; None for a keyword, which is the name."""
    variable: EnvironmentVariable
    certain: bool
    value: Node | None = None
    """What the variable is set to there, if it is a string."""

    @property
    def text(self) -> str | None:
        """The value, when it is a literal text."""
        return plain_text(self.value) if self.value is not None else None


def mentions(ref: StringRef, ctx: Context) -> Iterator[_Mention]:
    """The variables that a string names: it is a name, or a command that sets or reads some."""
    if ref.is_bytes:
        return
    if _NAME.fullmatch(ref.text):
        variable = variable_for(ref.text, ctx.version)
        place = variable_role(ref.node, ctx) if variable is not None else Role.SHOWN
        if variable is not None and place is not Role.SHOWN:
            certain = place is Role.CONSUMED
            yield _Mention(ref.node, 0, variable, certain, given_value(ref.node))
    elif "=" in ref.text or "$" in ref.text:
        yield from _in_command(ref, ctx)


def _in_command(ref: StringRef, ctx: Context) -> Iterator[_Mention]:
    settings = _SETTING.finditer(written_text(ref.node))
    found = [match for match in settings if variable_for(match[0], ctx.version) is not None]
    use = command_role(ref.node, ctx) if found else Role.SHOWN
    for match in found:
        variable = variable_for(match[0], ctx.version)
        if use is not Role.SHOWN and variable is not None:
            yield _Mention(ref.node, match.start(), variable, use is Role.CONSUMED)


def keyword_mention(ref: KeywordRef, ctx: Context) -> _Mention | None:
    """``dict(os.environ, NAME=value)``, ``environ.update(NAME=value)`` and ``env=dict(NAME=value)``."""
    variable = variable_for(ref.name, ctx.version)
    function = field(ref.call, "function")
    if variable is None or function is None or last_name(ref.call) not in ("dict", "update"):
        return None
    receiver = field(function, "object")
    holder = parent_of(ref.call)
    given = field(holder, "name") or field(holder, "left")
    certain = (
        is_environment(ref.call, ctx)
        or (receiver is not None and is_environment(receiver, ctx))
        or (given is not None and is_environment(given, ctx))
    )
    return _Mention(ref.node, None, variable, certain, ref.value)


def _serves_npu(ctx: Context) -> bool:
    """Whether the file is part of a program that serves the NPU already, or starts such a program."""
    path, project = ctx.source.path, ctx.project
    return project.program.served_program(path) is not None or starts_served(ctx.source.text, project, path)


class CudaEnvironmentVariable(Rule):
    """An environment variable of CUDA or NCCL is used that has a counterpart.

    What it does: Renames the variable where the environment is read, changed, searched or passed on, and in
    commands that are run. If the file does not show whether a string is the name of a variable, or if the
    counterpart has other values, the change is only offered; known values are changed as well.

    Why it matters on the NPU: Nothing on the NPU reads CUDA's variables: the program uses card 0, or all
    cards, and the settings are silently ignored.

    Example: ``os.environ['CUDA_VISIBLE_DEVICES']`` becomes ``os.environ['ASCEND_RT_VISIBLE_DEVICES']``.

    Use instead: the variable that the message names, set before torch_npu first uses a device.
    """

    code = "NPU901"
    only_with = "CUDA"
    examples = (
        Example(
            "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0,1'\n"
            "x = os.environ.get(\"CUDA_VISIBLE_DEVICES\", '')\n"
            "y = os.getenv('CUDA_LAUNCH_BLOCKING')\nos.putenv('NCCL_SOCKET_IFNAME', 'eth0')\n"
            "os.unsetenv('CUDA_VISIBLE_DEVICES')\nok = 'CUDA_VISIBLE_DEVICES' in os.environ\n"
            "del os.environ['CUDA_VISIBLE_DEVICES']\nos.environ.pop('CUDA_VISIBLE_DEVICES', None)\n"
            "ok = 'CUDA_VISIBLE_DEVICES' in os.environ.keys()\n",
            "import os\nos.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0,1'\n"
            "x = os.environ.get(\"ASCEND_RT_VISIBLE_DEVICES\", '')\n"
            "y = os.getenv('ASCEND_LAUNCH_BLOCKING')\nos.putenv('HCCL_SOCKET_IFNAME', 'eth0')\n"
            "os.unsetenv('ASCEND_RT_VISIBLE_DEVICES')\nok = 'ASCEND_RT_VISIBLE_DEVICES' in os.environ\n"
            "del os.environ['ASCEND_RT_VISIBLE_DEVICES']\n"
            "os.environ.pop('ASCEND_RT_VISIBLE_DEVICES', None)\n"
            "ok = 'ASCEND_RT_VISIBLE_DEVICES' in os.environ.keys()\n",
        ),
        Example(
            "from os import environ\nenviron['CUDA_VISIBLE_DEVICES'] = '-1'\n"
            "environ.setdefault('NCCL_BLOCKING_WAIT', '1')\n",
            "from os import environ\nenviron['ASCEND_RT_VISIBLE_DEVICES'] = '-1'\n"
            "environ.setdefault('TORCH_HCCL_BLOCKING_WAIT', '1')\n",
            version="2.7.1",
        ),
        Example(
            "import os\nos.environ['TORCH_NCCL_ASYNC_ERROR_HANDLING'] = '1'\n",
            "import os\nos.environ['HCCL_ASYNC_ERROR_HANDLING'] = '1'\n",
        ),
        Example(
            "import os, subprocess\nenv = os.environ.copy()\nenv['CUDA_VISIBLE_DEVICES'] = str(i)\n"
            "subprocess.run(cmd, env={**os.environ, 'CUDA_VISIBLE_DEVICES': '0'})\n"
            "subprocess.run(cmd, env=dict(os.environ, CUDA_VISIBLE_DEVICES='0'))\n"
            "os.environ.update({'CUDA_VISIBLE_DEVICES': '0'})\nos.environ.update(CUDA_VISIBLE_DEVICES='0')\n",
            "import os, subprocess\nenv = os.environ.copy()\nenv['ASCEND_RT_VISIBLE_DEVICES'] = str(i)\n"
            "subprocess.run(cmd, env={**os.environ, 'ASCEND_RT_VISIBLE_DEVICES': '0'})\n"
            "subprocess.run(cmd, env=dict(os.environ, ASCEND_RT_VISIBLE_DEVICES='0'))\n"
            "os.environ.update({'ASCEND_RT_VISIBLE_DEVICES': '0'})\n"
            "os.environ.update(ASCEND_RT_VISIBLE_DEVICES='0')\n",
        ),
        Example(
            "def test(monkeypatch):\n    monkeypatch.setenv('CUDA_VISIBLE_DEVICES', '0')\n"
            "@mock.patch.dict(os.environ, {'CUDA_VISIBLE_DEVICES': '0'})\ndef test_two(): ...\n",
            "def test(monkeypatch):\n    monkeypatch.setenv('ASCEND_RT_VISIBLE_DEVICES', '0')\n"
            "@mock.patch.dict(os.environ, {'ASCEND_RT_VISIBLE_DEVICES': '0'})\ndef test_two(): ...\n",
        ),
        Example(
            "import os\nVISIBLE = 'CUDA_VISIBLE_DEVICES'\nos.environ[VISIBLE] = '0'\n",
            "import os\nVISIBLE = 'ASCEND_RT_VISIBLE_DEVICES'\nos.environ[VISIBLE] = '0'\n",
        ),
        Example(
            "import os\ndef variable():\n    return 'CUDA_VISIBLE_DEVICES'\nos.environ[variable()] = '0'\n",
            "import os\ndef variable():\n    return 'ASCEND_RT_VISIBLE_DEVICES'\n"
            "os.environ[variable()] = '0'\n",
        ),
        Example(
            "import os\nname = os.environ['CUDA_VISIBLE_DEVICES' if gpu else 'OTHER']\n"
            "for one in ('CUDA_VISIBLE_DEVICES', 'PATH'):\n    os.environ.pop(one)\n",
            "import os\nname = os.environ['ASCEND_RT_VISIBLE_DEVICES' if gpu else 'OTHER']\n"
            "for one in ('ASCEND_RT_VISIBLE_DEVICES', 'PATH'):\n    os.environ.pop(one)\n",
        ),
        Example(
            "import os\nos.system('CUDA_VISIBLE_DEVICES=0 python train.py')\n"
            "cmd = f'export NCCL_SOCKET_IFNAME={name}; CUDA_VISIBLE_DEVICES={gpu} python t.py'\n"
            "os.popen(cmd)\n",
            "import os\nos.system('ASCEND_RT_VISIBLE_DEVICES=0 python train.py')\n"
            "cmd = f'export HCCL_SOCKET_IFNAME={name}; ASCEND_RT_VISIBLE_DEVICES={gpu} python t.py'\n"
            "os.popen(cmd)\n",
        ),
        Example(
            "import yaml\nrun = 'env CUDA_VISIBLE_DEVICES={} python t.py'\nyaml.dump([run.format(0)], f)\n",
            unsafe="import yaml\nrun = 'env ASCEND_RT_VISIBLE_DEVICES={} python t.py'\n"
            "yaml.dump([run.format(0)], f)\n",
        ),
        Example.unchanged("import torch\np = Parser(usage='CUDA_VISIBLE_DEVICES=0 python t.py -x')\n"),
        Example(
            "import os\n"
            "os.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'max_split_size_mb:128,expandable_segments:True'\n",
            "import os\n"
            "os.environ['PYTORCH_NPU_ALLOC_CONF'] = 'max_split_size_mb:128,expandable_segments:True'\n",
        ),
        Example(
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'roundup_power2_divisions:4'\n",
            "import os\nos.environ['PYTORCH_NPU_ALLOC_CONF'] = 'roundup_power2_divisions:4'\n",
        ),
        Example(
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'roundup_power2_divisions:4'\n",
            unsafe="import os\nos.environ['PYTORCH_NPU_ALLOC_CONF'] = 'roundup_power2_divisions:4'\n",
            version="2.6.0",
        ),
        Example(
            "import os\nos.environ['PYTORCH_CUDA_ALLOC_CONF'] = 'backend:cudaMallocAsync'\n",
            unsafe="import os\nos.environ['PYTORCH_NPU_ALLOC_CONF'] = 'backend:cudaMallocAsync'\n",
        ),
        Example(
            "import os\nos.environ['NCCL_DEBUG'] = 'INFO'\nos.environ['NCCL_BUFFSIZE'] = '8388608'\n"
            "os.environ['NVIDIA_VISIBLE_DEVICES'] = 'all'\n",
            unsafe="import os\nos.environ['ASCEND_GLOBAL_LOG_LEVEL'] = '1'\n"
            "os.environ['HCCL_BUFFSIZE'] = '8'\n"
            "os.environ['ASCEND_VISIBLE_DEVICES'] = 'all'\n",
        ),
        Example(
            "for name in ['CUDA_VISIBLE_DEVICES', 'PATH']:\n    forward(name)\n",
            unsafe="for name in ['ASCEND_RT_VISIBLE_DEVICES', 'PATH']:\n    forward(name)\n",
        ),
        Example("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n", version="1.5.0"),
        Example.unchanged(
            "import os\nprint('CUDA_VISIBLE_DEVICES', x)\nlog.info(f'CUDA_VISIBLE_DEVICES={x}')\n"
            "raise ValueError('set CUDA_VISIBLE_DEVICES=0')\n"
            "os.environ['CUDA_DEVICE_MAX_CONNECTIONS'] = '1'\n"
            "os.environ['MY_CUDA_VISIBLE_DEVICES'] = '0'\nos.environ['GLOO_SOCKET_IFNAME'] = 'eth0'\n"
        ),
        Example.unchanged(
            "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
            "os.environ['ASCEND_RT_VISIBLE_DEVICES'] = '0'\n"
        ),
    )

    @on.string(*WORDS)
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        for mention in mentions(ref, ctx):
            yield from self._finding(mention, ctx)

    @on.keyword(*_KEYWORDS)
    def keyword(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        mention = keyword_mention(ref, ctx)
        if mention is not None:
            yield from self._finding(mention, ctx)

    def _finding(self, mention: _Mention, ctx: Context) -> Iterator[Finding]:
        variable = mention.variable
        if is_of_another_framework(ctx) or ctx.once("serves the NPU", lambda: _serves_npu(ctx)):
            return
        key = variable.advice or "renamed"
        arguments: dict[str, Any] = {
            "variable": variable.name,
            "target": variable.target,
            "version": ctx.version,
        }
        if variable.advice == "allocator":
            arguments["keys"] = ", ".join(allocator_keys(ctx.version, ctx.options.hardware))
        if variable.treatment == "advise":
            yield self.report(mention.node, key, Severity.ERROR, **arguments)
        elif variable.treatment == "similar" and is_unit_test(ctx.source):
            return  # a test of what the program sets: nothing reads it on the NPU
        elif variable.treatment in ("rename", "similar") and not _sets_counterpart(
            variable.target, mention.node, ctx
        ):
            fix = self._renamed(mention, ctx)
            if variable.target == "PYTORCH_NPU_ALLOC_CONF" and _is_set_twice(ctx):
                fix, key = None, "allocator_twice"
            severity = Severity.WARNING if mention.certain and fix is not None else Severity.INFORMATION
            yield self.report(mention.node, key, severity, fix=fix, **arguments)

    def _renamed(self, mention: _Mention, ctx: Context) -> Fix | None:
        variable = mention.variable
        renamed = _renamed_at(mention)
        if renamed is None:
            return None
        edits = [*renamed, *_changed_value(mention)]
        safe = mention.certain and variable.treatment == "rename" and not _has_foreign_keys(mention, ctx)
        return self.fix(Applicability.SAFE if safe else Applicability.UNSAFE, edits=edits)


def _renamed_at(mention: _Mention) -> list[Edit] | None:
    """The edits that put the counterpart's name in the place of a variable's."""
    name, target = mention.variable.name, mention.variable.target
    if mention.at is None:
        start = mention.node.start_byte
        return [Edit(start, start + len(name), target)]
    return part_becomes(mention.node, mention.at, mention.at + len(name), target)


def _sets_counterpart(target: str, node: Node, ctx: Context) -> bool:
    """Whether the block around a place deals with the counterpart itself."""
    block = ctx.source.enclosing(node, "block", "module") or ctx.source.root

    def is_named() -> bool:
        return ctx.source.data.find(target.encode(), block.start_byte, block.end_byte) >= 0

    return ctx.once(("named beside", target, block.id), is_named)


def _is_set_twice(ctx: Context) -> bool:
    """Whether the file also has the variable that newer releases read in the same role: both are an error."""
    return ctx.version[:2] >= (2, 10) and bool(ctx.source.occurrences("PYTORCH_ALLOC_CONF"))


def _has_foreign_keys(mention: _Mention, ctx: Context) -> bool:
    """Whether the allocator is given settings that torch_npu's does not have."""
    if mention.variable.advice != "allocator" or mention.text is None:
        return False
    return has_foreign_keys(mention.text, ctx.version, ctx.options.hardware)


def _changed_value(mention: _Mention) -> Iterator[Edit]:
    """The edit of a literal value whose meaning or unit is another one for the counterpart."""
    text = mention.text
    if text is None or mention.value is None or mention.value.type != "string":
        return
    new = converted(mention.variable.advice, text)
    if new is not None:
        yield from literal_becomes(mention.value, new) or ()


class UselessEnvironmentVariable(Rule):
    """An environment variable of CUDA or NCCL is used that nothing on the NPU reads.

    What it does: Offers to remove the statement that sets the variable; other uses are reported, except
    questions of a script that builds extensions.

    Why it matters on the NPU: The setting has no effect, or the program looks for CUDA where there is none.

    Example: ``os.environ['NCCL_IB_DISABLE'] = '1'``.

    Use instead: what the message names, if anything.
    """

    code = "NPU903"
    only_with = "CUDA"
    examples = (
        Example(
            "import os\nos.environ['NCCL_IB_DISABLE'] = '1'\n"
            "os.environ['CUDA_DEVICE_ORDER'] = 'PCI_BUS_ID'\nx = 1\n",
            unsafe="import os\nx = 1\n",
        ),
        Example("import os\nhome = os.environ.get('CUDA_HOME')\n"),
        Example("import os, torch\nos.environ['CUBLAS_WORKSPACE_CONFIG'] = ':4096:8'\n"),
        Example(
            "import os\nif fast:\n    os.environ.setdefault('NCCL_ALGO', 'Ring')\n",
            unsafe="import os\nif fast:\n    pass\n",
        ),
        Example.unchanged(
            "import os\nos.environ['CUDA_DEVICE_MAX_CONNECTIONS'] = '1'\nprint('CUDA_HOME')\n"
            "os.environ['CUDA_VISIBLE_DEVICES'] = '0'\n"
        ),
        Example.unchanged("import os\nfast = bool(int(os.getenv('CUDNN_BENCHMARK', 1)))\n"),
        Example.unchanged(
            "import os\nfrom setuptools import setup\nif os.environ.get('FORCE_CUDA'):\n    setup(name='a')\n"
        ),
        Example("import os\nfrom setuptools import setup\nsetup(name=os.environ['FORCE_CUDA'])\n"),
    )

    @on.string(*WORDS)
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        for mention in mentions(ref, ctx):
            variable = mention.variable
            if variable.treatment not in ("drop", "ignored") or not mention.certain:
                continue
            if _is_own(mention) or (is_build_script(ctx) and _is_asked(ref.node)):
                continue  # what a build asks is answered where it builds for CUDA
            statement = setting_statement(ref.node) if variable.treatment == "drop" else None
            fix = None
            if statement is not None:
                edits = [statement_removal(ctx.source, statement)]
                fix = self.fix(Applicability.UNSAFE, edits=edits)
            severity = Severity.INFORMATION if variable.treatment == "drop" else Severity.HINT
            yield self.report(ref.node, variable.advice, severity, fix=fix, variable=variable.name)


def _is_asked(name: Node) -> bool:
    """Whether it is asked for a variable, which need not be there: ``os.environ[name]`` fails without it."""
    return set_value(name) is None and parent_type(name) != "subscript"


def _is_own(mention: _Mention) -> bool:
    """Whether a variable is one of the project: it is read with a default, and only named like a family's."""
    has_default = mention.value is not None and mention.value.type != "none"
    is_set = set_value(mention.node) is not None
    return has_default and not is_set and not is_named_in_full(mention.variable.name)
