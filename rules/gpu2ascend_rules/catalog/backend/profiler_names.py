"""The names of torch.profiler that one file uses, and the one change that moves them all.

torch_npu's profiler takes only its own activities, schedules and handlers, and torch's only torch's. So
every finding on one of these names carries the change of the whole file: no single fix can leave a mixture.
Which names there are is in profiler.json.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from tree_sitter import Node

from ...data import load_json
from ...edits.removal import argument_removals
from ...engine.context import Context
from ...engine.events import NameRef
from ...engine.rule import replace
from ...engine.scan import scan_names
from ...facts.releases.transfer import is_in
from ...flow.subject import SAYS, PlaceKind, Subject
from ...flow.verdicts import SILENT, Role
from ...flow.word_flow import flow_of
from ...model.finding import Edit
from ...renames.qualified_names import name_becomes
from ...renames.split_imports import split_statement
from ...text.names import Certainty
from ...text.scopes import Binding, BindingKind
from ...text.syntax import Argument, arguments_of, call_of, enclosing, field, is_type_test, text_of

MODULE = "torch.profiler"
NPU_MODULE = "torch_npu.profiler"
_TABLE = load_json("profiler")
_CALLS_PROFILER = ("profile", "_KinetoProfile")
_LOOK = frozenset(
    {"bool", "callable", "hash", "id", "isinstance", "issubclass", "len", "repr", "setdefault", "str", "type",
     "update"}
)  # fmt: skip
"""Functions and methods that only look at a value, or put it into a dictionary."""
_PARTS = Subject(
    name="parts of a profiler",
    is_text=lambda text: text == MODULE,
    part_counts=True,
    sample=MODULE,
    of_torch=False,
    callees_apart={f"{MODULE}.": Role.SHOWN, f"{NPU_MODULE}.": Role.SHOWN},
    keeps=frozenset({"list", "tuple", "set", "frozenset", "dict", "sorted"}),
    otherwise={PlaceKind.ENTRY: Role.NEUTRAL},
    shown_by=SAYS | _LOOK,
)
"""Where activities, schedules and handlers end up: in a profiler that moves with them, or in another call."""
_GIVEN = frozenset({"argument_list", "keyword_argument", "dictionary_splat"})
"""Where a call gets a value whose use nothing shows."""


class ProfilerUse(NamedTuple):
    """One use of a name of torch.profiler that has a counterpart."""

    ref: NameRef
    member: str
    node: Node | None
    """The expression up to the name; ``None`` when what binds the root names it already."""
    cuda: Node | None
    """The ``CUDA`` of ``ProfilerActivity.CUDA``."""

    @property
    def call(self) -> Node | None:
        """The call of the name, if it is called here."""
        return call_of(self.node or self.ref.chain.root)


class ProfilerMove(NamedTuple):
    """How all names of torch.profiler in a file move to torch_npu.profiler."""

    places: tuple[ProfilerUse, ...]
    statements: tuple[Node, ...]
    """The import statements that change."""
    edits: tuple[Edit, ...]
    carried: frozenset[int]
    """Bindings, by their node, whose import moves with all their uses."""
    is_certain: bool
    """Whether every name is known for what it is, so that there is a change to make."""
    is_safe: bool
    """Whether nothing is left out that had an effect, and no other code gets what moves."""
    taker: str
    """What else is called with a value that moves, as it is written; empty if nothing is."""
    concerns_cuda: bool
    """Whether the file visibly profiles CUDA at all."""


def profiler_move(ctx: Context) -> ProfilerMove:
    """The move for one file."""
    return ctx.once(profiler_move, partial(_move, ctx))


def _move(ctx: Context) -> ProfilerMove:
    refs = [ref for ref in scan_names(ctx.source, frozenset({"torch"})) if _is_below(ref.name)]
    places = tuple(place for ref in refs if (place := _place(ref)) is not None)
    carried = frozenset(_carried_modules(refs, places))
    statements, edits, plain_imports = _import_edits(carried, ctx)
    edits += [edit for place in places for edit in _place_edits(place, carried, ctx)]
    lost = _Lost(ctx)
    for place in places:
        edits += lost.removals(place)
    taker = next(filter(None, (_other_taker(place, ctx) for place in places)), "")
    members = {place.member for place in places}
    exist = all(ctx.facts.npu_name_exists(f"{NPU_MODULE}.{member}") for member in members)
    certain = exist and plain_imports and not any(_is_doubtful(place) for place in places)
    return ProfilerMove(
        places,
        statements,
        tuple(dict.fromkeys(edits)),
        carried,
        certain,
        lost.is_harmless and not taker,
        taker,
        _concerns_cuda(places, ctx),
    )


def _is_doubtful(place: ProfilerUse) -> bool:
    """Whether a name that would change, or whose import would, may mean something else too."""
    if place.ref.certainty is not Certainty.AMBIGUOUS:
        return False
    binding = place.ref.binding
    is_imported = binding is not None and binding.kind is BindingKind.IMPORT
    return is_imported or place.node is not None or place.cuda is not None


def _is_below(name: str) -> bool:
    return name == MODULE or name.startswith(f"{MODULE}.")


def _member_index(parts: list[str]) -> int:
    """Where in a qualified name the profiler's own name is: ``torch.profiler.profiler`` holds it too."""
    return 3 if len(parts) > 3 and parts[2] == "profiler" else 2


def _place(ref: NameRef) -> ProfilerUse | None:
    parts = ref.name.split(".")
    index = _member_index(parts)
    if index >= len(parts) or parts[index] not in _TABLE["moving"]:
        return None
    below_root = index - ref.root_name.count(".")
    node = ref.chain.nodes[below_root] if below_root > 0 else None
    after = below_root + 1 if below_root > 0 else 1
    cuda: Node | None = None
    is_cuda = parts[index] == "ProfilerActivity" and parts[index + 1 : index + 2] == ["CUDA"]
    if is_cuda and after < len(ref.chain.nodes):
        cuda = field(ref.chain.nodes[after], "attribute")
    return ProfilerUse(ref, parts[index], node, cuda)


def _carried_modules(refs: list[NameRef], places: tuple[ProfilerUse, ...]) -> Iterator[int]:
    """The imports that bind the module to a name all of whose uses move."""
    moving = {place.ref.node.id for place in places}
    stuck = {ref.binding.node.id for ref in refs if ref.binding is not None and ref.node.id not in moving}
    for ref in refs:
        binding = ref.binding
        if binding is None or binding.kind is not BindingKind.IMPORT or binding.node.id in stuck:
            continue
        if binding.target == MODULE:
            yield binding.node.id


def _import_edits(carried: frozenset[int], ctx: Context) -> tuple[tuple[Node, ...], list[Edit], bool]:
    """The changed import statements, their edits, and whether there is no star import among them."""
    statements: dict[int, Node] = {}
    plain = True
    for item in ctx.source.names.imports:
        if _is_below(item.target) and item.name != "*":
            statements[item.statement.id] = item.statement
        plain = plain and not (_is_below(item.target) and item.name == "*")
    changed: list[Node] = []
    edits: list[Edit] = []
    for statement in statements.values():
        edit = _import_edit(statement, carried, ctx)
        if edit is not None:
            changed.append(statement)
            edits.append(edit)
    return tuple(changed), edits, plain


def _moves(binding: Binding, carried: frozenset[int]) -> bool:
    if binding.target == MODULE:
        return binding.node.id in carried
    parts = binding.target.split(".")
    index = _member_index(parts)
    return _is_below(binding.target) and len(parts) == index + 1 and parts[index] in _TABLE["moving"]


def _import_edit(statement: Node, carried: frozenset[int], ctx: Context) -> Edit | None:
    bindings = ctx.source.names.imported_by(statement)
    moving = [binding for binding in bindings if _moves(binding, carried)]
    module = field(statement, "module_name")
    if not moving:
        return None
    if module is None:
        name = field(moving[0].node, "name")
        return replace(name, NPU_MODULE) if name is not None else None
    target = "torch_npu" if moving[0].target == MODULE else NPU_MODULE
    if len(moving) == len(bindings):
        return replace(module, target)
    staying = [binding for binding in bindings if binding not in moving]
    names = [text_of(binding.node) for binding in moving]
    return split_statement(statement, module, {target: names}, staying, ctx)


def _place_edits(place: ProfilerUse, carried: frozenset[int], ctx: Context) -> Iterator[Edit]:
    binding = place.ref.binding
    is_carried = binding is not None and binding.node.id in carried
    if place.node is not None and not is_carried:
        yield from name_becomes(place.ref, f"{NPU_MODULE}.{place.member}", ctx, at=place.node).edits
    if place.cuda is not None:
        yield replace(place.cuda, "NPU")


class _Lost:
    """The arguments that torch_npu's profiler does not take, and whether leaving them out matters."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self.is_harmless = True

    def removals(self, place: ProfilerUse) -> list[Edit]:
        """The edits that leave those arguments out of a call."""
        call = place.call
        if call is None:
            return []
        gone: list[Argument] = []
        for name, facts in _TABLE["arguments"].get(place.member, {}).items():
            position = facts.get("position")
            arguments = arguments_of(call)
            argument = arguments.keyword(name) or (arguments.at(position) if position is not None else None)
            if argument is not None and not is_in(self._ctx.version, facts["in"]):
                gone.append(argument)
                self.is_harmless = self.is_harmless and facts["harmless"]
        config = arguments_of(call).keyword("experimental_config")
        if place.member in _CALLS_PROFILER and config is not None and self._is_of_torch(config.value):
            gone.append(config)
            self.is_harmless = False
        return argument_removals(call, gone)

    def _is_of_torch(self, config: Node) -> bool:
        """Whether an experimental configuration may be torch's; torch_npu has its own class."""
        if config.type == "none":
            return False
        return not all(self._is_made_by_npu(value) for value in self._ctx.origins(config))

    def _is_made_by_npu(self, value: Node) -> bool:
        return self._ctx.source.names.called_in(value).startswith("torch_npu.")


def _other_taker(place: ProfilerUse, ctx: Context) -> str:
    """What is called with an activity, a schedule or a handler that moves, and does not move itself.

    It may be a profiler that takes only torch's. Empty if nothing is.
    """
    if place.member in _CALLS_PROFILER or is_type_test(place.ref.node):
        return ""
    verdict = flow_of(_PARTS, ctx).role_of_value(place.call or place.ref.node)
    end = verdict.node
    call = enclosing(end, "call") if end is not None and end.type in _GIVEN else end
    function = field(call, "function")
    if call is None or function is None or verdict.role not in SILENT:
        return ""
    given = [item.value for item in arguments_of(call).positional]
    if any(_is_of_profiler(item, ctx) for item in (function, *given)):
        return ""
    return " ".join(text_of(function).split())


def _is_of_profiler(expression: Node, ctx: Context) -> bool:
    """Whether an expression names what moves, or what is torch_npu's already."""
    name = ctx.source.names.name_of(expression)
    parts = name.split(".")
    moves = _is_below(name) and any(part in _TABLE["moving"] for part in parts[2:])
    return moves or name.startswith(f"{NPU_MODULE}.")


def _concerns_cuda(places: tuple[ProfilerUse, ...], ctx: Context) -> bool:
    """Whether the file names CUDA's activity, or makes a profiler that may record it."""
    if any(place.cuda is not None for place in places):
        return True
    calls = [place.call for place in places if place.member in _CALLS_PROFILER and place.call is not None]
    if not calls:
        return True
    return any(not _records_cpu_only(call, ctx) for call in calls)


def _records_cpu_only(call: Node, ctx: Context) -> bool:
    activities = arguments_of(call).keyword("activities")
    if activities is None or activities.value.type not in ("list", "tuple", "set"):
        return False
    return all(
        (found := ctx.source.names.qualified_name(item)) is not None
        and found.qualified_name.endswith("ProfilerActivity.CPU")
        for item in activities.value.named_children
        if item.type != "comment"
    )
