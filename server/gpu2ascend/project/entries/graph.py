"""Which files lead to which, and from which starts each is reached."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from .collected import ProgramFacts
from .lookup import FileLookup
from .places import is_among_tests, is_of_ci
from .python_facts import BY_CONFIGURATION, PythonFacts

Edges = Mapping[str, frozenset[str]]


def edges_of(facts: ProgramFacts, lookup: FileLookup) -> Edges:
    """By path the files that a file imports, executes or starts, as far as its text shows."""
    configured = frozenset(_named_by_settings(facts, lookup))
    found: dict[str, set[str]] = {
        path: set(_from_python(path, item, facts, lookup, configured)) for path, item in facts.python.items()
    }
    for path, text in facts.texts.items():
        for command in text.commands:
            files = [item for name in command.files for item in lookup.files(path, name)]
            if len(files) > 1 and not is_of_ci(path):  # `train.py config/small.py` reads its second file
                found.setdefault(files[0], set()).update(files[1:])
    return {path: frozenset(targets) - {path} for path, targets in found.items()}


def _named_by_settings(facts: ProgramFacts, lookup: FileLookup) -> Iterable[str]:
    for path, text in facts.texts.items():
        if not is_of_ci(path):
            for name in text.modules:
                yield from lookup.longest(path, name)


def _from_python(
    path: str, item: PythonFacts, facts: ProgramFacts, lookup: FileLookup, configured: frozenset[str]
) -> Iterable[str]:
    for module in item.imports:
        yield from lookup.modules(path, module)
    for text in item.named:
        is_file = text.endswith((".py", ".ipynb"))
        yield from lookup.files(path, text) if is_file else lookup.longest(path, text)
    for package in item.dynamic:
        if package == BY_CONFIGURATION:
            yield from configured
        else:
            yield from _plug_ins(path, package, facts, lookup)


def _plug_ins(path: str, package: str, facts: ProgramFacts, lookup: FileLookup) -> Iterable[str]:
    """What an import by a computed name may load: the modules of the package that the text names, else those
    in the directory of the file and below."""
    directory = path.rpartition("/")[0]
    if package:
        inits = [item for item in lookup.modules(path, package) if item.endswith("/__init__.py")]
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
