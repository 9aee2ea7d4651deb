"""From the default or a choice of a declared option to the reads of its value."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....limits.parents import parent_of
from ....text.syntax import arguments_of, call_of, enclosing, field, is_field, last_name, passed_to, text_of
from ...libraries import Origin, source_of_callee
from ...names.definition import CLASS, Definition
from ...names.files import ProgramFile
from ...names.parameters import parameter_named, star_parameter
from ...names.uses import attributes, is_assigned
from ...subject import PlaceKind
from ...templates import plain_text
from ...verdicts import Role
from ..entries.environment import variables_of
from ..parts import TracerPart
from ..values import ITEM, EndKind, Met, Value
from .declarations import FLAGS, OPTIONS, option_names

_FLAG_ARGUMENTS: dict[int | str, str] = {1: "default", 2: "choices"}
"""The positions of absl's functions that declare a flag."""
_HAS_DEFAULT = frozenset({"default", "const", "flag_value"})
_VALIDATORS = frozenset({"in_", "In", "one_of", "OneOf"})
_CONVERTERS = (("type", 0), ("callback", 2))
"""Arguments that convert or check a value, of argparse and click, and the position that gets it."""
_PATTERNS = ("pattern", "regex")
_PARSES = ("parse_args", "parse_known_args", "parse_intermixed_args")


class DeclaredOptions(TracerPart):
    """The steps through argparse, click, absl and the descriptions of fields."""

    def declared(self, value: Value, call: Node, argument: int | str) -> Iterator[Value]:
        """A default or a choice of ``add_argument``, ``click.option`` and their like."""
        name = last_name(call)
        if name == "set_defaults" and isinstance(argument, str):
            self._tracer.called(value, call, argument, is_shared=True)
            yield from self._parsed(value._replace(is_kept=True), call, (argument,))
            return
        place = _FLAG_ARGUMENTS.get(argument, argument) if name in FLAGS else argument
        is_default, is_choice = place in _HAS_DEFAULT, place == "choices"
        if (is_choice or is_default) and self._subject.handled(call, value.file.ctx):
            self._tracer.seen(value, Role.SHOWN)
            return
        if is_default or (is_choice and value.access):
            chosen = value if is_default else self._chosen(value, call)
            if chosen is not None:
                yield from self._of_option(chosen._replace(is_kept=True), call)
        elif name not in FLAGS and isinstance(argument, str) and argument != ITEM:
            self._tracer.at(value, PlaceKind.INDEX)
        else:
            self._tracer.seen(value, Role.SHOWN)

    def _of_option(self, value: Value, call: Node) -> Iterator[Value]:
        """The reads of the option that a call declares, whose default or choice a word is."""
        name = last_name(call)
        choices = self._choices(call)
        if choices is not None:
            self._tracer.tests.chosen(value, call, choices)
        yield from self._converted(value, call)
        names = option_names(call)
        self._tracer.end(EndKind.OPTION, value, call, Met(flags=_flags_of(call)))
        self._tracer.called(value, call, *names, is_shared=True)
        function = self._decorated(call)
        if name in FLAGS:
            yield from self._flags(value, names)
            yield value.within("value", call)
        elif function is not None:
            yield from self._parameters(value, function, names)
        else:
            yield from self._parsed(value, call, names)

    def _converted(self, value: Value, call: Node) -> Iterator[Value]:
        """What the function that converts or checks the value of an option does with it."""
        for name, position in _CONVERTERS:
            given = arguments_of(call).keyword(name)
            found = self._tracer.definitions.of(value.file, given.value) if given is not None else None
            if given is not None and found is not None:
                yield from self._tracer.calls.entered(value, found, position, given.node)

    def _chosen(self, value: Value, call: Node) -> Value | None:
        """A choice as the value of its option; None where it does not belong to the subject."""
        if self._tracer.is_mixed(value):
            self._tracer.seen(value, Role.SHOWN)
            return None
        self._tracer.chosen(value)
        return value.unboxed(value.node)._replace(display=None)

    def allowed(self, value: Value, call: Node) -> Iterator[Value]:
        """``choices=[...]`` of a call that is not known to declare an option."""
        outer = passed_to(call)
        names = value.file.source.names
        if outer is not None and names.called_name(outer.call) in OPTIONS | FLAGS:
            yield from self.declared(value, outer.call, "choices")
        elif self._tracer.is_mixed(value):
            self._tracer.seen(value, Role.SHOWN)
        else:
            self._tracer.seen(value, Role.OPTION, value.node, proof=False)

    def held(self, value: Value, call: Node, name: str) -> Iterator[Value]:
        """``Namespace(device='cuda')``: what it holds is what it is read for, whatever library it is of."""
        is_of_library = source_of_callee(call, value.file.ctx).origin is not Origin.UNKNOWN
        is_plain = not (self._subject.of_torch and is_of_library)
        if self._tracer.is_foreign(value.file) and not is_plain:
            is_named = self._subject.names(name)
            role, node = (Role.UNKNOWN, call) if is_named else (Role.SHOWN, None)
            self._tracer.seen(value, role, node, proof=not is_named)
            return
        self._tracer.called(value, call, name, is_shared=True)
        kept = value._replace(is_kept=True)
        yield kept.within(name, call)
        yield from self._read_anywhere(kept, (name,))

    def choices_of(self, value: Value, call: Node) -> Iterator[Value]:
        """``click.Choice([...])`` as the type of an option."""
        return self.allowed(value, call)

    def described(self, value: Value, call: Node) -> Iterator[Value]:
        """``field(default='cuda', metadata={'choices': [...]})``: the field has the default."""
        checked = arguments_of(call).keyword("validator")
        if checked is not None and checked.value.type == "call" and last_name(checked.value) in _VALIDATORS:
            allowed = arguments_of(checked.value).at(0)
            if allowed is not None:
                self._tracer.tests.listed(value, call, allowed.value)
        for name in _PATTERNS:
            pattern = arguments_of(call).keyword(name)
            if pattern is not None:
                self._tracer.tests.matched_with(value, call, pattern.value)
        metadata = arguments_of(call).keyword("metadata")
        pairs = metadata.value.named_children if metadata is not None else []
        for pair in pairs:
            key, listed = field(pair, "key"), field(pair, "value")
            if key is not None and listed is not None and "choices" in text_of(key):
                self._tracer.tests.chosen(value, call, listed)
        yield value.at(call)

    def _choices(self, call: Node) -> Node | None:
        arguments = arguments_of(call)
        given = arguments.keyword("choices")
        if given is not None:
            return given.value
        if last_name(call) in FLAGS:
            listed = arguments.at(2)
            return listed.value if listed is not None and last_name(call) == "DEFINE_enum" else None
        kind = arguments.keyword("type")
        if kind is not None and kind.value.type == "call" and last_name(kind.value) == "Choice":
            listed = arguments_of(kind.value).at(0)
            return listed.value if listed is not None else None
        return None

    def _decorated(self, call: Node) -> Node | None:
        """The function whose parameter an option of click fills."""
        decorator = parent_of(call)
        is_decorator = decorator is not None and decorator.type == "decorator"
        definition = field(parent_of(decorator), "definition") if is_decorator else None
        return definition

    def _parameters(self, value: Value, function: Node, names: tuple[str, ...]) -> Iterator[Value]:
        for name in names:
            parameter = parameter_named(function, name)
            if parameter is not None:
                self._tracer.tests.annotated(value, parameter)
                yield from self._tracer.reads(value, parameter)
            elif (rest := star_parameter(function, name, bound=False)) is not None:
                yield from self._tracer.reads(value.within(name, function), rest[0])

    def _flags(self, value: Value, names: tuple[str, ...]) -> Iterator[Value]:
        """``FLAGS.name`` and ``FLAGS['name'].value``, wherever the file or one that imports it reads it."""
        for file in self._around(value.file, names[0] if names else ""):
            for attribute in attributes(file, names[0]):
                if _are_flags(field(attribute, "object"), file):
                    yield value.at(attribute, file)
            for entry in _entries(file, names[0]):
                holder = parent_of(entry)
                if _are_flags(field(entry, "value"), file) and text_of(field(holder, "attribute")) == "value":
                    yield value.at(holder or entry, file)

    def _parsed(self, value: Value, call: Node, names: tuple[str, ...]) -> Iterator[Value]:
        """The values that ``parse_args`` gives, which hold that of the option."""
        found = False
        for file in self._around(value.file, "parse"):
            for result, key in _results_of_parsers(file):
                found = True
                for way in _ways_to(names):
                    held = value.at(result, file)._replace(access=(*way, *value.access))
                    yield held if key is None else held._replace(access=(key, *held.access))
        if not found:
            yield from self._read_anywhere(value, names)
        if value.file.source.enclosing(call, CLASS) is not None:
            yield from self._of_self(value, call, names)

    def _around(self, file: ProgramFile, word: str) -> Iterator[ProgramFile]:
        yield file
        yield from self._tracer.files.importers_of(file, word)

    def _read_anywhere(self, value: Value, names: tuple[str, ...]) -> Iterator[Value]:
        """``args.name`` of the same file, where nothing shows who parses."""
        for name in names:
            for attribute in attributes(value.file, name):
                receiver = field(attribute, "object")
                if not is_assigned(attribute) and text_of(receiver or attribute) not in ("self", "cls"):
                    yield value.at(attribute)

    def _of_self(self, value: Value, call: Node, names: tuple[str, ...]) -> Iterator[Value]:
        """The fields of a class that declares its options itself, as a ``Tap`` does."""
        owner = enclosing(call, CLASS)
        if owner is not None:
            for name in names:
                yield from self._tracer.stores.field(value, Definition(value.file, owner), name)


def _are_flags(expression: Node | None, file: ProgramFile) -> bool:
    """Whether an expression is absl's ``FLAGS``, or a name that is given it."""
    given = file.source.names.only_value(expression) if expression is not None else None
    return any(text_of(item).endswith("FLAGS") for item in (expression, given))


def _entries(file: ProgramFile, name: str) -> Iterator[Node]:
    """The look-ups of a name in a file: ``FLAGS['name']``."""
    for at in file.source.find_all(name.encode()):
        content = file.source.node_at(at, at + len(name))
        key = parent_of(content) if content is not None else None
        entry = parent_of(key) if key is not None else None
        if key is not None and entry is not None and entry.type == "subscript" and is_field(key, "subscript"):
            yield entry


def _flags_of(call: Node) -> tuple[str, ...]:
    """The flags of an option, such as ``--device``; that of a flag of absl has two hyphens."""
    if last_name(call) in FLAGS:
        return tuple(f"--{name}" for name in option_names(call)[:1])
    texts = (plain_text(item.value) or "" for item in arguments_of(call).unnamed)
    flags = (text for text in texts if text.startswith("-"))
    return (*flags, *(f"${name}" for name in variables_of(call)))


def _ways_to(names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """How the value of an option lies in what was parsed: ``--a.b`` also by ``args.a.b``."""
    for name in dict.fromkeys(names):
        yield (name,)
        if "." in name:
            yield tuple(name.split("."))


def _results_of_parsers(file: ProgramFile) -> Iterator[tuple[Node, str | None]]:
    """The calls that parse a command line, with how the parsed values lie in what they give."""
    for name in _PARSES:
        for attribute in attributes(file, name):
            call = call_of(attribute)
            if call is not None:
                yield call, "[0]" if name == "parse_known_args" else None
