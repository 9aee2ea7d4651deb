"""One place that uses PyTorch, and what becomes of it."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tree_sitter import Node

from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.similar.assemble import stand_ins

from ..correspondences.call_edits import edits_of
from ..correspondences.rendering import Piece
from ..correspondences.values import Refused
from ..helpers import MINDSPORE


class Reason(enum.Enum):
    """Why nothing is written in the place of a use; also the key of the message that says so."""

    NO_TARGET = "no-target"
    """MindSpore has none, or none that gives the same results."""
    ARGUMENT = "argument"
    """An argument has no counterpart."""
    ARGUMENTS = "arguments"
    """Which arguments are given is not known, or they are of another form than any that is known."""
    LAYOUT = "layout"
    """The arguments would change places, or a comment would be lost."""
    RECEIVER = "receiver"
    """It is not proven what the method is called on."""
    AMBIGUOUS = "ambiguous"
    """A name may be two things."""
    CLASS = "class"
    """A class that is handed on: whoever calls it must spell out other arguments."""
    DERIVED = "derived"
    """A layer that a class derives from: its counterpart has other arguments and weights of other names."""
    BASE = "base"
    """A class of which it is not known whether it is a module."""
    STEP = "step"
    """A training step of a form that cannot be written as a function of which gradients are taken."""
    MODE = "mode"
    """A training step before which nothing switches the model to training; a cell is not by itself."""
    PART = "part"
    """A part of a tensor that is set, where something else shares its memory."""
    ARRAY = "array"
    """An array that is changed while a tensor that shared its memory is still read."""
    PARTLY = "partly"
    """Layers that are used in some calls only, which an optimizer of MindSpore moves in the others, too."""
    STEP_CALL = "step-call"
    """``backward`` with arguments, or of an expression that is no loss."""
    STEP_UPDATE = "step-update"
    """No optimizer is called behind ``backward``."""
    STEP_ZERO = "step-zero"
    """Nothing sets the gradients of the optimizer to zero."""
    STEP_OPTIMIZER = "step-optimizer"
    """It is not known whose parameters an optimizer has."""
    STEP_STATEMENT = "step-statement"
    """A statement that cannot become part of the function that computes the loss."""
    STEP_SHARED = "step-shared"
    """What the loss has gradients through is before another ``backward``."""
    STEP_KEPT = "step-kept"
    """A graph that ``backward`` keeps, and that a later one may go through."""
    STEP_OUTSIDE = "step-outside"
    """What the loss is of was computed elsewhere, with its graph."""
    STEP_METHODS = "step-methods"
    """Other code calls or overrides a method that computes a loss, or sets what it reads."""
    STEP_WRAPPER = "step-wrapper"
    """An object of the project's own takes the step, and holds the optimizer."""
    STEP_GRADIENTS = "step-gradients"
    """Gradients that parameters have behind ``backward`` are read in a form that is not converted."""
    LEAF = "leaf"
    """A tensor with a gradient of its own, outside of any module."""
    MODE_OF_PARTS = "mode-of-parts"
    """A ``train`` of a module that sets the modes of its parts: no other cell would call it."""
    UPDATE = "update"
    """An update in place of a tensor that may have another name."""
    UPDATE_OF_PART = "update-of-part"
    """An update in place of what an expression gives, which may be a part of another tensor."""
    SHARED = "shared"
    """A parameter that is made of a weight of the same module, and one with it in PyTorch."""
    SETTING = "setting"
    """What a layer was made with, which a cell keeps under no name, or does not look at again."""
    REGION = "region"
    """A region without gradients in what a gradient may be taken of."""
    CHECKPOINT = "checkpoint"
    """A file that holds anything but the weights of one module."""
    DEVICE = "device"
    """What is asked of a device that MindSpore's names of devices do not answer."""
    PROCESSES = "processes"
    """Training in several processes, which is not asked for."""
    BY_HAND = "by-hand"
    """What a person has to write; the place says how."""
    LIBRARY = "library"
    """A library that takes and gives tensors of torch."""
    GRAPH_STEP = "graph-step"
    """A training step of a form that is not compiled (``--graph``)."""
    GRAPH_SYNTAX = "graph-syntax"
    """What the compiler of graphs refuses."""
    GRAPH_GRADIENT = "graph-gradient"
    """What has other gradients in a graph, without an error."""
    GRAPH_FROZEN = "graph-frozen"
    """What a graph would keep as it was in the first step, without an error."""
    FREED = "freed"
    """Parameters that become trained while the optimizer is there that is not to have them."""
    RELEASE = "release"
    """The chosen release of MindSpore lacks what would be written."""
    IMPORT = "import"
    """An import that cannot be replaced where it is."""
    TAKEN = "taken"
    """The file uses a name that the new text needs."""


class Use(NamedTuple):
    """One place that uses PyTorch."""

    api: str
    """Its qualified name; of a method ``torch.Tensor.view``."""
    start: int
    end: int
    edits: tuple[Edit, ...] = ()
    needs: frozenset[str] = frozenset()
    """The names that new text begins with: ``ops``."""
    reason: Reason | None = None
    """Why it has no edits."""
    detail: str = ""
    """What the reason is about: a parameter."""
    by_hand: str = ""
    """What to write by hand where it is refused."""
    is_verified: bool = True
    """Whether both sides were run and compared."""
    parts: frozenset[str] = frozenset()
    """The parts of the helper file that new text uses."""
    is_structural: bool = False
    """Whether it is a statement or a class that is written otherwise, and no name with a counterpart."""

    @property
    def is_deleted(self) -> bool:
        """Whether nothing is written in its place."""
        return bool(self.edits) and not any(edit.text.strip() for edit in self.edits)


def refused(api: str, node: Node, reason: Reason, detail: str = "") -> Use:
    """A use for which there is nothing to write."""
    return Use(api, node.start_byte, node.end_byte, reason=reason, detail=detail)


def changed(api: str, node: Node, edits: Iterable[Edit], needs: Iterable[str] = ()) -> Use:
    """A use that is written otherwise; without edits it stays as it is."""
    return Use(api, node.start_byte, node.end_byte, tuple(edits), frozenset(needs))


def written(
    api: str, node: Node, pieces: Sequence[Piece], needs: Iterable[str] = (), place: Node | None = None
) -> Use:
    """A use in whose place a text is written; refused where arguments would move or a comment be lost.

    Args:
        place: What the text takes the place of, where that is not the use itself.
    """
    try:
        return changed(api, node, edits_of(place or node, pieces), needs)
    except Refused:
        return refused(api, node, Reason.LAYOUT)


def helped(api: str, use: Use) -> Use:
    """A use that is written by the part of the helper file that stands in for an API."""
    if use.reason is not None:
        return use
    return use._replace(needs=use.needs | {MINDSPORE.module}, parts=frozenset({stand_ins(MINDSPORE)[api]}))
