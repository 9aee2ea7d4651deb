"""NPU904 and NPU905: programs of NVIDIA's that a script runs, and files that it tests for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import StringRef
from ...engine.rule import Example, Rule, on, replace
from ...flow import Role
from ...flow.command_line.output import Reading, reading_of_command
from ...flow.subjects.commands import (
    command_role,
    is_alone,
    is_program_call,
    is_run_by_shell,
    next_elements,
    takes_file,
    takes_words,
)
from ...flow.templates import plain_text
from ...limits.parents import parent_of, parent_type
from ...model.finding import Applicability, Edit, Finding, Fix, Severity
from ...renames.driver_files import npu_file
from ...renames.texts import literal_becomes, part_becomes, word_becomes, written_text
from ...text.syntax import (
    arguments_of,
    call_of,
    enclosing,
    last_name,
    outside_parentheses,
    passed_to,
    text_of,
)

_SMI = re.compile(r"((?:(?:sudo|which|watch(?: -\S+)*(?: \d+)?) +)*)nvidia-smi(?![\w.-])(.*)", re.S)
_COUNTS = re.compile(
    r"--query-gpu[= ]count\b|(?:-L|--list-gpus|--query-gpu\S*).*\|\s*(?:wc\s+-l|grep\s+(?:-\w+\s+)*-\w*c)"
    r"|^\s*--list-gpus\s*$",
    re.S,
)
"""Arguments, and pipes, that give the number of devices."""
_TESTS_OF_FILES = frozenset(
    {"exists", "lexists", "isdir", "isfile", "islink", "is_dir", "is_file", "access", "stat", "glob", "iglob"}
)
_OF_TOOLKIT = re.compile(rb"/usr/local/cuda|nvcc|CUDA_|include_dirs|library_dirs|LD_LIBRARY_PATH")
_NEAR = 2000
"""Bytes of a branch in which the use of the CUDA toolkit is looked for."""
_COMMAND = re.compile(r"(nsys|ncu|nvprof|dlprof|horovodrun)(?: |$)")
_PROGRAM = re.compile(r"(?:^| )((?:python\S*|torchrun|accelerate|deepspeed) )")


class NvidiaSmi(Rule):
    """The program nvidia-smi is run.

    What it does: Replaces nvidia-smi without arguments with ``npu-smi info``, and offers ``npu-smi info -l``
    for ``nvidia-smi -L``, if the output is not used or only shown. Queries, output that the program counts or
    parses, and pipes are reported. A test for the files of NVIDIA's driver or toolkit,
    ``os.path.exists('/dev/nvidia0')``, is offered the NPU's.

    Why it matters on the NPU: There is no such program; its replacement prints another table and has other
    options. A test for NVIDIA's files is false, so the program silently goes on without the device.

    Example: ``os.system('nvidia-smi')``.

    Use instead: ``npu-smi info``; for memory ``torch_npu.npu.mem_get_info()``, for the number of devices
    ``torch_npu.npu.device_count()``; for the files ``/dev/davinci0`` and ``/usr/local/Ascend``.
    """

    code = "NPU904"
    examples = (
        Example(
            "import os, subprocess\nos.system('nvidia-smi')\nsubprocess.run(['nvidia-smi'])\n"
            "subprocess.call('nvidia-smi', shell=True)\nsubprocess.check_output('nvidia-smi')\n",
            "import os, subprocess\nos.system('npu-smi info')\nsubprocess.run(['npu-smi', 'info'])\n"
            "subprocess.call('npu-smi info', shell=True)\nsubprocess.check_output(['npu-smi', 'info'])\n",
        ),
        Example(
            "import os, shutil\nos.popen('nvidia-smi -L').read()\nsubprocess.run(['nvidia-smi', '-L'])\n"
            "if shutil.which('nvidia-smi'):\n    pass\n",
            unsafe="import os, shutil\nos.popen('npu-smi info -l').read()\n"
            "subprocess.run(['npu-smi', 'info', '-l'])\nif shutil.which('npu-smi'):\n    pass\n",
        ),
        Example(
            "import os, subprocess\ncmd = 'nvidia-smi'\nsubprocess.run(cmd, shell=True)\n"
            "os.system('which nvidia-smi')\n",
            unsafe="import os, subprocess\ncmd = 'npu-smi info'\nsubprocess.run(cmd, shell=True)\n"
            "os.system('which npu-smi')\n",
        ),
        Example(
            "import os, subprocess\ndef show(text):\n    os.system(text)\nshow('nvidia-smi')\n"
            "job = {'cmd': 'nvidia-smi'}\ndef smi():\n    return ['nvidia-smi']\n"
            "subprocess.run(smi())\n",
            unsafe="import os, subprocess\ndef show(text):\n    os.system(text)\nshow('npu-smi info')\n"
            "job = {'cmd': 'npu-smi info'}\ndef smi():\n    return ['npu-smi', 'info']\n"
            "subprocess.run(smi())\n",
        ),
        Example(
            "import subprocess as sp\nCMD = 'nvidia-smi --query-gpu=memory.free --format=csv'\n"
            "out = sp.check_output(CMD.split())\n"
        ),
        Example("import os\nn = len(os.popen('nvidia-smi -L').read().splitlines())\n"),
        Example("path = shutil.which('nvidia-smi')\nsubprocess.run([path, '--query-gpu=count'])\n"),
        Example("n = subprocess.check_output(['nvidia-smi', '--query-gpu=count'])\n"),
        Example("import os\nos.system('nvidia-smi --query-gpu=memory.free')\n"),
        Example("cmd = 'nvidia-smi -L | wc -l'\nn = subprocess.run(cmd, shell=True)\n"),
        Example(
            "import os\nif os.path.exists('/dev/nvidia0') or Path('/dev/nvidia0').exists():\n    pass\n"
            "n = len(glob('/dev/nvidia*'))\nhas_toolkit = os.path.isdir('/usr/local/cuda')\n",
            unsafe="import os\nif os.path.exists('/dev/davinci0') or Path('/dev/davinci0').exists():\n"
            "    pass\nn = len(glob('/dev/davinci[0-9]*'))\n"
            "has_toolkit = os.path.isdir('/usr/local/Ascend')\n",
        ),
        Example.unchanged(
            "import os\nhome = '/usr/local/cuda' if os.path.isdir('/usr/local/cuda') else None\n"
            "print('/dev/nvidia0')\n"
        ),
        Example.unchanged(
            "print('nvidia-smi')\nraise FileNotFoundError('nvidia-smi: command not found')\n"
            "log.info('run nvidia-smi to see more')\npath = os.path.join(root, 'nvidia-smi')\n"
        ),
    )

    @on.string("nvidia-smi")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        match = _SMI.fullmatch(ref.text)
        if match is None or ref.is_bytes:
            return
        use = command_role(ref.node, ctx)
        call = enclosing(ref.node, "call")
        if call is not None and last_name(call) == "which":
            yield self._looked_for(ref.node, call)
        elif use is not Role.SHOWN:
            yield from self._run(ref, match, use, ctx)

    @on.string("/dev/nvidia", "/usr/local/cuda")
    def file(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        instead = npu_file(ref.text)
        if instead is None or ref.is_bytes or not _is_file_tested(ref.node):
            return
        if ref.text.startswith("/usr/local/cuda") and _serves_the_toolkit(ref.node, ctx):
            return
        edits = literal_becomes(ref.node, instead)
        fix = self.fix(Applicability.UNSAFE, edits=edits) if edits else None
        yield self.report(ref.node, "file", Severity.WARNING, fix=fix, file=ref.text, instead=instead)

    def _looked_for(self, string: Node, call: Node) -> Finding:
        """``which('nvidia-smi')``: where the path is kept it is going to be run, with arguments unknown."""
        if parent_type(call) in ("assignment", "argument_list", "named_expression"):
            return self.report(string, "query", Severity.ERROR)
        fix = self.fix(Applicability.UNSAFE, edits=_renamed(string, "npu-smi"))
        return self.report(string, "plain", Severity.WARNING, fix=fix)

    def _run(self, ref: StringRef, match: re.Match[str], use: Role, ctx: Context) -> Iterator[Finding]:
        call = enclosing(ref.node, "call")
        if call is not None and takes_file(call):
            # The name is there twice, in places that must change together.
            yield self.report(ref.node, "query", Severity.ERROR)
            return
        rest = match[2].strip()
        is_word = _is_word(ref.node, call)
        following = [plain_text(item) for item in next_elements(ref.node)] if is_word else []
        key, fix = self._instead(ref.node, (match[1], rest), following, use, ctx)
        is_quiet = key == "query" and call is not None and _fails_quietly(call)
        is_harmless = fix is not None or is_quiet
        yield self.report(ref.node, key, Severity.WARNING if is_harmless else Severity.ERROR, fix=fix)

    def _instead(
        self, string: Node, text: tuple[str, str], following: list[str | None], use: Role, ctx: Context
    ) -> tuple[str, Fix | None]:
        """The message, and the fix where the output of npu-smi serves as well.

        ``text`` is what the string has before the program and behind it.
        """
        before, rest = text
        reading = reading_of_command(string, ctx)
        if not rest and not following:
            if reading is Reading.READ:
                return "query", None
            searched = "which" in before
            certain = use is Role.CONSUMED and is_alone(string) and not searched
            certain = certain and reading is not Reading.UNKNOWN
            command = "npu-smi" if searched else "npu-smi info"
            return "plain", self._plain(string, command, certain, enclosing(string, "call"))
        if (rest, following) in (("-L", []), ("", ["-L"])):
            is_read = reading in (Reading.READ, Reading.UNKNOWN)
            # npu-smi prints several lines for each card: whoever counts them would get too many.
            return ("counted", None) if is_read else ("plain", self._list(string, rest))
        is_counted = _COUNTS.search(" ".join((rest, *(item or "" for item in following)))) is not None
        return "counted" if is_counted else "query", None

    def _plain(self, string: Node, text: str, certain: bool, call: Node | None) -> Fix:
        runs = call is not None and is_program_call(call)
        by_shell = is_run_by_shell(call) if call is not None and runs else False
        # A shell splits a text into words, and takes nothing but the first element of a list.
        certain = certain and by_shell is not None
        if _is_word(string, call):
            edits = [*_renamed(string, "npu-smi"), _inserted(string, "info")]
            if by_shell:
                edits = _renamed(string, text)
        elif runs and _is_argument(string):
            edits = _renamed(string, text)
            if not by_shell:
                edits = [replace(string, f"[{_quoted(string, 'npu-smi')}, {_quoted(string, 'info')}]")]
        else:
            # What is run through a variable needs a list where no shell takes it apart.
            certain = certain and call is not None and last_name(call) == "split"
            edits = _renamed(string, text)
        return self.fix(Applicability.SAFE if certain else Applicability.UNSAFE, edits=edits)

    def _list(self, string: Node, rest: str) -> Fix:
        if rest:
            return self.fix(Applicability.UNSAFE, edits=_renamed(string, "npu-smi info -l", "nvidia-smi -L"))
        option = next_elements(string)[0]
        edits = [*_renamed(string, "npu-smi"), _inserted(string, "info"), *_renamed(option, "-l", "-L")]
        return self.fix(Applicability.UNSAFE, edits=edits)


def _fails_quietly(call: Node) -> bool:
    """Whether nothing happens without the program: a shell says so, and the program goes on."""
    if parent_type(call) != "expression_statement":
        return False
    if last_name(call) == "system":
        return True
    return (
        bool(is_run_by_shell(call))
        and arguments_of(call).keyword("check") is None
        and (last_name(call) in ("run", "call", "Popen"))
    )


def _renamed(string: Node, text: str, old: str = "nvidia-smi") -> list[Edit]:
    return word_becomes(string, old, text) or []


def _inserted(string: Node, text: str) -> Edit:
    return Edit(string.end_byte, string.end_byte, f", {_quoted(string, text)}")


def _quoted(string: Node, text: str) -> str:
    quote = text_of(string)[-1]
    return f"{quote}{text}{quote}"


def _is_file_tested(string: Node) -> bool:
    """Whether a path is that of ``os.path.exists(path)``, ``glob(path)`` or ``Path(path).exists()``."""
    passed = passed_to(string)
    if passed is None:
        return False
    if last_name(passed.call) in _TESTS_OF_FILES:
        return passed.argument.position == 0
    method = call_of(parent_of(passed.call)) if last_name(passed.call) in ("Path", "PosixPath") else None
    return method is not None and last_name(method) in _TESTS_OF_FILES


def _serves_the_toolkit(string: Node, ctx: Context) -> bool:
    """Whether a test for the CUDA toolkit decides over its use alone: without it that is left out rightly."""
    branch = enclosing(string, "if_statement", "conditional_expression", "function_definition")
    around = branch if branch is not None else string
    before = ctx.source.data[max(around.start_byte, string.start_byte - _NEAR) : string.start_byte]
    after = ctx.source.data[string.end_byte : min(around.end_byte, string.end_byte + _NEAR)]
    return _OF_TOOLKIT.search(before) is not None or _OF_TOOLKIT.search(after) is not None


def _is_element(string: Node) -> bool:
    return parent_type(string) in ("list", "tuple")


def _is_word(string: Node, call: Node | None) -> bool:
    """Whether a string is one word of a command: in a list, or as an argument of its own."""
    return _is_element(string) or (call is not None and takes_words(call) and _is_argument(string))


def _is_argument(string: Node) -> bool:
    parent = parent_of(outside_parentheses(string))
    return parent is not None and parent.type in ("argument_list", "keyword_argument")


class CudaProgram(Rule):
    """A profiler or launcher for CUDA is run.

    What it does: Reports commands that start with nsys, ncu, nvprof, dlprof or horovodrun. If the command
    also contains the program to profile, it offers to run that program directly.

    Why it matters on the NPU: There are no such programs: the command fails.

    Example: ``os.system('nsys profile -o out python train.py')``.

    Use instead: msprof, or ``torch_npu.profiler`` in the script; torchrun instead of horovodrun.
    """

    code = "NPU905"
    fails = frozenset({"profiler", "launcher"})
    only_importing = frozenset({"os", "subprocess", "asyncio", "shlex", "fabric", "invoke", "pexpect"})
    examples = (
        Example(
            "import os\nos.system('nsys profile -o out python train.py --lr 1')\n",
            unsafe="import os\nos.system('python train.py --lr 1')\n",
        ),
        Example("import subprocess\nsubprocess.run(['nvprof', 'python', 'train.py'])\n"),
        Example("import os\nos.system('horovodrun -np 8 python train.py')\n"),
        Example.unchanged(
            "print('nsys profile python train.py')\nname = 'nsys'\nos.system('python train.py')\n"
        ),
    )

    @on.string("nsys", "ncu ", "nvprof", "dlprof", "horovodrun")
    def text(self, ref: StringRef, ctx: Context) -> Iterator[Finding]:
        match = _COMMAND.match(ref.text)
        use = command_role(ref.node, ctx) if match is not None and not ref.is_bytes else Role.SHOWN
        if match is None or use is Role.SHOWN:
            return
        if ref.text == match[1] and not _is_element(ref.node) and use is not Role.CONSUMED:
            return  # a name alone, under a name for commands
        is_launcher = match[1] == "horovodrun"
        fix = self._without_profiler(ref, match[1]) if not is_launcher else None
        key = "launcher" if is_launcher else "profiler"
        yield self.report(ref.node, key, Severity.WARNING, fix=fix, program=match[1])

    def _without_profiler(self, ref: StringRef, profiler: str) -> Fix | None:
        """The fix that leaves the program which is profiled, where it is in the same text."""
        program = _PROGRAM.search(written_text(ref.node), len(profiler))
        edits = part_becomes(ref.node, 0, program.start(1), "") if program is not None else None
        return self.fix(Applicability.UNSAFE, edits=edits) if edits else None
