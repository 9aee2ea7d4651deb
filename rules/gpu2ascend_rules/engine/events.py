"""What rules are called with: places in a file that match what a rule asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from tree_sitter import Node

from ..facts import Facts
from ..model.project.decisions import Decision
from ..model.project.project_view import ProjectView
from ..options.options import MigrationOptions
from ..text.names import Certainty
from ..text.parsed_text import ParsedText
from ..text.scopes import Binding
from ..text.syntax import Arguments, Chain, arguments_of, call_of, text_of


class NameRef(NamedTuple):
    """A dotted expression whose qualified name matches a rule's pattern.

    ``import torch as th`` and ``th.cuda.amp.autocast`` give the name ``torch.cuda.amp.autocast``.
    For a pattern that names an API the reference ends with that API, even when further attributes
    follow in the text; they are in ``rest``.
    """

    name: str
    node: Node
    """The expression up to the matched name."""
    chain: Chain
    """The whole dotted expression."""
    certainty: Certainty
    binding: Binding | None
    """What gives the chain's root its meaning: an import or a re-binding."""
    root_name: str
    """The qualified name of the chain's root alone."""
    rest: tuple[str, ...] = ()

    @property
    def call(self) -> Node | None:
        """The call of exactly this name, if it is called here."""
        return call_of(self.node)

    @property
    def arguments(self) -> Arguments:
        """The arguments of that call; none when there is no call."""
        call = self.call
        return arguments_of(call) if call is not None else Arguments((), False)

    @property
    def written(self) -> str:
        """The expression as the file spells it."""
        return text_of(self.node)

    @property
    def root_length(self) -> int:
        """How many components the name of the chain's root has."""
        return self.root_name.count(".") + 1

    def cut(self, length: int) -> NameRef:
        """The reference to what the first components of the name mean, at least those of the root."""
        parts = self.name.split(".")
        node = self.chain.nodes[length - self.root_length]
        return self._replace(name=".".join(parts[:length]), node=node, rest=tuple(parts[length:]))


class ImportRef(NamedTuple):
    """One imported name whose qualified name matches a rule's pattern."""

    name: str
    """What is imported: ``torch.cuda`` for ``import torch.cuda``; the module for a star import."""
    binding: Binding

    @property
    def node(self) -> Node:
        """The imported name as written, with its alias."""
        return self.binding.node

    @property
    def statement(self) -> Node:
        """The whole import statement."""
        return self.binding.statement

    @property
    def is_star(self) -> bool:
        """Whether it is ``from module import *``."""
        return self.binding.name == "*"


class MemberRef(NamedTuple):
    """An attribute of a given name on a receiver that is no imported module: ``self.net.cuda``."""

    name: str
    node: Node
    """The attribute expression."""
    receiver: Node
    identifier: Node
    """The attribute's name alone."""
    qualified: Callable[[Node], str | None]
    """Gives the qualified name of a dotted name of something imported; few rules ask."""

    @property
    def receiver_name(self) -> str | None:
        """The receiver's qualified name when it is a dotted name of something imported."""
        return self.qualified(self.receiver)

    @property
    def call(self) -> Node | None:
        """The call of this attribute, if it is called here."""
        return call_of(self.node)

    @property
    def arguments(self) -> Arguments:
        """The arguments of that call; none when there is no call."""
        call = self.call
        return arguments_of(call) if call is not None else Arguments((), False)


class StringRef(NamedTuple):
    """A string literal that holds one of the words a rule asked for; not a docstring."""

    node: Node
    """The string node, prefix and quotes included."""
    text: str
    """The literal text between the quotes as written; fields of an f-string as ``{}``."""
    prefix: str
    """The string prefix in lower case: ``f``, ``rb`` ..."""

    @property
    def is_bytes(self) -> bool:
        """Whether it is a bytes literal."""
        return "b" in self.prefix

    @property
    def is_formatted(self) -> bool:
        """Whether it is an f-string."""
        return "f" in self.prefix


class KeywordRef(NamedTuple):
    """A keyword argument of a given name in a call."""

    name: str
    node: Node
    """``name=value``."""
    value: Node
    call: Node
    callee_name: str | None
    """The qualified name of what is called, when it is known."""


class CountRef(NamedTuple):
    """A number that counts the letters of a word, or may do so."""

    node: Node
    decision: Decision | None = None
    """What the program decides about it; None for one that cuts a text where ``cuda:`` ends."""


class Outline(Protocol):
    """What a question may look at. It looks at a file's text alone, never at its tree."""

    @property
    def source(self) -> ParsedText:
        """The file."""

    @property
    def options(self) -> MigrationOptions:
        """What was chosen."""

    @property
    def project(self) -> ProjectView:
        """The other files."""

    @property
    def facts(self) -> Facts:
        """Names and support for the chosen version and hardware."""


Need: TypeAlias = str | Callable[[Outline], bool]
"""Without what a file has nothing for a handler: a word that stands alone, or that a question is answered by
yes. Every file has the empty word."""
