"""Where a word meets other words: comparisons, lists of allowed values, types that list them, tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...limits.below import nodes_in
from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS
from ...text.syntax import (
    arguments_of,
    enclosing,
    field,
    is_field,
    last_name,
    same,
    text_of,
    without_parentheses,
)
from ..names.declared_values import values_of_members
from ..names.definition import CLASS, FUNCTION, NAME, Definition
from ..names.files import ProgramFile
from ..subject import PlaceKind
from ..templates import literal_texts, plain_text, string_template, texts_in
from ..verdicts import Role
from ..words import words_in_pattern
from .constants import DISPLAYS, Constants
from .named import is_compared_with_rival, is_filled_elsewhere, is_literal_type
from .parts import TracerPart, Tracing
from .tables import Tables, makes_entry
from .values import EndKind, Meeting, Met, Value, Word

_EQUALS = frozenset({"==", "!=", "is", "is not", "<>"})
_CONTAINS = frozenset({"in", "not in"})
_NPU_WORDS = ("npu", "hccl", "HCCL")
_MOST_ITEMS = 100
_EMPTY = re.compile(r"\{\}|(?:\w+\.)?(?:dict|OrderedDict|defaultdict)\(\w*\)")
"""A table that gets its entries later, such as a registry."""
_LITERALS = ("Literal[", "typing.Literal[", "t.Literal[")
_ANNOTATED = ("assignment", "typed_parameter", "typed_default_parameter", "type_alias_statement")


class Tests(TracerPart):
    """Records the ends at which words must agree."""

    def __init__(self, tracer: Tracing) -> None:
        super().__init__(tracer)
        self._constants = Constants(tracer.definitions)
        self._tables = Tables(tracer)

    # -- comparisons -----------------------------------------------------------------------------------

    def compared(self, value: Value, parent: Node) -> Iterator[Value]:
        """``value == 'cuda'``, ``value in ('cuda', 'cpu')`` and ``'cuda' in value``."""
        if parent.child_count > FORWARD_LIMITS.operands:
            return iter(())
        parts = [child for child in parent.children if child.type != "comment"]
        place = next((index for index, part in enumerate(parts) if same(part, value.node)), -1)
        self._operand(value, parent, parts, place)
        is_in_list = place == 2 and parts[1].type in _CONTAINS and _is_item(value.access)
        if len(parts) == 3 and (is_in_list or not value.access):
            self._tracer.meet(value, parent)
        if not value.access and place >= 0 and len(parts) <= 2 * _MOST_ITEMS:
            self._beside_both(value, parent, parts, place)
        return iter(())

    def _beside_both(self, value: Value, comparison: Node, parts: list[Node], place: int) -> None:
        if place + 2 < len(parts):
            self._beside(value, comparison, parts[place + 1].type, parts[place + 2], is_left=True)
        if place >= 2:
            self._beside(value, comparison, parts[place - 1].type, parts[place - 2], is_left=False)

    def _operand(self, value: Value, comparison: Node, parts: list[Node], place: int) -> None:
        """Record what a comparison shows by the operand beside the value."""
        is_left = place < 2
        near = place + 2 if is_left else place - 2
        if not 0 <= near < len(parts):
            return
        other, operator = parts[near], parts[(place + near) // 2].type
        if self._is_handled(value, comparison):
            self._tracer.seen(value, Role.SHOWN)
        elif value.access:
            if value.is_boxed and operator in _CONTAINS and not is_left:
                self._looked_up_in(value, value.node, other)
        elif operator not in _EQUALS | _CONTAINS:
            return
        elif operator in _CONTAINS and is_left and self._subject.holder(other, value.file.ctx):
            self._tracer.seen(value, Role.CONSUMED, comparison)
        elif self._tracer.is_named(value.file, other):
            self._tested_named(value, other, comparison)
        elif is_compared_with_rival(other, value.file, self._subject):
            self._test(value, comparison)
        elif value.node.type == "string":
            self._tracer.at(value, PlaceKind.COMPARED)

    def _is_handled(self, value: Value, test: Node) -> bool:
        """Whether the place of a test deals with the counterpart, or all places where a function gives its
        result do: then the word stays, whatever the file of the function shows."""
        if self._subject.test_handled(test, value.file.ctx):
            return True
        statement = parent_of(test)
        is_result = statement is not None and statement.type == "return_statement"
        function = enclosing(statement, FUNCTION, "lambda") if statement is not None and is_result else None
        if function is None or function.type != FUNCTION:
            return False
        calls = list(self._tracer.stores.given_by(value, Definition(value.file, function)))
        if not calls or not all(self._subject.result_handled(call.node, call.file.ctx) for call in calls):
            return False
        self._tracer.end(EndKind.TESTED, value, test, Met(is_served=True))
        return True

    def _looked_up_in(self, value: Value, display: Node, other: Node) -> None:
        """Record that something is looked up in a list."""
        if self._tracer.is_mixed(value) or not self._tracer.is_named(value.file, other):
            self._tracer.at(value, PlaceKind.MEMBERSHIP)
        else:
            self._tracer.seen(value, Role.MEMBER, display, proof=self._is_given(other, value.file))

    def _is_given(self, tested: Node, file: ProgramFile) -> bool:
        """Whether nothing but what makes texts of the subject gives an expression."""
        calls = file.ctx.origins(tested)
        return bool(calls) and self._subject.givers.issuperset(map(file.source.names.called_in, calls))

    def _tested_named(self, value: Value, tested: Node, place: Node) -> None:
        """Record that a value of the subject is tested for the word."""
        if is_filled_elsewhere(tested, value.file.ctx, self._subject):
            self._tracer.seen(value, Role.UNKNOWN, place, proof=False)
        else:
            self._test(value, place)

    def _test(self, value: Value, place: Node) -> None:
        """Record a test; what a variable is compared with that holds the word must name the counterpart."""
        if not value.is_kept:
            self._tracer.seen(value, Role.TEST, place)
        elif self._subject.test_proves:
            self._tracer.seen(value, Role.CONSUMED, place)

    def case(self, value: Value, pattern: Node) -> Iterator[Value]:
        """A word in a ``case`` pattern."""
        statement = value.file.source.enclosing(pattern, "match_statement")
        subject = field(statement, "subject")
        if subject is None or not self._tracer.is_named(value.file, subject):
            self._tracer.at(value, PlaceKind.COMPARED)
        elif pattern.type == "union_pattern":
            role = self._subject.otherwise_at(PlaceKind.PATTERN)
            self._tracer.seen(value, role, pattern, proof=False)
        else:
            self._tested_named(value, subject, pattern)
        return iter(())

    def asserted(self, value: Value, call: Node, position: int) -> None:
        """``self.assertEqual(x.device.type, 'cuda')``: a comparison."""
        other = arguments_of(call).at(1 - position) if position < 2 else None
        if other is not None and self._tracer.is_named(value.file, other.value):
            self._test(value, call)
        elif value.node.type == "string":
            self._tracer.at(value, PlaceKind.COMPARED)

    def searched_for(self, value: Value, call: Node, receiver: Node) -> None:
        """``name.startswith("cuda")``: the word is what is searched for."""
        self._tracer.meet(value, call)
        if receiver.type == "string" or not self._tracer.is_named(value.file, receiver):
            self._tracer.at(value, PlaceKind.SEARCHED)
        elif value.is_boxed:
            is_mixed = self._tracer.is_mixed(value)
            role, node = (Role.SHOWN, None) if is_mixed else (Role.MEMBER, value.node)
            self._tracer.seen(value, role, node, proof=is_mixed)
        else:
            self._test(value, receiver)

    def _beside(self, value: Value, place: Node, operator: str, other: Node, *, is_left: bool) -> None:
        if operator in _EQUALS or (operator in _CONTAINS and not is_left):
            self._tested(value, place, [without_parentheses(other)], value.file)
        elif operator in _CONTAINS:
            self._listed(value, place, other)

    def _tested(self, value: Value, place: Node, others: list[Node], file: ProgramFile) -> None:
        words, is_served = self._words(file, others)
        if words or is_served:
            self._tracer.end(EndKind.TESTED, value, place, Met(words, is_served))

    def _listed(self, value: Value, place: Node, other: Node, *, is_choice: bool = False) -> None:
        file, items = self._constants.items(value.file, other)
        if len(items) > _MOST_ITEMS:
            return
        words, is_served = self._words(file, items)
        if words or is_served:
            self._tracer.end(EndKind.LISTED, value, place, Met(words, is_served, is_choice))

    def looked_up_among(self, value: Value, place: Node, values: list[Node], file: ProgramFile) -> None:
        """Record that a word must be the value of a member of an enumeration, which changes with it."""
        words, is_served = self._words(file, values[:_MOST_ITEMS])
        if not value.access and (words or is_served):
            self._tracer.end(EndKind.LISTED, value, place, Met(words, is_served, is_choice=True))

    def fits_pattern(self, value: Value, call: Node, argument: int | str) -> bool:
        """Record a test by ``re.match`` or a compiled pattern; whether the pattern names the word."""
        place = 2 if last_name(call).startswith("sub") else 1
        if value.file.source.names.called_in(call).startswith("re."):
            given = arguments_of(call).at(0)
            is_tested = given is not None and argument in (place, "string")
            return given is not None and is_tested and self.matched_with(value, call, given.value)
        receiver = field(field(call, "function"), "object")
        if receiver is None or argument != place - 1:
            return False
        file, made = self._constants.assigned(value.file, receiver)
        if made is None or made.type != "call" or file.source.names.called_in(made) != "re.compile":
            return False
        given = arguments_of(made).at(0)
        return given is not None and self.matched_with(value, call, given.value, file)

    def matched_with(self, value: Value, place: Node, pattern: Node, file: ProgramFile | None = None) -> bool:
        """Record that a regular expression must let a word pass; whether it names the word."""
        holder, literal = file if file is not None else value.file, without_parentheses(pattern)
        if literal.type != "string":
            holder, constant = self._constants.constant(holder, literal)
            literal = constant if constant is not None else literal
        text = string_template(literal) if literal.type == "string" else ""
        if value.access or next(words_in_pattern(text, self._subject.sample), None) is None:
            return False
        self._tracer.end(EndKind.TESTED, value, place, Met((Word(holder.path, literal.start_byte),)))
        return True

    def _words(self, file: ProgramFile, nodes: list[Node]) -> tuple[tuple[Word, ...], bool]:
        """The words of the subject among some expressions, and whether one is the NPU's."""
        words: list[Word] = []
        is_served = False
        for node in nodes:
            text = string_template(node) if node.type == "string" else plain_text(node)
            if text is None:
                file_of, constant = self._constants.constant(file, node)
                if constant is None:
                    members, is_npu_among = self._members(file, node)
                    words += members
                    is_served = is_served or is_npu_among
                    continue
                node, text = constant, string_template(constant)
                words += [Word(file_of.path, node.start_byte)] if self._tracer.subject.is_text(text) else []
            elif self._tracer.subject.is_text(text):
                words.append(Word(file.path, node.start_byte))
            is_served = is_served or text.partition(":")[0] in _NPU_WORDS
        return tuple(words), is_served

    def _members(self, file: ProgramFile, node: Node) -> tuple[tuple[Word, ...], bool]:
        owner = self._tracer.definitions.classes.of_each_member(file, node)
        values = values_of_members(owner.node) if owner is not None else ()
        return self._words(owner.file if owner else file, [it for it in values if it.type == "string"])

    def searched(self, value: Value, call: Node) -> None:
        """``value.startswith('cuda')``."""
        self._tracer.meet(value, call)
        given = arguments_of(call).at(0)
        if given is not None and given.value.type in DISPLAYS:
            self._listed(value, call, given.value)
        elif given is not None:
            self._tested(value, call, [given.value], value.file)

    def matched(self, value: Value, parent: Node) -> Iterator[Value]:
        """``match value`` with the patterns of its cases."""
        body = field(parent, "body")
        if value.access or body is None or not is_field(value.node, "subject"):
            return iter(())
        for case in body.named_children:
            patterns = [item for item in case.children if item.type == "case_pattern"]
            for pattern in patterns:
                strings = [item for item in nodes_in(pattern) if item.type == "string"]
                self._tested(value, pattern, strings, value.file)
        return iter(())

    # -- types and tables ------------------------------------------------------------------------------

    def annotated(self, value: Value, name: Node) -> None:
        """``name: Literal['cpu', 'cuda']``."""
        annotation = field(parent_of(name), "type")
        if annotation is None:
            return
        if is_literal_type(annotation, value.file, self._subject):
            self._tracer.seen(value, Role.CONSUMED)
        if value.access:
            return
        file, listed = value.file, annotation
        inner = annotation.named_children[0] if annotation.named_children else annotation
        if inner.type == NAME:
            file, alias = self._constants.assigned(value.file, inner)
            listed = alias if alias is not None else annotation
        if literal_texts(listed):
            strings = [item for item in nodes_in(listed) if item.type == "string"]
            words, is_served = self._words(file, strings)
            if words or is_served:
                self._tracer.end(EndKind.LISTED, value, name, Met(words, is_served))

    def listed(self, value: Value, place: Node, allowed: Node) -> None:
        """The words that a validator lets pass."""
        self._listed(value, place, allowed)

    def chosen(self, value: Value, place: Node, choices: Node) -> None:
        """The choices of an option whose default a word is, or that it is one of."""
        self._listed(value, place, choices, is_choice=True)

    def annotation(self, value: Value, parent: Node) -> Iterator[Value]:
        """A word in the ``Literal[...]`` of an annotation."""
        holder = parent_of(parent)
        generic = parent_of(holder)
        is_literal = generic is not None and text_of(generic).startswith(_LITERALS)
        if generic is None or generic.type != "generic_type" or not is_literal:
            self._tracer.seen(value, Role.SHOWN)
        else:
            self._admitted(value, generic)
        return iter(())

    def _admitted(self, value: Value, generic: Node) -> None:
        """Record that a type admits the word: of a name of the subject, or of nothing but its texts."""
        holder = enclosing(generic, *_ANNOTATED)
        place = PlaceKind.LITERAL
        if holder is not None:
            name = field(holder, "left") or field(holder, "name") or holder.named_children[0]
            is_named = self._subject.names(text_of(name).rpartition(".")[2])
            if is_named or self._subject.role_of_keys(texts_in(generic)) is Role.KEY:
                place = PlaceKind.NAMED_LITERAL
        self._tracer.at(value, place, generic)

    def looked_up(self, value: Value, parent: Node) -> None:
        """``table[value]``, by a table whose keys are words."""
        holder = field(parent, "value")
        if holder is None:
            return
        if text_of(holder).rpartition(".")[2] == "Literal":
            self._admitted(value, parent)
        elif self._subject.holder(holder, value.file.ctx):
            self._tracer.seen(value, Role.CONSUMED, parent)
        elif not makes_entry(parent) or not self.entered(value, parent, holder):
            self._tracer.at(value, PlaceKind.INDEX)
        found = self._tracer.definitions.of(value.file, holder)
        if found is not None and found.kind == CLASS:
            self._tracer.spelled(value)  # ``Kind[value]`` gives the member of that name
        self.meets_in_table(value, parent, holder)

    def entered(self, value: Value, place: Node, holder: Node) -> bool:
        """Record ``OPS[value] = f`` of a table that texts of the subject are looked up in; the name of what
        needs CUDA stays."""
        ctx = value.file.ctx
        needs = ctx.project.cuda.registered_needs({value.text}, ctx.options)
        is_asked = not needs and self._tables.is_asked_by_subject(value.file, holder)
        if is_asked:
            is_served = self._tables.is_filled_with(value.file, holder, self._is_served)
            self._tracer.end(EndKind.NAMED, value, place, Met(is_served=is_served))
        return is_asked

    def _is_served(self, file: ProgramFile, key: Node) -> bool:
        """Whether the key of an entry is the NPU's word, a constant's too."""
        is_name = key.type == NAME and text_of(key) in _NPU_WORDS
        return is_name or self._words(file, [key])[1]

    def meets_in_table(self, value: Value, place: Node, holder: Node) -> None:
        """Record that a word is a key of a table, which may be one of a module that is filled elsewhere."""
        self._listed(value, place, holder)
        table = self._tracer.definitions.of(value.file, holder)
        made = field(parent_of(table.node), "right") if table is not None and table.kind == NAME else None
        if table is not None and made is not None and _EMPTY.fullmatch(text_of(made)) and value.is_certain:
            self._tracer.meetings[Meeting(table.file.path, table.node.start_byte, ())] = None
            self._tracer.end(EndKind.LISTED, value, place)


def _is_item(access: tuple[str, ...]) -> bool:
    """Whether a word is directly in a list."""
    return len(access) == 1 and access[0].startswith("[")
