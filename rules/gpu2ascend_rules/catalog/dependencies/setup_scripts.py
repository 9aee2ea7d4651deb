"""NPU1106: what a setup script has installed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import KeywordRef
from ...engine.rule import Example, Rule, on
from ...facts.packages.pairs import pair_of
from ...facts.packages.third_party import cuda_package
from ...flow.templates import plain_text
from ...kinds.packages.places import Requirement, Style
from ...kinds.packages.releases import (
    Fit,
    fit_of,
    holds_on_ascend,
    is_cuda_build,
    written_entry,
    written_release,
)
from ...kinds.packages.requirement import read_requirement
from ...limits.below import nodes_of
from ...limits.parents import parent_of, parent_type
from ...limits.walks import FORWARD_LIMITS
from ...model.finding import Applicability, Edit, Finding, Severity
from ...text.syntax import arguments_of, call_of, enclosing, field, is_field, same, text_of
from ...text.uses import scope_of_variable
from .environment import contradiction

_PINNED = ("torch", "torchvision", "torchaudio")
_LISTS = frozenset({"list", "tuple", "argument_list"})
_ASKS_FOR_TORCH = re.compile(r"""["']torch\s*["'<>=!~;\[(]""")


class SetupScript(Rule):
    """A setup script installs torch without torch_npu, or a package that needs CUDA.

    What it does: Pins torch, torchvision and torchaudio in the script to the releases for the chosen version,
    and adds torch-npu after torch. Packages that need CUDA are reported.

    Why it matters on the NPU: Each build of torch_npu works with exactly one release of torch, and packages
    built for CUDA cannot be installed.

    Example: ``install_requires=["torch>=1.7"]`` becomes ``install_requires=["torch==2.8.0",
    "torch-npu==2.8.0.post5"]``.

    Use instead: the releases that the message names.
    """

    code = "NPU1106"
    examples = (
        Example(
            'from setuptools import setup\nsetup(install_requires=["torch>=1.7", "numpy"])\n',
            "from setuptools import setup\n"
            'setup(install_requires=["torch==2.8.0", "torch-npu==2.8.0.post5", "numpy"])\n',
        ),
        Example(
            "from setuptools import setup\nNEEDED = ['torchvision']\nsetup(install_requires=NEEDED)\n",
            "from setuptools import setup\nNEEDED = ['torchvision==0.23.0', 'torch-npu==2.8.0.post5']\n"
            "setup(install_requires=NEEDED)\n",
        ),
        Example(
            "from setuptools import setup\nNEEDED = {'install': ['torchvision'], 'test': ['torch']}\n"
            "needed = NEEDED['install']\nsetup(install_requires=needed)\n",
            "from setuptools import setup\nNEEDED = {'install': ['torchvision==0.23.0'], 'test': ['torch']}\n"
            "needed = NEEDED['install']\nsetup(install_requires=needed)\n",
        ),
        Example(
            'from setuptools import setup\nsetup(install_requires=["torch==1.7.1"])\n',
            unsafe='from setuptools import setup\nsetup(install_requires=["torch==2.8.0", '
            '"torch-npu==2.8.0.post5"])\n',
        ),
        Example('from setuptools import setup\nsetup(install_requires=["flash-attn"])\n'),
        Example('from setuptools import setup\nsetup(extras_require={"fast": ["flash-attn"]})\n'),
        Example(
            "from setuptools import setup\nneeded = ['numpy']\nneeded += ['flash-attn']\n"
            "setup(install_requires=needed + more())\ndef more():\n    return ['xformers']\n"
        ),
        Example(
            "from setuptools import setup\nTABLE = ['torch==1.9', 'numpy']\n"
            "needs = {x[:5]: x for x in TABLE}\nsetup(install_requires=[needs['torch'], needs['numpy']])\n"
        ),
        Example.unchanged(
            "from setuptools import setup\n"
            'setup(install_requires=["torch==2.8.0", "torch-npu==2.8.0.post5"], keywords=["torch"])\n'
        ),
    )

    @on.keyword("install_requires", "extras_require")
    def listed(self, ref: KeywordRef, ctx: Context) -> Iterator[Finding]:
        found = list(lists_given(ref, ctx))
        is_table = not found and ctx.is_first("requirements in tables", ref.node)
        for items in _tables(ctx) if is_table else found:
            for finding in self._of_list(ref, items, ctx, is_needed=not is_table):
                yield finding._replace(fix=None) if is_table else finding

    def _of_list(
        self, ref: KeywordRef, items: list[Node], ctx: Context, *, is_needed: bool
    ) -> Iterator[Finding]:
        names = [requirement_of(item) for item in items]
        is_apart = ctx.once("setup is apart", lambda: _is_apart(ctx))
        known = [place.name for place in names if place is not None]
        brings = "" if "torch-npu" in known else "torch"
        if brings and not ctx.once("asks for torch", lambda: _ASKS_FOR_TORCH.search(ctx.source.text)):
            brings = next((name for name in known if name in _PINNED), "")
        for item, place in zip(items, names, strict=True):
            if place is None or not holds_on_ascend(place.marker):
                continue
            if cuda_package(place.name) is not None:
                is_asked = is_needed and ref.name == "install_requires"
                yield self._cuda_package(item, place.name, is_asked=is_asked)
            else:
                yield from self._of(item, place, place.name == brings, is_apart, ctx)

    def _cuda_package(self, item: Node, package: str, *, is_asked: bool) -> Finding:
        """A package that needs CUDA; who asks for no extra does not get those of extras."""
        if not is_asked:
            return self.report(item, "extra", Severity.INFORMATION, package=package)
        return self.report(item, "package", Severity.ERROR, package=package)

    def _of(
        self, item: Node, place: Requirement, is_missing: bool, is_apart: bool, ctx: Context
    ) -> Iterator[Finding]:
        pair = pair_of(ctx.version)
        if place.name not in _PINNED or not pair.torch_npu or not pair.release_of(place.name):
            return
        release = pair.release_of(place.name)
        fit = fit_of(place, release)
        if fit is Fit.UNREADABLE or (fit is Fit.EXACT and not is_missing):
            return
        edits = [] if fit is Fit.EXACT else [Edit(*place.versions_at, written_release(release, Style.PIP))]
        if is_missing:
            entry = written_entry("torch-npu", pair.torch_npu, Style.PIP, place.marker)
            edits = _with_entry(entry, item, edits)
        safety = Applicability.UNSAFE if is_apart or fit is Fit.EXCLUDED else Applicability.SAFE
        fix = self.fix(safety, edits=edits) if edits else None
        is_wrong = fit is Fit.EXCLUDED or is_cuda_build(place)
        yield self.report(
            item, "pinned", Severity.ERROR if is_wrong else Severity.WARNING, fix=fix,
            entry=plain_text(item) or "", package=place.name, release=release,
            torch_npu=pair.torch_npu, version=str(ctx.version),
        )  # fmt: skip


def _with_entry(entry: str, item: Node, edits: list[Edit]) -> list[Edit]:
    """The edits with an entry behind an item; none for ``needed.append('torch')``, which takes no second."""
    if parent_type(item) == "argument_list":
        return []
    quote = text_of(item)[-1]
    return [*edits, Edit(item.end_byte, item.end_byte, f", {quote}{entry}{quote}")]


def _is_apart(ctx: Context) -> bool:
    return contradiction(ctx.project, ctx.source.path, ctx.version, ctx.source.text) is not None


def lists_given(ref: KeywordRef, ctx: Context) -> Iterator[list[Node]]:
    """The texts that an argument is made of, by the lists that are installed together: those of an extra are
    asked for by themselves. What is needed anyway, or was named before, is left out."""
    needed = arguments_of(ref.call).keyword("install_requires") if ref.name == "extras_require" else None
    told = {part.id for part in (_parts(needed.value, ctx) if needed is not None else ())}
    parts = [part for part in _parts(ref.value, ctx) if part.id not in told]
    whole = [[part] for part in parts] if ref.name == "extras_require" else [parts]
    for together in whole:
        new = (part for part in together if ctx.is_first(("requirements", part.id), ref.node))
        texts = [text for part in new for text in _texts(part)]
        if texts:
            yield texts


def _parts(value: Node, ctx: Context) -> list[Node]:
    """The lists that an expression puts together: itself, sums, values of a table, what a function returns,
    and what is added to a variable. Each is named once."""
    lists: list[Node] = []
    pending, seen = [value], {value.id}
    for node in pending:
        held = _held(node, ctx) if node.type == "subscript" else node
        if held.type in _LISTS:
            lists.append(held)
            continue
        new = {item.id: item for item in _given_by(held, ctx) if item.id not in seen}
        seen.update(new)
        pending += new.values()
    return list({item.id: item for item in lists}.values())


def _given_by(value: Node, ctx: Context) -> Iterator[Node]:
    """The expressions that one that is no list gets its items of."""
    if value.type == "dictionary":
        yield from filter(None, (field(pair, "value") for pair in value.named_children))
    elif value.type == "binary_operator":
        yield from filter(None, (field(value, "left"), field(value, "right")))
    elif value.type == "identifier":
        yield from _given_to(value, ctx)
    elif value.type == "call":
        yield from _returned_by(value, ctx)


def _texts(listed: Node) -> list[Node]:
    return [child for child in listed.named_children if child.type == "string"]


def _given_to(variable: Node, ctx: Context) -> Iterator[Node]:
    """What a variable is bound to in several places, and the lists that are added to it."""
    for use in ctx.once(("given to", *_variable(variable, ctx)), lambda: _uses(variable, ctx)):
        parent = parent_of(use)
        if parent is not None and parent.type.endswith("assignment") and is_field(use, "left"):
            yield from filter(None, (field(parent, "right"),))
        elif parent is not None and text_of(field(parent, "attribute")) in ("append", "extend"):
            given = field(call_of(parent), "arguments")
            yield from (given, *given.named_children) if given is not None else ()


def _uses(variable: Node, ctx: Context) -> list[Node]:
    """Where a variable is named, one of the same scope; each is looked at for all of them."""
    name, scope = _variable(variable, ctx)
    return [use for use in ctx.source.identifiers(name) if _variable(use, ctx)[1] == scope]


def _variable(identifier: Node, ctx: Context) -> tuple[str, int]:
    return text_of(identifier), scope_of_variable(identifier, ctx.source).id


def _returned_by(call: Node, ctx: Context) -> Iterator[Node]:
    """What a function of the script returns."""
    name = text_of(field(call, "function"))
    for function in nodes_of(ctx.source.root, "function_definition"):
        if text_of(field(function, "name")) == name:
            for item in nodes_of(function, "return_statement"):
                if item.named_children and same(enclosing(item, "function_definition"), function):
                    yield item.named_children[0]


def _tables(ctx: Context) -> Iterator[list[Node]]:
    """The lists of a script that hold nothing but requirements, with a release in one of them at least."""
    for statement in ctx.source.root.named_children:
        value = field(statement.named_children[0], "right") if statement.named_children else None
        texts = _texts(value) if value is not None and value.type in _LISTS else []
        read = [requirement_of(item) for item in texts]
        if all(place is not None for place in read) and any(place and place.versions for place in read):
            yield texts


def _held(value: Node, ctx: Context, most: int = FORWARD_LIMITS.names) -> Node:
    """What a variable is bound to, or a table has under a key; else the expression itself."""
    if not most:
        return value
    if value.type == "identifier":
        bound = ctx.source.names.only_value(value)
        return _held(bound, ctx, most - 1) if bound is not None else value
    table, key = field(value, "value"), field(value, "subscript")
    if value.type != "subscript" or table is None or key is None:
        return value
    return _under(key, _held(table, ctx, most - 1)) or value


def _under(key: Node, table: Node) -> Node | None:
    """What a table has under a key."""
    pairs = (item for item in table.named_children if item.type == "pair")
    found = (field(item, "value") for item in pairs if _is_key(field(item, "key"), key))
    return next((item for item in found if item is not None), None)


def _is_key(key: Node | None, wanted: Node) -> bool:
    text = plain_text(key) if key is not None else None
    return text is not None and text == plain_text(wanted)


def requirement_of(item: Node) -> Requirement | None:
    """A text as a requirement, by the places of the file; None for one with escapes or fields."""
    text, raw = plain_text(item), text_of(item)
    if not text or raw[1:-1] != text:
        return None
    written = read_requirement(text, item.start_byte + 1)
    return written._replace(end=item.end_byte - 1, is_plain=True) if written is not None else None
