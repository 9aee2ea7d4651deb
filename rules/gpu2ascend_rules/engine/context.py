"""What a rule can ask while it looks at one file: the options, the facts, and how to spell names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Protocol, TypeVar, cast

from tree_sitter import Node

from ..facts import Facts, SupportStatus
from ..facts.names.star_imports import names_brought
from ..facts.releases.canonical import public_name
from ..facts.releases.history import lacking, members_lacking
from ..facts.reliability import members_to_look_at
from ..facts.statuses import ABSENT, LISTED_ROOT
from ..inference.classes.torch_classes import may_have_instances
from ..inference.extensions.cuda_sources import CudaBuilds
from ..inference.extensions.setup_scripts import ANY, built_names
from ..inference.instances import Instances
from ..inference.kinds import Kind, TypeInference
from ..inference.reexports import follow_imports, follow_on, reexport_view
from ..inference.unknown_torch import UnknownTorch
from ..inference.walk.origins import Origins, OriginsReading
from ..inference.walk.walker import Walker
from ..limits.parents import begin_examination, end_examination
from ..model.finding import Finding, Requirement
from ..model.project.decisions import Decision, FileDecisions, Outcome, begins_literal, begins_number
from ..model.project.project_view import STANDALONE, ProjectView, decisions_about
from ..model.versions import Version
from ..options.choices import ApiStyle
from ..options.options import MigrationOptions
from ..text.source_file import SourceFile
from ..text.syntax import enclosing, text_of
from .events import CountRef, Need
from .prefilter import has_word
from .support_listed import longest_listed


class _FileKnowledge(Protocol):
    """Knowledge of one file, which may refer back to its context."""

    def forget(self) -> None:
        """Let go of everything."""


_T = TypeVar("_T")
_P = TypeVar("_P", bound=_FileKnowledge)

_UNKNOWN, _RESTRICTED = SupportStatus.UNKNOWN.value, SupportStatus.RESTRICTED.value
_BELOW_TORCH = f"{LISTED_ROOT}."
TORCH = Requirement("torch")
TORCH_NPU = Requirement("torch_npu")
_WORDS = (b"'cuda", b'"cuda', b"'nccl", b'"nccl')
_NUMBER = re.compile(rb"(?<![\w.])(\d+)(?![\w.])")
_CUT = re.compile(rb"(?<=\[)(5)(?=[:\]])")
_STAYS = Decision(Outcome.STAYS)
TORCH_NPU_LOADED = Requirement("torch_npu", by_name=False)


class Context:
    """One file under one set of options."""

    def __init__(
        self,
        source: SourceFile,
        options: MigrationOptions,
        project: ProjectView = STANDALONE,
        python: Callable[[SourceFile], tuple[Finding, ...]] = lambda source: (),
    ) -> None:
        self.source = source
        self.python_findings = python
        """What the rules find in a text of Python under the same options in the same project: with it a rule
        asks what would become of a value that this file hands to another program."""
        self._needs: dict[Need, bool] = {}
        self.options = options
        self.project = project
        view = reexport_view(project)
        if view is not None:
            follow_imports(source, view)
        source.names.know_objects(public_name)
        self._answers: dict[object, object] = {}
        self._shared: dict[object, _FileKnowledge] = {}
        self.version: Version = options.require_version()
        if source.has(b"import *"):
            source.names.follow_stars(names_brought(source, self.facts))

    def __enter__(self) -> Context:
        begin_examination()
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of everything: what was found out refers back to this context, and such a ring would keep
        the tree of each version of a file until the garbage collector comes, and that a pause."""
        end_examination()
        for part in self._shared.values():
            part.forget()
        self.__dict__.clear()

    def move_to(self, project: ProjectView) -> None:
        """Ask another state of the project from now on, in which what was asked has the same answers."""
        self.project = project
        view = reexport_view(project)
        if view is not None:
            follow_on(self.source, view)

    def shared(self, make: Callable[[Context], _P]) -> _P:
        """What ``make`` makes of this file, the same object each time: how what lies above the engine keeps
        what it knows of a file. It is cleared when the file is no longer examined."""
        part = self._shared.get(make)
        if part is None:
            part = self._shared[make] = make(self)
        return cast(_P, part)

    def once(self, key: object, compute: Callable[[], _T]) -> _T:
        """What ``compute`` gives, computed for a key at most once in this file."""
        if key not in self._answers:
            self._answers[key] = compute()
        return cast(_T, self._answers[key])

    def decision(self, literal: Node) -> Decision | None:
        """What the program decides about a string literal; None where this file alone shows it."""
        decided = self.once("decisions", self._decisions)
        if not decided.words:
            return _STAYS if self._words_stay else None
        return decided.words.get(self.source.offset_in_first(literal.start_byte))

    def moves(self, literal: Node) -> bool:
        """Whether the program decides that a string literal becomes the NPU's word."""
        decision = self.decision(literal)
        return decision is not None and decision.outcome is Outcome.MOVES

    def counting_numbers(self) -> Iterator[CountRef]:
        """The numbers that count the letters of decided words, as long as nothing has changed them, and those
        about which nothing is decided, at which a text is cut."""
        words, data = self.once("decisions", self._decisions).words, self.source.first_data
        is_counted = any(begins_number(data, start) for start in words)
        for match in (_NUMBER if is_counted else _CUT).finditer(self.source.data):
            first = self.source.offset_in_first(match.start(1))
            decision = words.get(first)
            is_same = data[first : first + len(match[1])] == match[1]
            is_cut = decision is not None or _CUT.match(self.source.data, match.start())
            node = self.source.node_at(*match.span(1)) if is_same and is_cut else None
            if node is not None and node.type == "integer":
                yield CountRef(node, decision)

    def is_counting(self, start: int) -> bool:
        """Whether a number begins at an offset about which the program decides."""
        first = self.source.offset_in_first(start)
        is_decided = first in self.once("decisions", self._decisions).words
        return is_decided and begins_number(self.source.first_data, first)

    def is_first_here(self, decision: Decision, literal: Node) -> bool:
        """Whether a literal is the first word of its unit in this file."""
        decided = self.once("decisions", self._decisions).words
        start = self.source.offset_in_first(literal.start_byte)
        data = self.source.first_data
        words = (at for at, other in decided.items() if other.unit == decision.unit)
        return start == min((at for at in words if begins_literal(data, at)), default=-1)

    @property
    def serves_npu(self) -> bool:
        """Whether words of the file belong to a program that serves the NPU already."""
        decided = self.once("decisions", self._decisions)
        return any(decision.is_served for decision in decided.words.values())

    @cached_property
    def _words_stay(self) -> bool:
        """Whether a word of the file stays with a torch that is not known to be the module: as nothing is
        known of where the others go, each of them stays."""
        words = {offset for word in _WORDS for offset in self.source.find_all(word)}
        return bool(words) and any(map(self.unknown_torch.governs, words))

    def is_first_of(self, decision: Decision, literal: Node) -> bool:
        """Whether a literal is the first word of its unit, at which what regards all of them is reported."""
        start = self.source.offset_in_first(literal.start_byte)
        line = self.source.first_data.count(b"\n", 0, start) + 1
        return bool(decision.words) and decision.words[0] == (self.source.path, line)

    def _decisions(self) -> FileDecisions:
        return decisions_about(self.source.first_data, self.source.path, self.project, self.options)

    def is_first(self, key: object, place: Node) -> bool:
        """Whether a place is the one that asks for a key first: what several places lead to is said once."""
        return self.once(key, lambda: place.start_byte) == place.start_byte

    def has(self, need: Need) -> bool:
        """Whether the file has what a handler needs. A question is put once to a file."""
        if not need:
            return True
        known = self._needs.get(need)
        if known is None:
            known = has_word(self.source.data, need) if isinstance(need, str) else need(self)
            self._needs[need] = known
        return known

    @cached_property
    def facts(self) -> Facts:
        """Names and support for the chosen version and hardware."""
        return Facts.load(self.version, self.options.hardware)

    @cached_property
    def types(self) -> TypeInference:
        """What the file's expressions are."""
        return TypeInference(self.source, self.instances.classes)

    @cached_property
    def instances(self) -> Instances:
        """Of which of PyTorch's classes the file's values are instances."""
        return Instances(self.source)

    def support_listed_members(self, status: str) -> list[str]:
        """The file's attributes that may be members of PyTorch's classes to which the list gives a status."""
        if status == ABSENT:
            return sorted(
                name.decode() for name in self.source.attribute_names & members_lacking(self.version)
            )
        asked = SupportStatus(status)
        options = self.options
        doubtful = options.restricted_apis if asked is SupportStatus.RESTRICTED else options.unknown_apis
        wanted = members_to_look_at(self.facts, asked, with_doubtful=doubtful)
        return sorted(
            name.decode()
            for name in self.source.attribute_names & wanted.names
            if any(self._may_have_instances(word) for word in wanted.words_with(name))
        )

    def _may_have_instances(self, word: bytes) -> bool:
        source = self.source
        return source.once(("instances", word), lambda: may_have_instances(word, source.data))

    def lacks(self, name: str) -> bool:
        """Whether the chosen release of torch does not have a name that others have."""
        return name.startswith(_BELOW_TORCH) and lacking(name, self.version) is not None

    @cached_property
    def extension_names(self) -> frozenset[str]:
        """What the project's setup scripts compile for CUDA."""
        return built_names(self.project, self.source.path)

    @cached_property
    def cuda_builds(self) -> CudaBuilds:
        """The calls that compile CUDA sources."""
        return CudaBuilds(self.source)

    def may_be_extension(self, name: str) -> bool:
        """Whether an imported name may be of an extension which the project compiles for CUDA."""
        is_named = "cuda" in name or "CUDA" in name or self.is_built(name) or self.is_package_of_built(name)
        return is_named or any(self.project.may_need_cuda(part) for part in name.rsplit(".", 2)[-2:])

    def is_built(self, name: str) -> bool:
        """Whether the project's setup scripts name an extension for CUDA that an imported name may be of."""
        if not self._last_names.isdisjoint(name.split(".")):
            return True
        return any(fnmatchcase(name, f"*{built}") for built in self.extension_names if ANY in built)

    def is_package_of_built(self, name: str) -> bool:
        """Whether an imported name is a package that such an extension may be reached through."""
        below = f"{name}."
        return any(built.startswith(below) for built in self.extension_names)

    @cached_property
    def _last_names(self) -> frozenset[str]:
        return frozenset(name.rpartition(".")[2] for name in self.extension_names)

    def support_listed_status(self, name: str, root_name: str) -> str | None:
        """The status of the longest listed part of a name below ``torch``, if the options ask for it.

        The name's root is in the file as one word, of which no part is an API by itself.
        """
        if not name.startswith(_BELOW_TORCH):
            return None
        lack = lacking(name, self.version)
        if lack is not None:
            # What the root itself means is reported at the import.
            return ABSENT if lack.api.count(".") > root_name.count(".") else None
        known = longest_listed(name, self.facts)
        if known is None or known.length <= root_name.count("."):
            return _UNKNOWN if self.options.unknown_apis else None
        if known.status == _RESTRICTED and not self.options.restricted_apis:
            return None
        return known.status

    def kind(self, expression: Node) -> Kind:
        """What an expression is, as far as the file determines it."""
        return self.types.kind(expression)

    def origins(self, expression: Node) -> tuple[Node, ...]:
        """The expressions that a value may come from, itself if the file gives it no other."""

        def walker() -> Walker[Origins]:
            return Walker(self.source, OriginsReading(), self.instances.classes)

        return self.once(OriginsReading, walker).of(expression).nodes or (expression,)

    @cached_property
    def unknown_torch(self) -> UnknownTorch:
        """The uses of ``torch.cuda`` of a torch that is not known to be the module."""
        return UnknownTorch(self.source)

    @property
    def has_torch_npu(self) -> bool:
        """Whether the version has a torch_npu package. For 1.5.0 torch itself is the NPU build."""
        return self.version >= Version(1, 8)

    @property
    def names_the_npu(self) -> frozenset[Requirement]:
        """What text needs that mentions the NPU without spelling ``torch_npu``: a device, ``.npu()``."""
        return frozenset({TORCH_NPU_LOADED}) if self.has_torch_npu else frozenset()

    def spell(self, npu_name: str) -> str:
        """How to write a name below ``torch_npu`` or ``torch.npu`` as an attribute in this file."""
        if npu_name.startswith("torch_npu.npu") and self.options.api_style is ApiStyle.TORCH:
            npu_name = "torch.npu" + npu_name.removeprefix("torch_npu.npu")
        root, dot, below = npu_name.partition(".")
        local = self.once(("local name", root), lambda: self._local_name(root))
        return f"{local}{dot}{below}"

    def requires(self, npu_name: str) -> frozenset[Requirement]:
        """The imports that :meth:`spell` of the same name relies on."""
        if self.spells_torch(npu_name):
            return self.names_the_npu | {TORCH}
        return frozenset({TORCH_NPU})

    def spells_torch(self, npu_name: str) -> bool:
        """Whether the name is written below ``torch`` rather than below ``torch_npu``."""
        if not npu_name.startswith("torch_npu"):
            return True
        return npu_name.startswith("torch_npu.npu") and self.options.api_style is ApiStyle.TORCH

    def _local_name(self, module: str) -> str:
        """The name by which the file's module scope knows a module, or the module's own name."""
        root = self.source.root.id
        for binding in self.source.names.imports:
            if binding.target == module and binding.scope.id == root:
                return binding.name
        return module

    def quoted(self, text: str, at: Node) -> str:
        """A string literal in the file's own quotes, or, in a field of an f-string, in quotes other than
        that string's, which may not stand there before Python 3.12."""
        holder = enclosing(at, "string")
        if holder is not None:
            quote = '"' if text_of(holder).endswith("'") else "'"
        else:
            quote = self.once("the file's quotes", self._usual_quote)
        return f"{quote}{text}{quote}"

    def _usual_quote(self) -> str:
        data = self.source.data
        double = data.count(b'"') - data.count(b'"""') * 3  # docstrings are no evidence
        return '"' if double > data.count(b"'") else "'"

    def imports_module(self, module: str) -> bool:
        """Whether the file imports ``module`` or anything below it, in any scope."""
        below = f"{module}."
        imports = self.source.names.imports_of(module.partition(".")[0])
        return any(item.target == module or item.target.startswith(below) for item in imports)

    @cached_property
    def works_with_torch(self) -> bool:
        """Whether the file imports torch, or reads its name, which a star import brings."""
        names = self.source.names
        reads = self.source.identifiers("torch") if names.star_imports else ()
        return self.imports_module("torch") or any(map(names.is_reference, reads))
