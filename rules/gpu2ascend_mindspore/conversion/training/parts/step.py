"""A training step, by the statements that it has."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.text.syntax import text_of

from ..identities import FUNCTION
from .accumulation import Summing
from .branches import Branch
from .clipping import Clip
from .compiling import Compiled
from .looking import Look
from .losses import Loss
from .pairs import Second


class Step(NamedTuple):
    """A training step."""

    forward: tuple[Node, ...]
    """The statements that compute the losses, in order, without a gap."""
    losses: tuple[Loss, ...]
    """The losses whose gradients are added up."""
    backward: tuple[Node, ...]
    """The statement for each loss."""
    zeroed: tuple[Node, ...]
    """The statements that set the gradients to zero."""
    stepped: Node
    optimizer: Node
    defaults: tuple[str, ...] = ()
    """The variables that the forward pass has from before and assigns itself, too."""
    is_early: bool = False
    """Whether statements between the forward pass and ``backward`` need its results, or change its inputs."""
    clips: tuple[Clip, ...] = ()
    """The calls that clip the gradients."""
    summing: Summing | None = None
    """How the gradients of several turns of a loop are added up."""
    region: Node | None = None
    """The region of mixed precision that the forward pass is in."""
    unscaled: Node | None = None
    updated: Node | None = None
    """The calls of the scaler behind ``backward``."""
    graph: Compiled | None = None
    """How it is compiled, where that is asked for."""
    looks: tuple[Look, ...] = ()
    """The statements that ask for gradients by their parameters."""
    model: Node | None = None
    """The module whose parameters the program changes itself, without an optimizer."""
    second: Second | None = None
    """The other optimizer that the loss trains."""
    branch: Branch | None = None
    """The ``if`` that the update is in, where the losses are computed before it."""
    is_noted: bool = False
    """Whether the program finds out which parameters each loss depends on, and updates those."""
    function: str = FUNCTION
    """What the function is called that computes the losses."""

    @property
    def loss(self) -> str:
        """The variable that the last of the losses is; empty where it is no variable."""
        return self.losses[-1].name

    @property
    def scaler(self) -> str:
        """What scales the loss; empty if nothing does."""
        return self.losses[-1].scaler

    @property
    def weights(self) -> str:
        """What gradients are taken for."""
        if self.model is not None:
            return f"{text_of(self.model)}.trainable_params()"
        if self.second is not None:
            return f"[*{text_of(self.optimizer)}.parameters, *{text_of(self.second.optimizer)}.parameters]"
        return f"{text_of(self.optimizer)}.parameters"

    @property
    def optimizers(self) -> list[Node]:
        """Those that the loss trains."""
        return [self.optimizer, *([self.second.optimizer] if self.second is not None else [])]

    @property
    def started(self) -> Node | None:
        """The statement that sets gradients to zero before several turns add up theirs."""
        return self.summing.started if self.summing is not None else None

    @property
    def statements(self) -> list[Node]:
        """All but those that compute the losses."""
        others = [one for one in (self.started, self.unscaled, self.updated) if one is not None]
        clips = [one.statement for one in self.clips]
        stepped = [self.stepped] if self.model is None else []
        stepped += [self.second.stepped] if self.second is not None else []
        return [*self.backward, *self.zeroed, *stepped, *clips, *others]
