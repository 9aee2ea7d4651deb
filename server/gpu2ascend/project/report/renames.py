"""Files that got another name: found by what they hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping

_ALIKE = 0.6
"""The share of two texts, in bytes of equal lines, from which on one is the other under a new name."""
_MANY = 40_000
"""Pairs of texts that are compared at most; files with the same content are found without."""
_SMALL = 32
"""Bytes of a file that holds too little to be recognized."""
Read = Callable[[str], bytes | None]


def renamed(
    lost: Mapping[str, str], found: Mapping[str, str], read_lost: Read, read_found: Read
) -> dict[str, str]:
    """New names by old ones.

    Args:
        lost: Digests of the files that are no more, by path.
        found: Likewise of those that were not there before.
        read_lost: The text of one; None where it is not to be read.
        read_found: Likewise.
    """
    pairs = _same(lost, found, read_lost)
    olds = _texts(lost.keys() - pairs.keys(), read_lost)
    news = _texts(found.keys() - set(pairs.values()), read_found)
    if len(olds) * len(news) > _MANY:
        return pairs
    scores = [
        (score, _is_same_name(old, new), old, new)
        for old, lines in olds.items()
        for new, new_lines in news.items()
        if (score := _likeness(lines, new_lines)) >= _ALIKE
    ]
    for _, _, old, new in sorted(scores, key=lambda it: (-it[0], not it[1], it[2:])):
        if old not in pairs and new not in pairs.values():
            pairs[old] = new
    return pairs


def _same(lost: Mapping[str, str], found: Mapping[str, str], read: Read) -> dict[str, str]:
    """Files with the same content, of which those with the same last name come first."""
    by_digest: defaultdict[str, list[str]] = defaultdict(list)
    for path, digest in sorted(found.items()):
        by_digest[digest].append(path)
    pairs: dict[str, str] = {}
    for old, digest in sorted(lost.items()):
        choices = by_digest.get(digest, [])
        text = read(old) if choices else None
        if not choices or (text is not None and len(text) < _SMALL):
            continue
        new = next((path for path in choices if _is_same_name(old, path)), choices[0])
        choices.remove(new)
        pairs[old] = new
    return pairs


def _texts(paths: Collection[str], read: Read) -> dict[str, Counter[bytes]]:
    texts = {path: read(path) for path in sorted(paths)}
    return {path: Counter(text.splitlines()) for path, text in texts.items() if text and len(text) >= _SMALL}


def _likeness(one: Counter[bytes], other: Counter[bytes]) -> float:
    sizes = [sum(len(line) * count for line, count in lines.items()) for lines in (one, other)]
    if min(sizes) < _ALIKE * max(sizes):
        return 0
    return sum(len(line) * count for line, count in (one & other).items()) / max(sizes)


def _is_same_name(one: str, other: str) -> bool:
    return one.rpartition("/")[2] == other.rpartition("/")[2]
