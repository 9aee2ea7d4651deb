"""NPU1206: optimizers that hydra and Lightning make from a configuration."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...facts.fused_optimizers import FUSED_ARGUMENTS, fused_name
from ...kinds.settings import Setting
from ...model.finding import Applicability, Edit, Finding, Severity

_OPTIMIZERS = "torch.optim."
_OF_HYDRA = frozenset({"_target_", "_partial_", "_convert_", "_recursive_"})


class ConfiguredOptimizer(Rule):
    """A configuration names an optimizer that updates its parameters one by one.

    What it does: Offers the fused optimizer of torch_npu for ``torch.optim.AdamW``, ``Adam``, ``SGD``,
    ``RMSprop`` and ``Adadelta`` where hydra's ``_target_`` or LightningCLI's ``class_path`` names one, if the
    fused one takes all keys beside it.

    Why it matters on the NPU: One operator updates all parameters. The flat copies take more memory, and the
    order of sums changes the last digits.

    Example: ``_target_: torch.optim.AdamW`` becomes ``_target_: torch_npu.optim.NpuFusedAdamW``.

    Use instead: the class of torch_npu, unless something gives parameters other memory after the optimizer is
    made: sharding, moving averages, ``model.cpu()``.
    """

    code = "NPU1206"
    words = (_OPTIMIZERS,)
    example_path = "config.yaml"
    examples = (
        Example(
            "optimizer:\n  _target_: torch.optim.AdamW\n  _partial_: true\n  lr: 1\n",
            unsafe="optimizer:\n  _target_: torch_npu.optim.NpuFusedAdamW\n  _partial_: true\n  lr: 1\n",
        ),
        Example(
            "optimizer:\n  class_path: torch.optim.SGD\n  init_args:\n    lr: 0.1\n    momentum: 0.9\n",
            unsafe="optimizer:\n  class_path: torch_npu.optim.NpuFusedSGD\n  init_args:\n    lr: 0.1\n"
            "    momentum: 0.9\n",
        ),
        Example.unchanged("optimizer:\n  _target_: torch.optim.AdamW\n  lr: 1e-3\n  foreach: true\n"),
        Example.unchanged("optimizer:\n  _target_: torch.optim.SGD\n  momentum: 0.9\n"),
        Example.unchanged("optimizer:\n  _target_: torch.optim.LBFGS\n  lr: 1e-3\n"),
        Example.unchanged("name: torch.optim.AdamW\n"),
    )

    @on.place(Setting)
    def named(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        kind = place.value.removeprefix(_OPTIMIZERS)
        shared = FUSED_ARGUMENTS.get(kind) if kind != place.value else None
        if shared is None or place.key not in ("_target_", "class_path"):
            return
        target = fused_name(kind)
        given = _sibling_arguments(place, ctx)
        # torch has a default for SGD's rate, the fused optimizer none.
        if given.issubset(shared) and (kind != "SGD" or "lr" in given) and ctx.facts.npu_name_exists(target):
            fix = self.fix(Applicability.UNSAFE, edits=[Edit(place.start, place.end, target)])
            yield self.report(place, "named", Severity.HINT, fix=fix, kind="affinity", api=target)


def _sibling_arguments(place: Setting, ctx: PlaceContext) -> set[str]:
    """The arguments that the mapping gives the class."""
    above = place.keys[:-1]
    if place.key == "class_path":
        above = (*above, "init_args")
    keys = {item.keys for item in ctx.file.places() if isinstance(item, Setting)}
    inside = {names[len(above)] for names in keys if len(names) > len(above) and names[: len(above)] == above}
    return inside - _OF_HYDRA
