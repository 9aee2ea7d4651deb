"""NPU1001: environment variables of CUDA and NCCL in shell code. The facts are in environment.tsv."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.places.rule import PlaceRule, on_place
from ...engine.rule import Example, Family
from ...flow.subjects.environment import EnvironmentVariable, variable_for
from ...kinds.shell.places import Use, Variable
from ...model.finding import Applicability, Edit, Finding, Fix, Severity

_WORDS = ("cuda", "nccl", "cudnn_", "nvidia_", "cublas_")
_PATH = "train.sh"


class ShellVariable(PlaceRule):
    """A script sets or reads an environment variable of CUDA or NCCL that has a counterpart.

    What it does: Renames the variable wherever the script sets, passes on, reads or removes it.

    Why it matters on the NPU: Nothing there reads the variables of CUDA: the program takes card 0, or all
    cards, and the settings are silently ignored.

    Example: ``export CUDA_VISIBLE_DEVICES=0`` becomes ``export ASCEND_RT_VISIBLE_DEVICES=0``.

    Use instead: the variable that the message names.
    """

    code = "NPU1001"
    name = "shell-variable"
    family = Family.SHELL
    words = _WORDS
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
            path=_PATH,
        ),
        Example("export NCCL_DEBUG=INFO\n", unsafe="export ASCEND_GLOBAL_LOG_LEVEL=INFO\n", path=_PATH),
        Example.unchanged(
            "# CUDA_VISIBLE_DEVICES=0 python train.py\necho 'set CUDA_VISIBLE_DEVICES'\n"
            "MY_CUDA_VISIBLE_DEVICES=0\nexport GLOO_SOCKET_IFNAME=eth0\n",
            path=_PATH,
        ),
    )

    @on_place(Variable)
    def named(self, place: Variable, ctx: PlaceContext) -> Iterator[Finding]:
        variable = variable_for(place.name, ctx.version)
        if variable is None or variable.treatment not in ("rename", "similar"):
            return
        if _is_set_here(variable.target, ctx):
            return
        severity = Severity.WARNING if place.use is not Use.READ else Severity.INFORMATION
        yield self.found(
            place, "renamed", severity, fix=self._renamed(place, variable),
            variable=variable.name, target=variable.target,
        )  # fmt: skip

    def _renamed(self, place: Variable, variable: EnvironmentVariable) -> Fix:
        is_same = variable.treatment == "rename"
        edit = Edit(place.start, place.end, variable.target)
        return self.fix(Applicability.SAFE if is_same else Applicability.UNSAFE, edits=[edit])


def _is_set_here(name: str, ctx: PlaceContext) -> bool:
    """Whether the script deals with the counterpart itself."""

    def names_set() -> frozenset[str]:
        places = (place for place in ctx.file.places() if isinstance(place, Variable))
        return frozenset(place.name for place in places if place.use is not Use.READ)

    return name in ctx.once("names set", names_set)
