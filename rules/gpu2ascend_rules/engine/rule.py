"""What a rule is: one idea, with everything about it in one class.

A rule declares which events it wants by decorating its methods with :data:`on`; the engine walks the
file once and calls them. A rule never walks the tree itself.

The class docstring is the rule's documentation and has four parts, each begun by its title and a
colon: *What it does*, *Why it matters on the NPU*, *Example*, *Use instead*. The ``examples`` are its
tests, its documentation page and the output of ``gpu2ascend explain`` at once.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

from tree_sitter import Node

from ..model.finding import Applicability, Edit, Finding, Fix, Message, Plan, Requirement, Rewrite, Severity
from ..model.versions import Version
from .events import Need


class Family(enum.Enum):
    """The hundreds of the rule codes, in the order of their documentation."""

    codes: str
    """The pattern of its codes; an ``x`` is any digit."""
    title: str
    """The heading of its page."""

    def __new__(cls, name: str, codes: str, title: str) -> Family:
        """A family by the name that users see; its folder has the same name with underscores."""
        family = object.__new__(cls)
        family._value_, family.codes, family.title = name, codes, title
        return family

    SUPPORT = "support", "NPU0xx", "Support of PyTorch's own APIs"
    CUDA_API = "cuda-api", "NPU1xx", "torch.cuda names, tensor methods and types"
    DEVICE = "device", "NPU2xx", "Devices"
    AMP = "amp", "NPU3xx", "Mixed precision, apex"
    DISTRIBUTED = "distributed", "NPU4xx", "Distributed"
    BACKEND = "backend", "NPU5xx", "Backend flags, compilation, graphs, profiling"
    KERNEL = "kernel", "NPU6xx", "Attention, fused kernels, extensions"
    THIRD_PARTY = "third-party", "NPU7xx", "Libraries"
    DATA = "data", "NPU8xx", "Data loading, checkpoints, numerics"
    ENVIRONMENT = "environment", "NPU9xx", "Environment variables and commands"
    SHELL = "shell", "NPU10xx", "Shell scripts"
    DEPENDENCIES = "dependencies", "NPU11xx", "Dependencies"
    CONFIGURATIONS = "configurations", "NPU12xx", "Configurations"
    CONTAINERS = "containers", "NPU13xx", "Containers and clusters"
    SOURCES = "sources", "NPU14xx", "Sources in C++ and CUDA C++"
    ACCELERATOR = "accelerator", "ACC1xx", "Device-agnostic code (`--target accelerator`)"
    ADVICE = "advice", "ADVxxx", "Advice"
    AUTOMATIC = "automatic", "AUTO1xx", "transfer_to_npu (`--auto`)"
    MINDSPORE = "mindspore", "MS0xx", "MindSpore, a preview (`--target mindspore`)"
    CUSTOM = "custom", "CUSxxx", "Rules of one's own"

    @property
    def folder(self) -> str:
        """The name of its folder, message file and coverage table."""
        return str(self.value).replace("-", "_")

    def has_code(self, code: str) -> bool:
        """Whether a code is one of its hundred."""
        return re.fullmatch(self.codes.replace("x", r"\d"), code) is not None

    @classmethod
    def of_code(cls, code: str) -> Family:
        """The family of a code. Raises ValueError: No family has the code."""
        found = next((family for family in cls if family.has_code(code)), None)
        if found is None:
            raise ValueError(
                f"{code}: no family has such codes; give the rule a code of one, or state its `family`"
            )
        return found


class Event(enum.Enum):
    """The kinds of place that a rule can ask for."""

    NAME = "name"
    IMPORT = "import"
    ABSENT_IMPORT = "absent import"
    EXTENSION_IMPORT = "extension import"
    LAST_NAME = "last name"
    MEMBER = "member"
    STRING = "string"
    KEYWORD = "keyword"
    MASK_WRITE = "mask write"
    DISGUISE = "disguise"
    COUNT = "count"
    DEFINITION = "definition"
    SUPPORT_LISTED_MEMBER = "support-listed member"
    SUPPORT_LISTED_NAME = "support-listed name"


class Example(NamedTuple):
    """A file before and after a rule's fixes; alone, a file that the rule reports without a fix.

    What is not given is as in the rule: :attr:`Rule.example_version` and the like.
    """

    before: str
    after: str | None = None
    unsafe: str | None = None
    """The text after the unsafe fixes, too."""
    is_unchanged: bool = False
    """Whether the rule must find nothing."""
    version: str = ""
    settings: tuple[tuple[str, object], ...] = ()
    """Further options by name, for a rule that an option turns on."""
    path: str = ""
    """The name of the file, which shows its kind; without one it is Python."""
    rules: str = ""
    """The rule file, for the rules that do what it says."""

    @classmethod
    def unchanged(cls, text: str, **given: Any) -> Example:
        """A file in which the rule finds nothing."""
        return cls(text, is_unchanged=True, **given)

    @property
    def manual(self) -> bool:
        """Whether the rule reports without a fix."""
        return not self.is_unchanged and self.after is None and self.unsafe is None


class Subscription(NamedTuple):
    """One event that a handler is called for."""

    event: Event
    pattern: str
    needs: Need = ""


class HasSpan(Protocol):
    """A part of a text, by byte offsets; the end is exclusive."""

    @property
    def start(self) -> int:
        """Where it begins."""

    @property
    def end(self) -> int:
        """Where it ends."""


Handler = Callable[..., Iterator[Finding]]
_H = TypeVar("_H", bound=Callable[..., Iterator[Finding]])


class _On:
    """The decorators by which a rule's methods ask for events."""

    def _subscribe(self, event: Event, patterns: tuple[str, ...], needs: Need = "") -> Callable[[_H], _H]:
        def mark(handler: _H) -> _H:
            subscriptions: list[Subscription] = getattr(handler, "subscriptions", [])
            subscriptions.extend(Subscription(event, pattern, needs) for pattern in patterns)
            handler.subscriptions = subscriptions  # type: ignore[attr-defined]
            return handler

        return mark

    def name(self, *patterns: str, needs: Need = "") -> Callable[[_H], _H]:
        """Dotted expressions by qualified name: ``torch.device``, or ``torch.cuda.**`` for all below.

        ``needs`` is that without which the handler finds nothing, where the names are in every file.
        """
        return self._subscribe(Event.NAME, patterns, needs)

    def imports(self, *patterns: str) -> Callable[[_H], _H]:
        """Imported names, by the same patterns."""
        return self._subscribe(Event.IMPORT, patterns)

    def absent_import(self) -> Callable[[_H], _H]:
        """Imported names below ``torch`` that the chosen release of torch does not have."""
        return self._subscribe(Event.ABSENT_IMPORT, ("torch",))

    def extension_import(self) -> Callable[[_H], _H]:
        """Imports that may be of an extension which the project compiles for CUDA, by their names."""
        return self._subscribe(Event.EXTENSION_IMPORT, ("cuda",))

    def last_name(self, *names: str, needs: Need = "") -> Callable[[_H], _H]:
        """Uses of imported names whose last part is one of these, whatever they are imported from; the
        handler gets a :class:`NameRef`, and ``needs`` is as for names."""
        return self._subscribe(Event.LAST_NAME, names, needs)

    def member(self, *names: str, needs: Need = "") -> Callable[[_H], _H]:
        """Attributes of these names on receivers that are no imported module; ``needs`` as for names."""
        return self._subscribe(Event.MEMBER, names, needs)

    def string(self, *words: str, needs: Need = "") -> Callable[[_H], _H]:
        """String literals, docstrings excepted, that hold one of these words; ``needs`` as for names."""
        return self._subscribe(Event.STRING, words, needs)

    def keyword(self, *names: str, needs: Need = "") -> Callable[[_H], _H]:
        """Keyword arguments of these names; ``needs`` as for names."""
        return self._subscribe(Event.KEYWORD, names, needs)

    def mask_write(self) -> Callable[[_H], _H]:
        """Assignments to a part of a value that a comparison or a name for a mask chooses: ``x[x < 0] = 0``;
        the handler gets the assignment's node."""
        return self._subscribe(Event.MASK_WRITE, ("mask",))

    def disguise(self) -> Callable[[_H], _H]:
        """Names and strings that Python reads otherwise than they are written: :class:`Disguise`."""
        return self._subscribe(Event.DISGUISE, ("disguise",))

    def count(self) -> Callable[[_H], _H]:
        """Numbers that count the letters of decided words, each with the decision: :class:`CountRef`."""
        return self._subscribe(Event.COUNT, ("count",))

    def definition(self, *names: str) -> Callable[[_H], _H]:
        """Function and class definitions of these names; the handler gets the definition's node."""
        return self._subscribe(Event.DEFINITION, names)

    def support_listed_member(self, *statuses: str) -> Callable[[_H], _H]:
        """Attributes whose name is that of a member with this status of some class in the support lists.

        What the receiver is must still be determined; see :mod:`gpu2ascend_rules.receivers.listed_members`.
        """
        return self._subscribe(Event.SUPPORT_LISTED_MEMBER, statuses)

    def support_listed_name(self, *statuses: str) -> Callable[[_H], _H]:
        """Dotted expressions below ``torch`` whose longest listed part has this status in the lists;
        ``absent`` for what the chosen release of torch does not have."""
        return self._subscribe(Event.SUPPORT_LISTED_NAME, statuses)

    def place(self, *places: type) -> Callable[[_H], _H]:
        """Places of these classes in files of kinds other than Python; the rule also needs ``words``."""

        def mark(handler: _H) -> _H:
            handler.places = places  # type: ignore[attr-defined]
            return handler

        return mark


on = _On()


class Rule:
    """Base class of all rules. Instances have no state: one serves every file."""

    code: ClassVar[str]
    name: ClassVar[str]
    """What users may write for the code: the class's name in lower case, unless the rule states another."""
    family: ClassVar[Family]
    """That of the code."""
    examples: ClassVar[tuple[Example, ...]] = ()
    example_version: ClassVar[str] = "2.8.0"
    example_settings: ClassVar[tuple[tuple[str, object], ...]] = ()
    """The options that turn the rule on."""
    example_path: ClassVar[str] = ""
    first_version: ClassVar[Version | None] = None
    last_version: ClassVar[Version | None] = None
    """The newest version that the rule holds for, patch releases of it included."""
    without_effect: ClassVar[frozenset[str]] = frozenset()
    """Keys of the messages about code that does nothing on an NPU."""
    is_exclusive: ClassVar[bool] = False
    """Whether the general rules on names below ``torch.cuda`` leave the names that it asks for to it."""
    fails: ClassVar[frozenset[str]] = frozenset()
    """Keys of the messages about code that raises on an NPU, or without CUDA: such a warning is an error
    unless its fix is one that a migration makes."""
    only_with: ClassVar[str | None] = None
    """A word without which the rule finds nothing, when its events are of words that are everywhere."""
    only_importing: ClassVar[frozenset[str]] = frozenset()
    """Modules: in a file that imports none of them the rule's words alone are no reason to look closely."""

    words: ClassVar[tuple[str, ...]] = ()
    """Of files of other kinds than Python, in lower case: a file that holds none of them, in any case of
    letters, has nothing for the rule, nor has a configuration's value with none in it or in a key above."""
    is_specific: ClassVar[bool] = True
    """Whether its names need no word of the support lists any more; not where it is only about speed."""
    needs_project: ClassVar[bool] = False
    """Whether it finds something only in a project of several files, so that no example of one shows it."""
    leaves_tests: ClassVar[bool] = False
    """Whether it finds nothing in modules of the project's tests."""
    only_with_option: ClassVar[str] = ""
    """An option without which the rule finds nothing."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = vars(cls)
        if "code" in own and "name" not in own:
            cls.name = re.sub("(?<!^)(?=[A-Z])", "-", cls.__name__).lower()
        if "code" in own and "family" not in own:
            cls.family = Family.of_code(cls.code)
        if "examples" in own:
            cls.examples = tuple(
                one._replace(
                    version=one.version or cls.example_version,
                    settings=(*cls.example_settings, *one.settings),
                    path=one.path or cls.example_path,
                )
                for one in cls.examples
            )

    def holds_for(self, version: Version) -> bool:
        """Whether the rule says anything about code for that PyTorch version."""
        return holds_between(self.first_version, self.last_version, version)

    def handlers(self) -> Iterator[tuple[Subscription, Handler]]:
        """The rule's handlers with what each wants."""
        for attribute in dir(type(self)):
            handler = getattr(self, attribute, None)
            for subscription in getattr(handler, "subscriptions", ()):
                yield subscription, handler  # type: ignore[misc]

    def place_handlers(self) -> Iterator[tuple[type, Handler]]:
        """The rule's handlers for other kinds than Python, with the class of places that each wants."""
        for attribute in dir(type(self)):
            handler = getattr(self, attribute, None)
            for place in getattr(handler, "places", ()):
                yield place, handler  # type: ignore[misc]

    def message(self, key: str, /, **arguments: object) -> Message:
        """A message of this rule's own, ``<code>.<key>`` in the catalogues."""
        return Message.of(f"{self.code}.{key}", **arguments)

    def severity(self, key: str, given: Severity, fix: Fix | None) -> Severity:
        """How bad what a message says is, as long as nobody makes the fix."""
        is_mended = fix is not None and fix.applicability is Applicability.SAFE
        is_worse = given is Severity.WARNING and key in self.fails and not is_mended
        return Severity.ERROR if is_worse else given

    def report(
        self,
        at: Node | HasSpan,
        key: str,
        severity: Severity,
        *,
        fix: Fix | None = None,
        api: str | None = None,
        kind: str = "",
        **arguments: Any,
    ) -> Finding:
        """A finding on a node or a place, with this rule's message ``key`` filled with ``arguments``."""
        message = self.message(key, **({"api": api} if api else {}), **arguments)
        fix = effective(fix)
        severity = self.severity(key, severity, fix)
        span = (at.start_byte, at.end_byte) if isinstance(at, Node) else (at.start, at.end)
        return Finding(self.code, *span, message, severity, fix, api, kind)

    def fix(
        self,
        applicability: Applicability,
        *,
        edits: Iterable[Edit] = (),
        rewrites: Iterable[Rewrite] = (),
        requires: Iterable[Requirement] = (),
        title: Message | None = None,
        since: Version | None = None,
    ) -> Fix:
        """A fix of this rule. Without a title its edits name it, see :mod:`..edits.fix_titles`.

        One of rewrites is named by the rule's message ``fix``. ``since`` is of :attr:`Fix.since`. Without
        edits, rewrites and a title it does nothing, see :func:`effective`: imports that the new text needs
        are for nothing where there is no new text.
        """
        plan = Plan(tuple(edits), tuple(rewrites), frozenset(requires))
        if title is None and not plan.edits and not plan.rewrites:
            plan = Plan()
        if title is None:
            title = _title_of_edits(plan.edits) if plan.edits else self.message("fix")
        return Fix(title, applicability, plan, since=since)


class Step(Rule):
    """Base class of the codes that no check asks: what a codemod or an analysis does on request, documented
    as a rule is."""


def holds_between(first: Version | None, last: Version | None, version: Version) -> bool:
    """Whether a version is from the first one to the last one, whose patch releases count."""
    return (first is None or version >= first) and (last is None or version[:2] <= last[:2])


def effective(fix: Fix | None) -> Fix | None:
    """A fix that changes something; ``None`` for one whose edits could not be made."""
    return fix if fix is not None and fix.plan != Plan() else None


def _title_of_edits(edits: tuple[Edit, ...]) -> Message:
    text = edits[0].text
    return Message.of("fix.replace", text=text) if text else Message.of("fix.remove")


def replace(node: Node, text: str) -> Edit:
    """The edit that puts ``text`` in a node's place."""
    return Edit(node.start_byte, node.end_byte, text)
