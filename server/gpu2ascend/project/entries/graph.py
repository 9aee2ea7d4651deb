"""Which files lead to which, and from which starts each is reached."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .facts.collected import ProgramFacts
from .facts.python_facts import BY_CONFIGURATION, PythonFacts
from .lookup import FileLookup, Modules
from .places import holds_settings, is_among_tests, is_of_ci

Edges = Mapping[str, frozenset[str]]


class Graph(NamedTuple):
    """Which files lead to which, as far as their texts show."""

    runs: Edges
    """By path the files that a file imports, executes or starts, and the packages around them."""
    names: Edges
    """The same without those packages: what code of a package's file is there for is not what everybody who
    imports a helper of the package does."""


def graph_of(facts: ProgramFacts, lookup: FileLookup) -> Graph:
    """The graph of a project."""
    configured = list(_named_by_settings(facts, lookup))
    runs: dict[str, set[str]] = {}
    names: dict[str, set[str]] = {}
    for path, item in facts.python.items():
        found = list(_from_python(path, item, facts, lookup, configured))
        runs[path] = {target for modules in found for target in modules.together}
        names[path] = {target for modules in found for target in modules.named}
    for path, text in facts.texts.items():
        for command in text.commands:
            files = [item for name in command.files for item in lookup.files(path, name)]
            if len(files) > 1 and not is_of_ci(path):  # `train.py config/small.py` reads its second file
                for edges in (runs, names):
                    edges.setdefault(files[0], set()).update(files[1:])
    return Graph(
        *({path: frozenset(found) - {path} for path, found in edges.items()} for edges in (runs, names))
    )


def _named_by_settings(facts: ProgramFacts, lookup: FileLookup) -> Iterable[Modules]:
    for path, text in facts.texts.items():
        if not is_of_ci(path):
            for name in text.modules:
                yield lookup.longest(path, name)
    for path, item in facts.python.items():
        if item.dynamic and holds_settings(path) and not is_among_tests(path):
            yield Modules((path,))  # a configuration in Python, which says what is imported


def _from_python(
    path: str, item: PythonFacts, facts: ProgramFacts, lookup: FileLookup, configured: Sequence[Modules]
) -> Iterable[Modules]:
    for module in item.imports:
        yield lookup.modules(path, module)
    for text in item.named:
        is_file = text.endswith((".py", ".ipynb"))
        yield Modules(lookup.files(path, text)) if is_file else lookup.longest(path, text)
    for package in item.dynamic:
        if package == BY_CONFIGURATION:
            yield from configured
        else:
            yield Modules(tuple(_plug_ins(path, package, facts, lookup)))


def _plug_ins(path: str, package: str, facts: ProgramFacts, lookup: FileLookup) -> Iterable[str]:
    """What an import by a computed name may load: the modules of the package that the text names, else those
    in the directory of the file and below."""
    directory = path.rpartition("/")[0]
    if package:
        inits = [item for item in lookup.modules(path, package).named if item.endswith("/__init__.py")]
        directory = inits[0].rpartition("/")[0] if inits else package.replace(".", "/")
    for found in lookup.below(directory):
        if not facts.python[found].starts and not is_among_tests(found):
            yield found


def reached(starts: Sequence[str], edges: Edges) -> Mapping[str, int]:
    """By path the starts that lead there, as bits by their place in the sequence."""
    masks: dict[str, int] = {}
    for place, start in enumerate(starts):
        masks[start] = masks.get(start, 0) | 1 << place
    waiting = deque(starts)
    queued = set(starts)
    while waiting:
        path = waiting.popleft()
        queued.discard(path)
        for target in edges.get(path, ()):
            before = masks.get(target, 0)
            masks[target] = before | masks[path]
            if masks[target] != before and target not in queued:
                queued.add(target)
                waiting.append(target)
    return masks
