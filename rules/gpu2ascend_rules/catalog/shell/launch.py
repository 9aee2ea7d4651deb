"""NPU1005 to NPU1008, NPU1018: how shell code starts programs: launchers, profilers, schedulers, loops."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...flow.command_line.programs import program_of
from ...flow.subjects.environment import SET_FOR_GPUS
from ...kinds.settings import Setting
from ...kinds.shell.modules import cuda_modules, cuda_modules_in
from ...kinds.shell.places import Command, Directive, Use, Variable, Word
from ...kinds.shell.schedulers import gpus_asked_for
from ...model.finding import Applicability, Edit, Finding, Severity
from ...model.versions import Version
from .frameworks import is_of_another_framework
from .reading.summaries import is_shown, summary_of

_COUNTS = frozenset({"2", "4", "8", "16"})
_OF_RANK = r"(?i:rank|device_id|visible_devices|--(?:gpu|npu|device))"
_GIVEN_TO = r"[\w-]*(?:=|[ \t]+)[^\s;&|]*\b"
"""What is between the name of a variable or an option and a part of its value."""
_END_OF_LOOP = b"done"
_NEAR = 1000
"""Bytes behind a sequence that no loop goes through, in which what runs for each number ends."""
_IN_LOOP = 10_000
"""The same of a loop."""
_AUTOLOAD_SINCE = Version(2, 5)
_PER_NODE = re.compile(r"--nproc[-_]per[-_]node")
_JOINED = re.compile(r"--nproc[-_]per[-_]node=[\"']?(gpu)[\"']?")
_LAUNCHER = re.compile(r"torchrun|torch\.distributed\.(?:run|launch)")
_PROFILERS = frozenset({"nsys", "ncu", "nvprof", "dlprof", "nv-nsight-cu-cli"})
_COMPILER = "nvcc"
_LOOKS_FOR_COMPILER = re.compile(rb"(?:\bcommand -v|\bwhich|\bhash|\btype(?: -[pP])?) +nvcc\b")
_TAKE_A_NAME = frozenset({"-o", "--output", "-t", "--trace"})
"""Options of profilers whose value may be called like a program."""
_STARTS_PYTHON = re.compile(r"python[\d.]*|torchrun|deepspeed|accelerate")
_WRAPPERS = frozenset({"sudo", "nohup", "time", "exec", "srun", "numactl"})
_DEFAULT_BEHIND = (b":", b"-", b"=", b"+")
_TESTS = re.compile(
    rb"(?<![\w$\[])(?:\[\[?[ \t](?:\\\n|[^\]\n;])*|test[ \t](?:\\\n|[^\n;&|])*)"
    rb"|(?<!\$)(?<!for )\(\([^)\n]*|\$\{\w+:?="
)
"""Where a value is asked for that may be missing: ``[ ... ]``, ``test``, ``(( ... ))`` and ``${A:=1}``."""
_NAME = re.compile(rb"\bSLURM_\w+")


class ShellProcessesPerGpu(Rule):
    """A launcher in a script starts one process per GPU.

    What it does: Finds ``--nproc_per_node=gpu``. From torch 2.5 on it is replaced with ``npu``; before that,
    the launcher does not load torch_npu and needs a number.

    Why it matters on the NPU: ``gpu`` is the number of CUDA devices, and the launcher stops if there are
    none.

    Example: ``torchrun --nproc_per_node=gpu train.py``.

    Use instead: ``npu``, or the number of devices.
    """

    code = "NPU1005"
    words = ("nproc",)
    example_path = "train.sh"
    examples = (
        Example(
            "torchrun --nproc_per_node=gpu train.py\n"
            "python -m torch.distributed.run --nproc-per-node gpu train.py\n",
            "torchrun --nproc_per_node=npu train.py\n"
            "python -m torch.distributed.run --nproc-per-node npu train.py\n",
        ),
        Example("torchrun --nproc_per_node=gpu train.py\n", version="2.1.0"),
        Example.unchanged("torchrun --nproc_per_node=8 train.py\nlaunch --nproc_per_node=gpu train.py\n"),
    )

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        if not any(_LAUNCHER.fullmatch((word.text or "").rpartition("/")[2]) for word in command.words):
            return
        for before, word in pairwise(command.words):
            joined = _JOINED.fullmatch(word.raw)
            is_value = word.text == "gpu" and _PER_NODE.fullmatch(before.text or "") is not None
            if joined is None and not is_value:
                continue
            span = word.span_of("gpu")
            if ctx.version < _AUTOLOAD_SINCE or span is None:
                yield self.report(word, "number", Severity.ERROR, version=ctx.version)
                continue
            fix = self.fix(Applicability.SAFE, edits=[Edit(*span, "npu")])
            yield self.report(word, "gpu", Severity.WARNING, fix=fix)


_BUILDS_APEX = "--cuda_ext"


class ShellCudaProgram(Rule):
    """A script runs a profiler, launcher or compiler for CUDA.

    What it does: Reports commands that start with nsys, ncu, nvprof, dlprof, horovodrun or nvcc, and those
    that build NVIDIA's apex (``--cuda_ext``), and offers to run the profiled program directly.

    Why it matters on the NPU: There are no such programs: the command fails.

    Example: ``nsys profile -o out python train.py``.

    Use instead: msprof, or ``torch_npu.profiler`` in the script; torchrun instead of horovodrun; an Ascend C
    operator, or an implementation with PyTorch operators, instead of the kernels that nvcc compiles.
    """

    code = "NPU1006"
    fails = frozenset({"profiler"})
    words = ("nsys", "ncu", "nvprof", "dlprof", "nsight", "horovodrun", "nvcc", "--cuda_ext")
    example_path = "train.sh"
    examples = (
        Example(
            "nsys profile -o out --stats=true python train.py --lr 1\n", unsafe="python train.py --lr 1\n"
        ),
        Example("nvprof ./a.out\nhorovodrun -np 8 python train.py\n"),
        Example("nvcc --version || exit 1\nnvcc -c kernel.cu -o kernel.o\n"),
        Example("FROM ubuntu\nRUN nvcc --version\n", path="Dockerfile"),
        Example("cd apex && pip install --global-option='--cuda_ext' ./\n"),
        Example.unchanged("if which nvcc; then nvcc -c kernel.cu; fi\n"),
        Example.unchanged("echo nsys\npython train.py --profiler nsys\nsync\n"),
    )

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        at = 0
        while at < len(command.words) - 1 and command.words[at].text in _WRAPPERS:
            at += 1
        word = command.words[at]
        program = (word.text or "").rpartition("/")[2]
        if program == "horovodrun":
            yield self.report(word, "launcher", Severity.ERROR, program=program)
        elif program == _COMPILER and not _is_looked_for(ctx):
            yield self.report(word, "compiler", Severity.ERROR, program=program)
        elif (built := next((item for item in command.words if _BUILDS_APEX in item.raw), None)) is not None:
            yield self.report(built, "apex", Severity.WARNING)
        elif program in _PROFILERS:
            profiled = _profiled(command.words[at + 1 :])
            fix = None
            if profiled is not None:
                fix = self.fix(Applicability.UNSAFE, edits=[Edit(word.start, profiled.start, "")])
            yield self.report(word, "profiler", Severity.WARNING, fix=fix, program=program)


def _is_looked_for(ctx: PlaceContext) -> bool:
    """Whether a script looks for the compiler and so goes on without it, rightly."""
    return ctx.once(_COMPILER, lambda: _LOOKS_FOR_COMPILER.search(ctx.file.data) is not None)


def _profiled(words: tuple[Word, ...]) -> Word | None:
    """The interpreter or launcher that a profiler runs."""
    if program_of(words) is None:
        return None
    for before, word in pairwise((None, *words)):
        name = (word.text or "").rpartition("/")[2] if word is not None else ""
        is_value = before is not None and before.text in _TAKE_A_NAME
        if _STARTS_PYTHON.fullmatch(name) and not is_value:
            return word
    return None


class SchedulerGpus(Rule):
    """A job asks the scheduler for GPUs.

    What it does: Reports ``--gres=gpu:8``, ``--gpus-per-node``, ``--cpus-per-gpu`` and similar options in
    Slurm's comments, in the options of srun, sbatch and salloc, and in variables that collect them; the
    GPUs that PBS, LSF and Grid Engine are asked for; and variables such as ``SLURM_GPUS_PER_NODE`` that
    Slurm's options set, if the script neither sets nor tests them and does more with them than to print
    them.

    Why it matters on the NPU: A cluster of NPUs has no resource with that name: the job is rejected, or waits
    forever. In a job without GPUs the variables are empty.

    Example: ``#SBATCH --gres=gpu:4``.

    Use instead: ``--gres=npu:4`` with the name that the site uses for the resource; the ``--gpus...`` options
    are for GPUs only.
    """

    code = "NPU1007"
    words = ("gpu", "-g ", "slurm_")
    example_path = "train.sh"
    examples = (
        Example("#!/bin/bash\n#SBATCH --gres=gpu:4     # per node\nsrun python train.py\n"),
        Example("srun --gpus-per-node=8 -N 2 python train.py\n"),
        Example("srun -N 2 --gpus 4 --gres gpu:4 python train.py\n"),
        Example("#!/bin/bash\n#PBS -l select=1:ncpus=8:ngpus=2:mem=9gb\npython train.py\n"),
        Example('#!/bin/bash\n#BSUB -gpu "num=2" -n 8\npython train.py\n'),
        Example("#!/bin/bash\n#$ -l gpu=1\npython train.py\n"),
        Example("qsub -l select=1:ngpus=$N job.sh\n"),
        Example('#!/bin/bash\n#BSUB -n 4 -R "select[x] rusage[ngpus_excl_p=1]"\n'),
        Example("#!/bin/bash\n#$ -l h_rt=9,gpu_mem=11G\n"),
        Example("#!/bin/bash\n#SBATCH --cpus-per-gpu=8 --mem-per-gpu 32GB\npython train.py\n"),
        Example.unchanged("#!/bin/bash\n#PBS -N gpus=2 -v lr=1,gpus=2\nqsub -v 'gpus=4' job.sh\n"),
        Example.unchanged("#!/bin/bash\n#PBS -q gpu -l select=1:ngpus=0\nqsub job.sh --ngpus=2\n"),
        Example('sbatch_args="$sbatch_args --gpus-per-node=1 --mem=0"\n'),
        Example("torchrun --nproc_per_node=$SLURM_GPUS_PER_NODE train.py\n"),
        Example.unchanged("torchrun --nproc_per_node=${SLURM_GPUS_ON_NODE:-8} train.py\n"),
        Example.unchanged("export SLURM_GPUS=8\ntorchrun --nproc_per_node=$SLURM_GPUS train.py\n"),
        Example.unchanged('N=8\nif [ -n "$SLURM_GPUS" ]; then N=$SLURM_GPUS; fi\ntorchrun -n $N train.py\n'),
        Example.unchanged('echo "GPUs: $SLURM_GPUS_ON_NODE"\n'),
        Example.unchanged(
            "#!/bin/bash\n#SBATCH --nodes=2 --partition=gpu\nsrun -N 2 python t.py --gpus 8\n"
            "python train.py --gres=gpu:1\n"
        ),
    )

    @on.place(Directive, Command, Variable)
    def asked(self, place: Directive | Command | Variable, ctx: PlaceContext) -> Iterator[Finding]:
        for asked in gpus_asked_for(place, ctx.file.data):
            is_of_slurm = asked.option.startswith(("--", "-G"))
            key = "gres" if asked.option.startswith("--gres") else "gpus" if is_of_slurm else "resource"
            key = "per_gpu" if "-per-gpu" in asked.option else key
            yield self.report(asked, key, Severity.ERROR, option=asked.option)

    @on.place(Variable)
    def read(self, variable: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        is_read = variable.use is Use.READ and SET_FOR_GPUS.fullmatch(variable.name) is not None
        if is_read and _is_relied_on(variable, ctx):
            yield self.report(variable, "variable", Severity.ERROR, variable=variable.name)


def _is_relied_on(variable: Variable, ctx: PlaceContext) -> bool:
    """Whether a script takes a variable to be set: it has no default, is not only shown, and is neither set
    nor tested."""
    data = ctx.file.data
    is_braced = data[max(variable.start - 1, 0) : variable.start] == b"{"
    if is_braced and data[variable.end : variable.end + 1] in _DEFAULT_BEHIND:
        return False
    known = ctx.once(_TESTS, lambda: frozenset(_set_or_tested(ctx)))
    return variable.name not in known and not is_shown(variable, ctx)


def _set_or_tested(ctx: PlaceContext) -> Iterator[str]:
    """The variables of which a script knows that they may be missing, or which it sets itself."""
    for name, places in summary_of(ctx).variables.items():
        if any(item.use is not Use.READ for item in places):
            yield name
    for test in _TESTS.finditer(ctx.file.data):
        yield from (name.decode() for name in _NAME.findall(test[0]))


class CudaModule(Rule):
    """A script loads an environment module of CUDA.

    What it does: Reports ``module load cuda/11.8`` and similar commands.

    Why it matters on the NPU: The module does not exist, or sets up a CUDA that nothing uses; set up CANN
    instead.

    Example: ``module load cuda/11.8``.

    Use instead: ``source /usr/local/Ascend/cann/set_env.sh`` (from CANN 8.5 on; ``ascend-toolkit`` before),
    or the site's module for CANN.
    """

    code = "NPU1008"
    words = ("module", "ml ")
    example_path = "train.sh"
    examples = (
        Example("module purge\nmodule load gcc/11 cuda/11.8 cudnn\n"),
        Example("setup:\n  - module load cuda/11.8\n  - source env.sh\n", path="slurm.yaml"),
        Example.unchanged("module load gcc/11 python\nmodule unload cuda\n"),
    )

    @on.place(Setting)
    def set_up(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        """A command that a configuration has run."""
        for module in cuda_modules_in(place.value):
            yield self.report(place, "cuda", Severity.ERROR, module=module)

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        for word in cuda_modules(command) if not is_of_another_framework(ctx) else ():
            yield self.report(word, "cuda", Severity.ERROR, module=word.text or word.raw)


class ShellOneProcessTooMany(Rule):
    """A script starts one process too many.

    What it does: Finds loops over ``seq 0 2``, ``4``, ``8`` or ``16`` that use the number as a rank or a
    device, and offers to end the sequence one earlier.

    Why it matters on the NPU: ``seq`` includes its end, so ``seq 0 8`` starts nine processes, one more than
    there are devices: it fails, and the others wait for it.

    Example: ``for i in $(seq 0 8); do RANK=$i python train.py & done``.

    Use instead: ``seq 0 7``.
    """

    code = "NPU1018"
    words = ("seq",)
    example_path = "train.sh"
    examples = (
        Example(
            "for i in $(seq 0 8)\ndo\n  RANK_ID=$i python train.py &\ndone\n",
            unsafe="for i in $(seq 0 7)\ndo\n  RANK_ID=$i python train.py &\ndone\n",
        ),
        Example(
            'for i in $(seq 0 8); do python t.py --gpu-id "cuda:${i}" & done\n',
            unsafe='for i in $(seq 0 7); do python t.py --gpu-id "cuda:${i}" & done\n',
        ),
        Example.unchanged(
            "for i in $(seq 0 7); do RANK=$i python train.py & done\n"
            "for i in $(seq 0 8); do python train.py --seed $i; done\n"
            "for i in $(seq 0 2); do CUDA_VISIBLE_DEVICES=0 python show.py --seed $i; done\n"
        ),
    )

    @on.place(Command)
    def run(self, command: Command, ctx: PlaceContext) -> Iterator[Finding]:
        texts = [word.text for word in command.words]
        if len(texts) != 3 or texts[:2] != ["seq", "0"] or texts[2] not in _COUNTS or not command.is_captured:
            return
        if not _is_of_rank(command, ctx):
            return
        last, count = command.words[2], int(texts[2] or 0)
        fix = self.fix(Applicability.UNSAFE, edits=[Edit(last.start, last.end, str(count - 1))])
        yield self.report(last, "seq", Severity.WARNING, fix=fix, end=count, count=count + 1)


def _is_of_rank(command: Command, ctx: PlaceContext) -> bool:
    """Whether the code that runs for each line of what a command prints is about ranks or devices, and gives
    them the line where a loop has a variable for it."""
    loops = summary_of(ctx).around.get(command.start, ())
    last = min(loops[-1].end, command.end + _IN_LOOP) if loops else command.end + _NEAR
    end = ctx.file.data.find(_END_OF_LOOP, command.end, last)
    code = ctx.file.data[command.end : end if end >= 0 else last]
    used = _use_of(loops[-1].name) if loops else _OF_RANK
    return re.search(used.encode(), code) is not None


def _use_of(variable: str) -> str:
    """The pattern of a use of a variable as a rank or a device, by its name or by what it is given to."""
    is_named = re.search(r"(?i)rank|device|[gn]pu", variable) is not None
    return (r"\$[({]*" if is_named else f"{_OF_RANK}{_GIVEN_TO}") + rf"{re.escape(variable)}\b"
