"""All uses of PyTorch in a file together, and whether the file can be converted."""

from __future__ import annotations

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.model.finding import Edit
from gpu2ascend_rules.text.syntax import ancestors, text_of

from .checkpoints import uses_of_checkpoints
from .compiled.reached import uses_of_reached_code
from .data.loading import uses_of_loading
from .data.packed import uses_of_packed
from .data.vision import uses_of_vision
from .devices.comparisons import uses_of_device_comparisons
from .devices.statements import uses_of_device_statements
from .evidence import Evidence
from .imports import under_free_names, uses_of_imports
from .lines import in_place_of_emptied_blocks, moved_left, moved_up
from .members import uses_of_members
from .models.attention import uses_of_attention
from .models.attributes import uses_of_attributes
from .models.cells import uses_of_forward
from .models.class_names import uses_of_class_names
from .models.holders import uses_of_holders
from .models.initialisation import uses_of_initialisation
from .models.loops import uses_of_loops
from .models.placement import uses_of_placement
from .models.same import without_same
from .models.settings import uses_of_settings
from .models.state.assigning import uses_of_assignments
from .models.state.buffers import uses_of_buffers
from .models.state.helpers import uses_of_helpers
from .models.state.parameters import uses_of_parameters
from .models.state.registered import uses_of_registered
from .models.state.toggles import uses_of_toggles
from .names import uses_of_names
from .parallel.models import uses_of_wrappers
from .parallel.processes import uses_of_processes
from .parallel.starting import uses_of_start
from .places.arrays import uses_of_arrays
from .places.bounds import uses_of_bounds
from .places.by_hand import with_text
from .places.casts import uses_of_casts
from .places.formats import uses_of_formats
from .places.in_place import uses_in_place
from .places.parts import uses_of_parts
from .places.picked import uses_of_picked
from .places.results import uses_of_results
from .training.causes import named_by_leaves, told_by_steps
from .training.constant.integers import uses_of_integers
from .training.parts.leaving import uses_of_partly
from .training.parts.penalties import uses_of_penalties
from .training.regions import uses_of_regions
from .training.settings.beginning import uses_of_modes
from .training.settings.rates import uses_of_rates
from .training.steps import uses_of_steps
from .training.updates import uses_of_updates
from .use import Reason, Use


class Conversion:
    """What becomes of one file. Made by ``context.shared(Conversion)``."""

    def __init__(self, context: Context) -> None:
        evidence = Evidence(context)
        structural = [
            *uses_of_steps(evidence),
            *uses_of_penalties(evidence),
            *uses_of_processes(evidence),
            *uses_of_wrappers(evidence),
            *uses_of_loading(evidence),
            *uses_of_packed(evidence),
            *uses_of_vision(evidence),
            *uses_of_start(evidence),
            *uses_of_updates(evidence),
            *uses_of_regions(evidence),
            *uses_of_checkpoints(evidence),
            *uses_of_buffers(evidence),
            *uses_of_registered(evidence),
            *uses_of_toggles(evidence),
            *uses_of_assignments(evidence),
            *uses_of_initialisation(evidence),
            *uses_in_place(evidence),
            *uses_of_holders(evidence),
            *uses_of_helpers(evidence),
            *uses_of_rates(evidence),
            *uses_of_formats(evidence),
            *uses_of_attributes(evidence),
            *uses_of_settings(evidence),
            *uses_of_attention(evidence),
            *uses_of_results(evidence),
            *uses_of_class_names(evidence),
            *uses_of_placement(evidence),
            *uses_of_device_comparisons(evidence),
            *uses_of_device_statements(evidence),
            *uses_of_loops(evidence),
            *uses_of_modes(evidence),
            *uses_of_parameters(evidence),
            *uses_of_forward(evidence),
            *uses_of_partly(evidence),
            *uses_of_casts(evidence),
            *uses_of_integers(evidence),
            *uses_of_bounds(evidence),
            *uses_of_parts(evidence),
            *uses_of_picked(evidence),
            *uses_of_arrays(evidence),
            *uses_of_reached_code(evidence),
        ]
        found = [use._replace(is_structural=True) for use in structural]
        found += (*uses_of_names(evidence), *uses_of_members(evidence))
        found = _without_deleted([_within_strings(evidence, use) for use in found])
        found = told_by_steps(named_by_leaves(evidence, without_same(evidence, found)))
        found = under_free_names(evidence, found)
        needs = {name for use in found for name in use.needs}
        imports = tuple(uses_of_imports(evidence, needs))
        found += imports
        self.imports = frozenset((use.start, use.end) for use in imports)
        """Where import statements are."""
        found = _with_prepared(evidence, _with_full_blocks(evidence, _apart(found)))
        found = _moved_left(evidence, found)
        described = [with_text(evidence, use) for use in found]
        self.uses = tuple(sorted(described, key=lambda use: (use.start, use.end, use.api)))
        """In the order of the text."""
        self.first_import = min((one.statement.start_byte for one in evidence.imports), default=-1)
        """Where the first statement begins that imports from torch."""

    def forget(self) -> None:
        """Nothing refers back to the context."""

    @property
    def blockers(self) -> tuple[Use, ...]:
        """The uses for which there is nothing to write."""
        return tuple(use for use in self.uses if use.reason is not None)

    @property
    def parts(self) -> frozenset[str]:
        """The parts of the helper file that the new text uses."""
        return frozenset(part for use in self.uses for part in use.parts)

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits of the whole file; none where a use has none to offer."""
        if self.blockers:
            return ()
        return tuple(edit for use in self.uses for edit in use.edits)


def _nested(uses: list[Use]) -> list[Use]:
    """The uses, with what several insert at one place in the outermost.

    The inner ones begin there, ``f(f(x))`` for ``x.f().f()``, or all move a line to the right.
    """
    inserted = _inserted(uses)
    for place, texts in inserted.items():
        ends = {index: _extent(uses[index])[1] for index in texts}
        outer, *inner = sorted(texts, key=lambda index: -ends[index])
        are_within = len({*ends.values()}) == len(ends)
        are_within = are_within and all(_extent(uses[index])[0] == place for index in inner)
        if not inner or not (are_within or all(text.isspace() for text in texts.values())):
            continue
        for index in (outer, *inner):
            edits = tuple(edit for edit in uses[index].edits if edit[:2] != (place, place))
            first = (Edit(place, place, "".join(map(texts.__getitem__, (outer, *inner)))),)
            uses[index] = uses[index]._replace(edits=(*(first if index == outer else ()), *edits))
    return uses


def _inserted(uses: list[Use]) -> dict[int, dict[int, str]]:
    """What is inserted at each place, by the number of the use."""
    inserted: dict[int, dict[int, str]] = {}
    for index, use in enumerate(uses):
        for edit in use.edits:
            if edit.start == edit.end:
                known = inserted.setdefault(edit.start, {})
                known[index] = known.get(index, "") + edit.text
    return inserted


def _extent(use: Use) -> tuple[int, int]:
    """From where to where a use changes the text."""
    places = [(use.start, use.end), *(edit[:2] for edit in use.edits)]
    return min(start for start, _ in places), max(end for _, end in places)


def _apart(uses: list[Use]) -> list[Use]:
    """The uses, those refused whose edits would change what another changes."""
    uses = _nested(list(uses))
    every = sorted((edit, index) for index, use in enumerate(uses) for edit in use.edits)
    overlapping: set[int] = set()
    end, last = -1, (-1, -1)
    for edit, index in every:
        if edit.start < end or (edit.start, edit.end) == last:
            overlapping.add(index)
        end, last = max(end, edit.end), (edit.start, edit.end)
    return [
        use._replace(edits=(), reason=Reason.LAYOUT) if index in overlapping else use
        for index, use in enumerate(uses)
    ]


def _with_full_blocks(evidence: Evidence, uses: list[Use]) -> list[Use]:
    """The uses, so that no block is left without a statement."""
    edits = [edit for use in uses for edit in use.edits]
    others = in_place_of_emptied_blocks(evidence.source, edits)
    return [use._replace(edits=tuple(others.get(edit, edit) for edit in use.edits)) for use in uses]


def _with_prepared(evidence: Evidence, uses: list[Use]) -> list[Use]:
    """The uses, so that what only makes data comes before the function that computes a loss."""
    for start, end, place in evidence.prepared:
        edits = [edit for use in uses for edit in use.edits]
        others = moved_up(evidence.source.data, edits, (start, end), place)
        uses = [
            use._replace(edits=tuple(new for edit in use.edits for new in others.get(edit, [edit])))
            for use in uses
        ]
    return uses


def _moved_left(evidence: Evidence, uses: list[Use]) -> list[Use]:
    """The uses, so that the bodies of regions that are taken out stand where these stood."""
    if not evidence.unwrapped:
        return uses
    edits = [edit for use in uses for edit in use.edits]
    others = moved_left(evidence.source.data, evidence.unwrapped, edits)
    return [use._replace(edits=tuple(new for edit in use.edits for new in others[edit])) for use in uses]


def _without_deleted(uses: list[Use]) -> list[Use]:
    """The uses without those in text that the edit of another takes out: an argument that is dropped."""
    spans = {(edit.start, edit.end): index for index, use in enumerate(uses) for edit in use.edits}
    opened = sorted((start, -end, by) for (start, end), by in spans.items())
    kept: list[int] = []
    widest: list[
        tuple[int, int]
    ] = []  # by their ends, of two uses: one of them may be the one that is asked for
    place = 0
    for start, end, index in sorted((use.start, use.end, index) for index, use in enumerate(uses)):
        while place < len(opened) and opened[place][0] <= start:
            widest = _widest([*widest, (-opened[place][1], opened[place][2])])
            place += 1
        if not any(last >= end and by != index for last, by in widest):
            kept.append(index)
    return [uses[index] for index in sorted(kept)]


def _within_strings(evidence: Evidence, use: Use) -> Use:
    """A use with the other quotes in its new text where it is in a formatted string of those quotes.

    Before Python 3.12 a string cannot hold its own quotes. It is refused where both are needed.
    """
    texts = "".join(edit.text for edit in use.edits)
    if "'" not in texts and '"' not in texts:
        return use
    taken = {quote for quote in "'\"" if quote in _quotes_around(evidence, use)}
    if not any(quote in texts for quote in taken):
        return use
    if len(taken) > 1 or ("'" in texts and '"' in texts):
        return use._replace(edits=(), reason=Reason.LAYOUT)
    old = taken.pop()
    new = '"' if old == "'" else "'"
    return use._replace(edits=tuple(one._replace(text=one.text.replace(old, new)) for one in use.edits))


def _quotes_around(evidence: Evidence, use: Use) -> str:
    """The quotes of the formatted strings that a use is in."""
    if b"{" not in evidence.source.data:
        return ""
    node = evidence.source.node_at(use.start, use.end)
    if node is None:
        return ""
    return "".join(
        text_of(one.named_children[0])
        for one in ancestors(node)
        if one.type == "string" and node.start_byte > one.start_byte
    )


def _widest(ends: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of ends with the uses that they are of, the last of either of two uses."""
    by_use: dict[int, int] = {}
    for end, use in sorted(ends):
        by_use[use] = end
    return sorted(((end, use) for use, end in by_use.items()), reverse=True)[:2]
