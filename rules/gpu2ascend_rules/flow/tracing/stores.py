"""Where a word is kept: variables, attributes, containers, and what a function returns."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS
from ...text.syntax import call_of, enclosing, field, is_field, last_name, operator_of, same, text_of
from ...text.uses import scope_of_variable
from ..names.definition import CLASS, FUNCTION, MODULE, Definition
from ..names.uses import attributes, is_assigned
from ..subject import PlaceKind
from ..templates import UNKNOWN_PART, plain_text
from ..verdicts import Role
from ..words import is_device_text
from .calls.declarations import option_before
from .entries.config_files import is_of_yacs
from .parts import TracerPart, Tracing
from .tables import Tables
from .values import ANY, ITEM, EndKind, Met, Value

_PATTERNS = frozenset({"pattern_list", "tuple_pattern", "list_pattern"})
_DIVIDES = frozenset({"split", "rsplit", "partition", "rpartition"})
"""Methods that give parts of a text, the first of which has its first characters."""


class Stores(TracerPart):
    """The steps through names and containers."""

    def __init__(self, tracer: Tracing) -> None:
        super().__init__(tracer)
        self._tables = Tables(tracer)

    # -- assignments -----------------------------------------------------------------------------------

    def assigned(self, value: Value, parent: Node) -> Iterator[Value]:
        """What an assignment binds, ``a = b = value`` included."""
        if not is_field(value.node, "right"):
            return
        node: Node | None = parent
        while node is not None and node.type == "assignment":
            target = field(node, "left")
            if target is not None:
                yield from self.into(value, target)
            node = parent_of(node)

    def augmented(self, value: Value, parent: Node) -> Iterator[Value]:
        """What ``+=`` adds to a list."""
        target = field(parent, "left")
        if target is None or not is_field(value.node, "right"):
            return
        if value.access:
            if operator_of(parent) in ("+=", "|=") or parent.type == "augmented_assignment":
                yield from self.into(value, target)
        elif self._subject.part_counts:
            yield from self.into(value.within(ITEM, value.node), target)
        else:
            self._tracer.at(value, PlaceKind.ELSEWHERE, parent)

    def walrus(self, value: Value, parent: Node) -> Iterator[Value]:
        """``(name := value)``."""
        name = field(parent, "name")
        if name is not None and not same(name, value.node):
            yield from self.into(value, name)
            yield value.at(parent)

    def default(self, value: Value, parent: Node) -> Iterator[Value]:
        """The reads of a parameter that has the word as its default."""
        name = field(parent, "name")
        if name is not None and not same(name, value.node):
            self._tracer.tests.annotated(value, name)
            yield from self._tracer.reads(value, name)

    def into(self, value: Value, target: Node) -> Iterator[Value]:
        """The reads of a target that now holds a value."""
        if target.type == "identifier":
            self._tracer.tests.annotated(value, target)
            scope = scope_of_variable(target, value.file.source)
            kept = value._replace(calls=()) if scope.type in (MODULE, CLASS) else value
            if value.access and _is_configuration(value, target):
                flags = (f"{'.'.join(value.access)}=",)
                self._tracer.end(EndKind.OPTION, value, target, Met(flags=flags))
            yield from self._tracer.reads(kept, target)
        elif target.type == "attribute":
            name, receiver = field(target, "attribute"), field(target, "object")
            if name is not None and receiver is not None:
                self._tracer.tests.annotated(value, target)
                yield from self.attribute(value, receiver, text_of(name))
        elif target.type == "subscript":
            holder, keys = field(target, "value"), target.children_by_field_name("subscript")
            key = plain_text(keys[0]) if len(keys) == 1 else None
            if key is not None and holder is not None:
                yield from self.into(self.entry(value, key, holder), holder)
            elif holder is not None:
                proves = self._subject.proves(value.text)
                role = Role.UNKNOWN if proves else self._subject.otherwise_at(PlaceKind.ENTRY)
                self._tracer.seen(value, role, proof=not proves)
                yield from self.into(value.within(ANY, holder), holder)
        elif target.type in _PATTERNS:
            yield from self._unpacked(value, target)
        else:
            self._tracer.seen(value, Role.UNKNOWN, proof=False)

    def _unpacked(self, value: Value, pattern: Node) -> Iterator[Value]:
        """``first, second = value``."""
        if not value.has_items:
            if not value.access and value.node.type == "call" and last_name(value.node) in _DIVIDES:
                yield from self.into(value, pattern.named_children[0])
                return
            self._tracer.seen(value, Role.UNKNOWN, proof=False)
            return
        index = value.access[0][1:-1]
        is_own = bool(index) and not index.startswith("+")
        for place, target in enumerate(pattern.named_children):
            if not index or index.lstrip("+") == str(place):
                one = value.unboxed(value.node)
                yield from self.into(one._replace(display=None) if is_own else one, target)

    def attribute(self, value: Value, receiver: Node, name: str) -> Iterator[Value]:
        """The reads of ``receiver.name``: by the class of the object, or by the variable that holds it."""
        self._tracer.called(value, receiver, name, is_shared=True)
        owner = self._tracer.definitions.classes.of(value.file, receiver)
        if owner is None:
            named = self._tracer.definitions.of(value.file, receiver)
            owner = named if named is not None and named.kind == CLASS else None
            if named is not None and named.kind == MODULE:
                yield from self._of_module(value, named, name)
                return
        if owner is not None:
            reads = [use for _, use, _ in self._tracer.uses.of_field(owner, name)]
            yield from self.field(value._replace(calls=()), owner, name)
        else:
            shown = text_of(receiver)
            reads = [item for item in attributes(value.file, name) if _is_read_of(item, shown)]
            if receiver.type in ("identifier", "attribute", "subscript"):
                yield from self.into(value.within(name, receiver), receiver)
            else:
                yield from (value.read_at(item, value.file, is_certain=False) for item in reads)
        if not reads and not value.is_entry:
            self._tracer.seen(value, Role.UNKNOWN, proof=False)

    def _of_module(self, value: Value, module: Definition, name: str) -> Iterator[Value]:
        """``module.name = value``."""
        source = module.file.source
        for binding in source.names.bindings_in_scope(name, source.root):
            if parent_of(binding.scope) is None:
                yield from self._tracer.reads(
                    value.at(binding.node, module.file)._replace(calls=()), binding.node
                )
                return

    def field(self, value: Value, owner: Definition, name: str) -> Iterator[Value]:
        """The reads of an attribute of a class's instances."""
        for file, use, is_certain in self._tracer.uses.of_field(owner, name):
            yield value.read_at(use, file, is_certain=is_certain)

    # -- containers ------------------------------------------------------------------------------------

    def pair(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from the value of a dictionary's entry to the dictionary, or to one looked up by a key."""
        key, holder = field(parent, "key"), parent_of(parent)
        if key is None or holder is None:
            return
        if holder.named_child_count > FORWARD_LIMITS.items:
            self._tracer.seen(value, Role.SHOWN)
            return
        is_key = same(key, value.node)
        if not is_key and not value.access and holder.type == "dictionary_comprehension":
            yield value.within(ANY, holder)
            return
        if not value.access and holder.type == "dictionary" and self._tables.is_mapping(value, holder):
            self._tracer.seen(value, Role.MAPPING, holder, proof=False)
            return
        if is_key or holder.type != "dictionary":
            self._of_table(value, holder, is_key=is_key)
            return
        yield from self._of_entry(value, key, holder)

    def _of_entry(self, value: Value, key: Node, holder: Node) -> Iterator[Value]:
        """The dictionary that has a value under a key, or what a lookup in it gives."""
        text = plain_text(key)
        if self._subject.entry_apart(text or ""):
            self._tracer.seen(value, Role.SHOWN)
        if self._subject.option_values_apart and _is_value_of_option(holder):
            self._tracer.seen(value, Role.UNKNOWN, proof=False)
            return
        if self._tables.holds_siblings_alone(holder):
            self._tracer.seen(value, Role.CONSUMED, holder)
        if value.is_boxed:
            self._tracer.seen(value, Role.UNKNOWN, proof=False)
        subscript = parent_of(holder)
        if subscript is not None and subscript.type == "subscript" and is_field(holder, "value"):
            yield value.within(text if text is not None else ANY, holder)
            return
        yield self.entry(value, text if text is not None else ANY, holder)

    def _of_table(self, value: Value, holder: Node, *, is_key: bool) -> None:
        if value.access or not is_key:
            self._tracer.seen(value, Role.UNKNOWN, proof=False)
        else:
            self._tables.key(value, holder)

    def entry(self, value: Value, key: str, holder: Node) -> Value:
        """The dictionary that holds a value under a key, with what the key says of it."""
        if value.access and not value.is_boxed:
            return value.within(key, holder)
        if self._tracer.is_foreign(value.file):
            self._tracer.seen(value, Role.SHOWN)
        elif self._subject.names(key):
            role = self._subject.otherwise_at(PlaceKind.NAMED_ENTRY)
            self._tracer.called_entry(value, role, holder)
        elif self._subject.may_name(key) or self._subject.proves(value.text):
            self._tracer.seen(value, Role.UNKNOWN, proof=False)
        else:
            self._tracer.at(value, PlaceKind.ENTRY)
        return value.within(key, holder)._replace(is_kept=True)

    def item(self, value: Value, parent: Node) -> Iterator[Value]:
        """The step from a container to one of its items."""
        keys = parent.children_by_field_name("subscript")
        if not value.access:
            yield from self._part_of_text(value, parent)
        elif len(keys) == 1:
            found = value.at(parent) if keys[0].type == "slice" else self._under(value, keys[0], parent)
            yield from (found,) if found is not None else ()

    def _part_of_text(self, value: Value, parent: Node) -> Iterator[Value]:
        self._tracer.counts.cut(value, parent)
        for made in self._tracer.made(value, parent) if value.text else ():
            if made.text != UNKNOWN_PART:
                yield made
            elif value.is_kept:
                yield value.at(parent)

    def _under(self, value: Value, key: Node, parent: Node) -> Value | None:
        """What a container gives under a key; None where that is not the word."""
        text, first, found = plain_text(key), value.access[0], value.unboxed(parent)
        if first == ANY:
            return found._replace(is_certain=False)
        is_same = first == text if text is not None else first.replace("+", "") == f"[{text_of(key)}]"
        if is_same:
            return found._replace(display=None)
        if text is not None:
            return None
        is_from_end = first.startswith("[") and key.type == "unary_operator"
        is_any = first == ITEM or (value.is_boxed and self._tracer.is_one_of_its_kind(value))
        is_any = is_any or is_device_text(first)  # a table by devices
        if is_from_end or is_any:
            return found
        return found._replace(is_certain=False) if key.type != "integer" else None

    def iterated(self, value: Value, parent: Node) -> Iterator[Value]:
        """The variable of a loop over a container."""
        target = field(parent, "left")
        if target is None or not is_field(value.node, "right") or not value.has_items:
            return
        yield from self._looped(value, target)

    def _looped(self, value: Value, target: Node) -> Iterator[Value]:
        if target.type == "identifier" or target.type in _PATTERNS:
            yield from self.into(value.unboxed(value.node), target)
        else:
            self._tracer.seen(value, Role.UNKNOWN, proof=False)

    # -- results ---------------------------------------------------------------------------------------

    def yielded(self, value: Value, parent: Node) -> Iterator[Value]:
        """What a generator gives one after the other."""
        yield from self._result(value.within(ITEM, parent), parent)

    def returned(self, value: Value, parent: Node) -> Iterator[Value]:
        """What the calls of the function give that returns a value."""
        yield from self._result(value, parent)

    def given_by(self, value: Value, function: Definition) -> Iterator[Value]:
        """The calls that give what a function returns: the one through which the word came, else all."""
        last = value.calls[-1] if value.calls else None
        if last is not None and last.entered == function.key:
            yield value.read_at(last.node, last.file, is_certain=True)._replace(calls=value.calls[:-1])
            return
        for file, call, is_certain in self._tracer.uses.of_function(function):
            yield value.read_at(call, file, is_certain=is_certain)._replace(calls=())

    def _result(self, value: Value, statement: Node) -> Iterator[Value]:
        node = enclosing(statement, FUNCTION, "lambda")
        if node is None or node.type == "lambda":
            self._tracer.end(EndKind.UNKNOWN, value, statement)
            return
        function = Definition(value.file, node)
        name = field(node, "name")
        if name is not None and not (value.calls and value.calls[-1].entered == function.key):
            self._tracer.called(value, statement, text_of(name), is_shared=True)
        yield from self.given_by(value, function)

    def given_by_lambda(self, value: Value, parent: Node) -> Iterator[Value]:
        """The calls of a lambda with a name, what a factory makes, and who calls it elsewhere."""
        holder = parent_of(parent)
        if not is_field(value.node, "body") or holder is None:
            self._tracer.seen(value, Role.UNKNOWN, proof=False)
            return
        name = field(holder, "name") if holder.type == "keyword_argument" else field(holder, "left")
        if holder.type == "assignment" and name is not None and name.type == "identifier":
            for read in self._tracer.reads(value.at(parent), name):
                call = call_of(read.node)
                if call is not None:
                    yield read._replace(node=call, calls=())
        else:
            yield value.at(parent)


def _is_configuration(value: Value, target: Node) -> bool:
    """Whether a variable holds a configuration of yacs, which a command line changes by its keys:
    ``MODEL.DEVICE cuda``."""
    made = (
        field(parent_of(item.node), "right") for item in value.file.source.names.bindings(text_of(target))
    )
    return any(is_of_yacs(item, value.file) for item in made)


def _is_read_of(attribute: Node, receiver: str) -> bool:
    """Whether an attribute is read of an object that is written like another."""
    return not is_assigned(attribute) and text_of(field(attribute, "object") or attribute) == receiver


def _is_value_of_option(dictionary: Node) -> bool:
    """Whether a call makes of it what a command line gives an option: ``['--config', json.dumps({...})]``."""
    arguments = parent_of(dictionary)
    call = parent_of(arguments) if arguments is not None and arguments.type == "argument_list" else None
    holder = parent_of(call)
    if call is None or holder is None or holder.type not in ("list", "tuple"):
        return False
    return option_before(call) is not None
