"""Options of command lines, ``argparse`` and its like: their defaults, and the values that they take."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ...limits.parents import parent_of
from ...text.syntax import arguments_of, field, last_name, passed_to
from .. import templates
from ..libraries import Origin, source_of_callee
from ..parameters import parameter_named
from .parts import Flow, Value
from .subject import PlaceKind
from .verdicts import SHOWN, SILENT, UNKNOWN, Role, Verdict

OPTIONS = frozenset({"add_argument", "add_option", "option", "add_arg"})
FLAGS = frozenset({"DEFINE_string", "DEFINE_enum"})
HOLDS_VALUES = frozenset(
    {
        "AttrDict", "Box", "ConfigDict", "DictConfig", "EasyDict", "FrozenConfigDict", "HParams", "Munch",
        "Namespace", "SimpleNamespace", "edict",
    }
)  # fmt: skip
"""Containers whose constructors take values by name, which are read as attributes, like those of options."""


class Options:
    """The role of what an option is declared with."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._subject = flow.subject

    def setting(self, value: Value, call: Node, name: str) -> Verdict:
        """A keyword of ``add_argument`` and its like."""
        if name == "choices":
            return self.choice(value, call)
        if name not in ("default", "const", "flag_value"):
            return self._subject.at(PlaceKind.INDEX)
        return self.value_of(value, call)

    def value_of(self, value: Value, call: Node) -> Verdict:
        """What an option's value is used as: by its name, or by the attribute that it is stored in."""
        if self._subject.handled(call, self._flow.ctx):
            return SHOWN
        names = option_names(call)
        uses = [self._flow.variables.uses_of_option(name, value) for name in names]
        uses += [self._flow.variables.parameter(value, parameter) for parameter in _given_to(call, names)]
        return self._flow.variables.combined(value, names, uses, exported=True)

    def preset(self, value: Value, name: str) -> Verdict:
        """``parser.set_defaults(device='cuda')``."""
        uses = self._flow.variables.uses_of_option(name, value)
        return self._flow.variables.combined(value, [name], [uses], exported=True)

    def held(self, value: Value, call: Node, name: str) -> Verdict | None:
        """What ``Namespace(device='cuda')`` holds is what it is read for, whatever library it is of.

        None for other calls, and for a container of no library whose reads show nothing: it is judged like
        any call. A file of another framework may hold the settings of files that use torch.
        """
        if last_name(call) not in HOLDS_VALUES:
            return None
        is_of_library = source_of_callee(call, self._flow.ctx).origin is not Origin.UNKNOWN
        is_plain = not (self._subject.of_torch and is_of_library)
        if self._flow.is_foreign_file and not is_plain:
            return UNKNOWN._replace(node=call) if self._subject.names(name) else SHOWN
        used = self.preset(value, name)
        return None if is_plain and used.role in SILENT else used

    def choice(self, value: Value, call: Node) -> Verdict:
        """``choices=[...]``, or ``click.Choice([...])`` inside an option."""
        if value.is_mixed(self._subject):
            return SHOWN
        option = _enclosing_option(call)
        if option is None:
            return Verdict(Role.OPTION, value.node, certain=False)
        role = self.value_of(value.unboxed(value.node), option).role
        if role is Role.FOREIGN:
            return SHOWN
        if role is not Role.CONSUMED and not self._subject.spoilers.isdisjoint(value.others):
            return SHOWN
        return Verdict(Role.OPTION, value.node, certain=role is Role.CONSUMED)

    def flag(self, value: Value, call: Node, position: int) -> Verdict:
        """``flags.DEFINE_string('device', 'cuda', ...)``."""
        if position == 1:
            return self.value_of(value, call)
        return self.choice(value, call) if position == 2 and value.boxed else SHOWN


def option_names(call: Node) -> tuple[str, ...]:
    """The names of an option: its flags without hyphens, its ``dest``, or a flag's name."""
    arguments = arguments_of(call)
    # The place of a flag's name counts; those of an option are all that has no keyword.
    given = arguments.positional[:1] if last_name(call) in FLAGS else arguments.unnamed
    flags = [templates.plain_text(item.value) or "" for item in given]
    dest = arguments.keyword("dest")
    named = [templates.plain_text(dest.value) or ""] if dest is not None else []
    names = (text.partition("/")[0].lstrip("-").replace("-", "_") for text in (*named, *flags))
    return tuple(name for name in names if name)


def _given_to(option: Node, names: tuple[str, ...]) -> Iterator[Node]:
    """The parameters to which an option's value goes that decorates a function, as those of click do."""
    decorator = parent_of(option)
    holder = parent_of(decorator) if decorator is not None and decorator.type == "decorator" else None
    definition = field(holder, "definition")
    if definition is not None and definition.type == "function_definition":
        yield from (found for name in names if (found := parameter_named(definition, name)) is not None)


def _enclosing_option(call: Node) -> Node | None:
    """The call of ``add_argument`` and its like that a call is, or that it is an argument of."""
    passed = passed_to(call)
    calls = (call, passed.call) if passed is not None else (call,)
    return next((item for item in calls if last_name(item) in OPTIONS | FLAGS), None)


def option_before(element: Node) -> str | None:
    """The option that an element follows: ``['train.py', '--device', 'cuda']``."""
    before = element.prev_named_sibling
    text = templates.plain_text(before) if before is not None else None
    return text if text is not None and text.startswith("-") else None
