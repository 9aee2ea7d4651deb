"""From a file's text to the events that its rules asked for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Protocol

from tree_sitter import Node

from ..facts.releases.canonical import PublicName, found_public, public_name
from ..facts.statuses import ABSENT
from ..limits.parents import parent_of
from ..text.dynamic.disguises import disguises, may_be_disguised
from ..text.dynamic.dynamic_imports import TORCH, names_of_called_imports
from ..text.names import NameResolution
from ..text.scopes import Binding, BindingKind
from ..text.source_file import SourceFile
from ..text.syntax import Chain, chain_from_root, chain_of, is_field, text_of
from .dispatch import Bound, Dispatch
from .events import CountRef, ImportRef, KeywordRef, MemberRef, NameRef, Need, StringRef

_ITEM_WRITE = re.compile(rb"\][ \t]*=(?!=)")
_MASK = re.compile(rb"[<>]|[=!]=|mask")
_BEFORE_ITEM = re.compile(rb"[\w\])]")
STRING_TYPES = frozenset({"string", "string_content"})


def scan_imports(source: SourceFile, roots: frozenset[str]) -> Iterator[ImportRef]:
    """Each imported name whose root is one of ``roots``."""
    for binding in source.names.imports:
        name = imported_name(binding)
        if name.partition(".")[0] in roots:
            yield ImportRef(name, binding)


def imported_name(binding: Binding) -> str:
    """What an import names: ``import a.b`` names ``a.b``, though it binds ``a``."""
    if binding.node.type == "dotted_name" and binding.statement.type == "import_statement":
        return text_of(binding.node).replace(" ", "")
    return binding.target


def scan_names(source: SourceFile, roots: frozenset[str]) -> Iterator[NameRef]:
    """Each dotted expression, as long as it goes, whose qualified name begins with one of ``roots``."""
    for name, chain, resolution in _named_chains(source, roots):
        yield _name_ref(name, chain, resolution)


_NamedChain = tuple[str, Chain, NameResolution]
"""A dotted expression after its qualified name, and with what its first name means."""


def _named_chains(source: SourceFile, roots: frozenset[str]) -> Iterator[_NamedChain]:
    """The same for callers that make references only of the names that a rule asks for."""
    pending = [*_local_roots(source, roots)]
    done: set[str] = set()
    while pending:
        local = pending.pop()
        if local in done:
            continue
        done.add(local)
        for chain, resolution in _references(source, local, roots):
            yield ".".join((resolution.qualified_name, *chain.attributes)), chain, resolution
            pending.extend(_rebound_names(chain))


def _references(
    source: SourceFile, name: str, roots: frozenset[str]
) -> Iterator[tuple[Chain, NameResolution]]:
    """The dotted expressions that begin with a name, each with what the name means there, where that
    is something below one of the roots."""
    names = source.names
    once = names.means_one_thing(name)
    resolution: NameResolution | None = None
    for identifier in names.references(name):
        if resolution is None or not once:
            resolution = names.resolve(identifier)
            is_below = resolution is not None and resolution.qualified_name.partition(".")[0] in roots
        if resolution is not None and is_below:
            yield chain_from_root(identifier), resolution


def _local_roots(source: SourceFile, roots: frozenset[str]) -> Iterator[str]:
    """The local names by which a file may speak of the modules in ``roots``."""
    for binding in source.names.imports:
        if source.names.imported_meaning(binding).partition(".")[0] in roots and binding.name != "*":
            yield binding.name
    yield from source.names.starred()
    yield from (text_of(name) for name in names_of_called_imports(source))
    yield TORCH


def _as_public(public: PublicName, chain: Chain, resolution: NameResolution) -> tuple[Chain, NameResolution]:
    """A dotted expression as one that begins with the module which has the object by its public name."""
    parts = public.name.split(".")
    at = public.head - (resolution.qualified_name.count(".") + 1)
    if at <= 0:  # the first name means the object, or something of it
        root = ".".join(parts[: len(parts) - len(chain.attributes)])
        return chain, resolution._replace(qualified_name=root)
    below = Chain(chain.nodes[at - 1], chain.attributes[at - 1 :], chain.nodes[at - 1 :])
    return below, resolution._replace(qualified_name=".".join(parts[: public.public_head - 1]))


def _rebound_names(chain: Chain) -> Iterator[str]:
    """The names bound to a chain by plain assignment: ``sync`` in ``sync = torch.cuda.synchronize``."""
    parent = parent_of(chain.node)
    while parent is not None and parent.type == "assignment" and is_field(chain.node, "right"):
        target = parent.child_by_field_name("left")
        if target is not None and target.type == "identifier":
            yield text_of(target)
        if not is_field(parent, "right"):
            return
        parent = parent_of(parent)


def _name_ref(name: str, chain: Chain, resolution: NameResolution) -> NameRef:
    return NameRef(
        name, chain.node, chain, resolution.certainty, resolution.binding, resolution.qualified_name
    )


def narrowed(ref: NameRef, count: int) -> NameRef | None:
    """The reference cut to the first ``count`` components of its name; ``None`` if the cut falls into
    the chain's root, which then means more than the pattern names."""
    if count == len(ref.chain.attributes) + ref.root_name.count(".") + 1:
        return ref
    below_root = count - (ref.root_name.count(".") + 1)
    if below_root < 0:
        return None
    parts = ref.name.split(".")
    return ref._replace(
        name=".".join(parts[:count]), node=ref.chain.nodes[below_root], rest=tuple(parts[count:])
    )


def scan_members(source: SourceFile, names: Iterable[str]) -> Iterator[MemberRef]:
    """Each attribute of one of these names, but for those that belong to an imported module's name."""
    present = source.attribute_names
    of_receiver = partial(receiver_name, source)
    for name in names:
        if name.encode() not in present:
            continue
        for identifier in source.identifiers(name):
            node = parent_of(identifier)
            if node is None or node.type != "attribute" or not is_field(identifier, "attribute"):
                continue
            receiver = node.child_by_field_name("object")
            if receiver is not None:
                yield MemberRef(name, node, receiver, identifier, of_receiver)


def scan_last_names(source: SourceFile, names: Iterable[str]) -> Iterator[tuple[str, NameRef]]:
    """Each use of something imported whose last part is one of these names, up to that part."""
    for name in names:
        for identifier in source.identifiers(name):
            parent = parent_of(identifier)
            is_attribute = parent is not None and is_field(identifier, "attribute")
            if not is_attribute and not source.names.is_reference(identifier):
                continue
            chain = chain_of(parent if parent is not None and is_attribute else identifier)
            resolution = source.names.resolve(chain.root) if chain is not None else None
            if chain is None or resolution is None or resolution.binding is None:
                continue
            if resolution.binding.kind in (BindingKind.IMPORT, BindingKind.ASSIGNMENT):
                qualified = ".".join((resolution.qualified_name, *chain.attributes))
                yield name, _name_ref(qualified, chain, resolution)


def receiver_name(source: SourceFile, receiver: Node) -> str | None:
    """The qualified name of a receiver that is a dotted name of something imported."""
    chain = chain_of(receiver)
    if chain is None:
        return None
    resolution = source.names.resolve(chain.root)
    if resolution is None or resolution.binding is None:
        return None
    if resolution.binding.kind not in (BindingKind.IMPORT, BindingKind.ASSIGNMENT):
        return None
    return public_name(".".join((resolution.qualified_name, *chain.attributes)))


def scan_strings(source: SourceFile, words: Iterable[str]) -> Iterator[tuple[str, StringRef]]:
    """Each string literal that holds one of the words, once for each word; docstrings excepted."""
    for word in words:
        needle = word.encode("utf-8")
        seen: set[int] = set()
        named = source.known_identifiers(word)
        for offset in source.find_all(needle):
            if offset in named:
                continue
            node = source.node_at(offset, offset + len(needle))
            if node is None or node.type not in STRING_TYPES:
                continue
            string = node if node.type == "string" else parent_of(node)
            if string is None or string.type != "string" or string.id in seen:
                continue
            seen.add(string.id)
            if not is_docstring(string):
                yield word, string_ref(source, string)


def is_docstring(string: Node) -> bool:
    """Whether a string stands alone as a statement: a docstring, or a text used as a comment."""
    parent = parent_of(string)
    if parent is not None and parent.type == "concatenated_string":
        parent = parent_of(parent)
    return parent is not None and parent.type in ("expression_statement", "module", "block")


def string_ref(source: SourceFile, string: Node) -> StringRef:
    """A string node with its literal text."""
    parts: list[str] = []
    prefix = ""
    for child in string.children:
        if child.type == "string_start":
            prefix = text_of(child).rstrip("'\"").lower()
        elif child.type == "interpolation":
            parts.append("{}")
        elif child.type == "string_content":
            parts.append(source.text_of(child))
    return StringRef(string, "".join(parts), prefix)


def scan_keywords(source: SourceFile, names: Iterable[str]) -> Iterator[KeywordRef]:
    """Each keyword argument of one of these names."""
    for name in names:
        for identifier in source.identifiers(name):
            node = parent_of(identifier)
            if node is None or node.type != "keyword_argument" or not is_field(identifier, "name"):
                continue
            value, holder = node.child_by_field_name("value"), parent_of(node)
            call = parent_of(holder)
            if value is None or call is None or call.type != "call":
                continue
            yield KeywordRef(name, node, value, call, callee_name(source, call))


def scan_definitions(source: SourceFile, names: Iterable[str]) -> Iterator[tuple[str, Node]]:
    """Each function or class definition of one of these names."""
    for name in names:
        for identifier in source.identifiers(name):
            node = parent_of(identifier)
            if node is None or not node.type.endswith("_definition"):
                continue
            if is_field(identifier, "name"):
                yield name, node


def mask_writes(data: bytes) -> Iterator[int]:
    """Where a bracket closes of what looks like an assignment to masked places, before the tree is asked."""
    for found in _ITEM_WRITE.finditer(data):
        at = found.start()
        line = data.rfind(b"\n", 0, at) + 1
        opening = data.rfind(b"[", line, at)
        is_item = opening > 0 and _BEFORE_ITEM.match(data, opening - 1) is not None
        if is_item and data.find(b"]", opening, at) < 0 and _MASK.search(data, opening + 1, at):
            yield at


def scan_mask_writes(source: SourceFile) -> Iterator[Node]:
    """Each assignment to a part of a value that a comparison, or a name for a mask, chooses."""
    for at in mask_writes(source.data):
        node = source.node_at(at, at + 1)
        item = parent_of(node)
        holder = parent_of(item) if item is not None and item.type == "subscript" else None
        if item is not None and holder is not None and holder.type == "assignment" and is_field(item, "left"):
            yield holder


def callee_name(source: SourceFile, call: Node) -> str | None:
    """The qualified name of what a call calls, when it is a dotted name of something imported."""
    function = call.child_by_field_name("function")
    if function is None:
        return None
    return receiver_name(source, function)


class Listed(Protocol):
    """What the file has, and what the support lists say of names, as far as the options ask for it."""

    def has(self, need: Need) -> bool:
        """Whether the file has what a handler needs."""

    def lacks(self, name: str) -> bool:
        """Whether the chosen release of torch does not have a name."""

    def may_be_extension(self, name: str) -> bool:
        """Whether an imported name may be of an extension which the project compiles for CUDA."""

    def counting_numbers(self) -> Iterable[CountRef]:
        """The numbers that count the letters of words about which the program decides."""

    def support_listed_members(self, status: str) -> Iterable[str]:
        """The names of members to which the lists give a status."""

    def support_listed_status(self, name: str, root_name: str) -> str | None:
        """The status of the longest part of a dotted name that a list has, if it is longer than its root."""


Call = tuple[Bound, object]
"""A handler, and the event that it wants."""


def run(source: SourceFile, dispatch: Dispatch, lists: Listed) -> Iterator[Call]:
    """Each event of the file with the handler that wants it."""
    yield from _imports(source, dispatch, lists)
    for bound, name_ref in _wanted_names(source, dispatch, lists):
        yield bound, name_ref
    for handlers, event in _others(source, dispatch, lists):
        for bound in handlers:
            yield bound, event
    for number in lists.counting_numbers() if dispatch.counts else ():
        yield from ((bound, number) for bound in dispatch.counts)


def _imports(source: SourceFile, dispatch: Dispatch, lists: Listed) -> Iterator[Call]:
    for ref in scan_imports(source, dispatch.roots):
        yield from _wanted_import(ref, dispatch)
        if dispatch.absent_imports and lists.lacks(ref.name):
            for bound in dispatch.absent_imports:
                yield bound, ref
    for binding in source.names.imports if dispatch.extension_imports else ():
        ref = ImportRef(imported_name(binding), binding)
        if lists.may_be_extension(ref.name):
            for bound in dispatch.extension_imports:
                yield bound, ref


def _others(
    source: SourceFile, dispatch: Dispatch, lists: Listed
) -> Iterator[tuple[Sequence[Bound], object]]:
    """The events that are neither names nor imports, with their handlers."""
    members, keywords, last_names = (
        _able(wanted.among(source.words), wanted, lists)
        for wanted in (dispatch.members, dispatch.keywords, dispatch.last_names)
    )
    strings = _able(dispatch.strings.held_by(source), dispatch.strings, lists)
    definitions = _able(dispatch.definitions.among(source.words), dispatch.definitions, lists)
    yield from ((last_names[name], ref) for name, ref in scan_last_names(source, last_names))
    yield from ((members[member.name], member) for member in scan_members(source, members))
    yield from ((strings[word], text) for word, text in scan_strings(source, strings))
    yield from ((keywords[keyword.name], keyword) for keyword in scan_keywords(source, keywords))
    yield from ((definitions[name], node) for name, node in scan_definitions(source, definitions))
    if dispatch.disguises and may_be_disguised(source.data):
        yield from ((dispatch.disguises, disguise) for disguise in disguises(source))
    if dispatch.mask_writes:
        yield from ((dispatch.mask_writes, assignment) for assignment in scan_mask_writes(source))
    for status, handlers in dispatch.support_listed_members.items():
        for listed in scan_members(source, lists.support_listed_members(status)):
            yield handlers, listed


def _able(
    words: Iterable[str], handlers: Mapping[str, Sequence[Bound]], lists: Listed
) -> Mapping[str, Sequence[Bound]]:
    """Those words of a text whose handlers have what they need in the file, with these handlers."""
    able = ((word, [item for item in handlers[word] if lists.has(item.needs)]) for word in words)
    return {word: wanting for word, wanting in able if wanting}


def _wanted_import(ref: ImportRef, dispatch: Dispatch) -> Iterator[Call]:
    """An imported name with each handler that wants it, by this name or by its object's public one."""
    found: set[object] = set()
    for spelled in (ref, ref._replace(name=public_name(ref.name))):
        for bound, count in dispatch.imports.match(spelled.name):
            if bound.key not in found and (count == spelled.name.count(".") + 1 or ref.is_star):
                found.add(bound.key)
                yield bound, spelled


def _wanted_names(source: SourceFile, dispatch: Dispatch, lists: Listed) -> Iterator[tuple[Bound, NameRef]]:
    """Each dotted expression that a handler wants, with the handler. Most are wanted by none."""
    for name, chain, resolution in _named_chains(source, dispatch.roots):
        status = lists.support_listed_status(name, resolution.qualified_name)
        public = found_public(name) if status != ABSENT else None
        if public is not None and not lists.lacks(public.name):
            name, (chain, resolution) = public.name, _as_public(public, chain, resolution)
            status = lists.support_listed_status(name, resolution.qualified_name)
        matches = dispatch.names.match(name)
        handlers = dispatch.support_listed_names.get(status, ()) if status is not None else ()
        if not matches and not handlers:
            continue
        ref = _name_ref(name, chain, resolution)
        for bound, count in matches:
            cut = narrowed(ref, count) if lists.has(bound.needs) else None
            if cut is not None:
                yield bound, cut
        for bound in handlers:
            yield bound, ref
