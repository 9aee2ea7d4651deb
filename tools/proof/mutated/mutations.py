"""Files that people might have: parts of real ones together, with what an editor or a hand does to them."""

from __future__ import annotations

import codecs
import json
import random
import re
from collections.abc import Callable
from typing import NamedTuple

from .sources import SourceFile, Sources

_WEIGHTS = {"python": 6, "shell": 4, "yaml": 2, "notebook": 2, "json": 2, "toml": 2, "dockerfile": 2}
"""How much more often than the others a kind is taken."""
_WORDS: tuple[str, ...] = (
    *("cuda", "cuda:0", "npu", "cpu", "nccl", "hccl", "gpu", "torch", "torch_npu", "CUDA_VISIBLE_DEVICES"),
    *("torch.cuda.is_available()", ".cuda()", "x.to('cuda')", "nvidia-smi", "cu118", "device", "None", "中"),
)
_CHARACTERS: tuple[str, ...] = (*"\t \\'\"()[]{}#:,;=$`\f", "\u2028")
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_COMMENTS = {"python", "shell", "yaml", "toml", "dockerfile", "requirements", "makefile", "env", "workflow"}
_DECLARED = ("latin-1", "gbk", "shift_jis", "utf-8")
"""Encodings that a file of Python may declare."""

Mutation = Callable[[str, random.Random], str]


class Mutated(NamedTuple):
    """A file as it would be on disk."""

    kind: str
    path: str
    data: bytes


def mutated(given: Sources, chance: random.Random) -> Mutated:
    """A file made of one to three of a kind. The same state of chance gives the same file."""
    kinds = sorted(given)
    kind = chance.choices(kinds, [_WEIGHTS.get(name, 1) for name in kinds])[0]
    some = chance.choices(given[kind], k=chance.choice((1, 1, 2, 3)))
    change = _in_cells if kind == "notebook" else _in_text
    text = change(some, chance)
    return Mutated(kind, some[0].name, _stored(text, kind, chance))


def _in_text(some: list[SourceFile], chance: random.Random) -> str:
    text = "".join(item.text if item.text.endswith("\n") else f"{item.text}\n" for item in some)
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        text = chance.choice(_LINES if chance.random() < 0.7 else _RAW)(text, chance)
    return _commented(text, chance) if some[0].kind in _COMMENTS and chance.random() < 0.3 else text


def _in_cells(some: list[SourceFile], chance: random.Random) -> str:
    """A notebook stays one: the text of its cells changes."""
    try:
        whole = json.loads(some[0].text)
        cells = [cell for cell in whole["cells"] if cell.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return _in_text(some[:1], chance)
    for cell in chance.sample(cells, min(len(cells), chance.choice((1, 2)))):
        source = cell.get("source", "")
        text = "".join(source)
        text = chance.choice(_LINES)(text, chance)
        cell["source"] = text.splitlines(keepends=True) if chance.random() < 0.8 else text
    indent = chance.choice((None, 1, 1, 4))
    return json.dumps(whole, indent=indent, ensure_ascii=chance.random() < 0.3) + chance.choice(("", "\n"))


def _stored(text: str, kind: str, chance: random.Random) -> bytes:
    """The bytes of a text, with the line ends and in the encoding that some editor writes."""
    end = chance.choice(("\n", "\n", "\n", "\r\n", "\r", "mixed"))
    if kind != "notebook" and end != "\n":
        lines = text.split("\n")
        ends = [chance.choice(("\n", "\r\n")) if end == "mixed" else end for _ in lines[1:]]
        text = "".join(f"{line}{after}" for line, after in zip(lines, [*ends, ""], strict=True))
    if chance.random() < 0.15:
        text = text.rstrip("\r\n")
    if kind == "python" and chance.random() < 0.1:
        encoding = chance.choice(_DECLARED)
        first = "\r" if end == "\r" else "\n"
        return f"# -*- coding: {encoding} -*-{first}{text}".encode(encoding, "replace")
    mark = codecs.BOM_UTF8 if chance.random() < 0.05 else b""
    return mark + text.encode("utf-8", "surrogatepass")


def _commented(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    lines.insert(at, f"{indent}# {chance.choice(_WORDS)} {chance.choice(_WORDS)}")
    return "\n".join(lines)


def _of_lines(change: Callable[[list[str], int, random.Random], None]) -> Mutation:
    def mutation(text: str, chance: random.Random) -> str:
        lines = text.split("\n")
        change(lines, chance.randrange(len(lines)), chance)
        return "\n".join(lines)

    return mutation


def _repeat(lines: list[str], at: int, chance: random.Random) -> None:
    lines[at:at] = lines[at : at + chance.randint(1, 3)] * chance.randint(1, 3)


def _leave_out(lines: list[str], at: int, chance: random.Random) -> None:
    del lines[at : at + chance.randint(1, 2)]


def _exchange(lines: list[str], at: int, chance: random.Random) -> None:
    other = chance.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _indent(lines: list[str], at: int, chance: random.Random) -> None:
    last = at + chance.randint(1, 8)
    by = chance.choice(("    ", "  ", "\t"))
    lines[at:last] = [by + line if line else line for line in lines[at:last]]


def _add_blank(lines: list[str], at: int, chance: random.Random) -> None:
    lines[at] += chance.choice((" ", "\t", "  # cuda", " \\"))


def _put_under(lines: list[str], at: int, chance: random.Random) -> None:
    """A whole text below one statement, as code is that somebody wraps."""
    lines[:] = [chance.choice(("if True:", "def main():", "with a:", "try:"))] + [
        f"    {line}" if line else line for line in lines
    ]
    if lines[0] == "try:":
        lines += ["except Exception:", "    pass"]


def _word(text: str, chance: random.Random) -> str:
    """A word in place of another one."""
    spans = [match.span() for match in _WORD.finditer(text)]
    if not spans:
        return text
    start, end = chance.choice(spans)
    other = chance.choice((*_WORDS, text[slice(*chance.choice(spans))]))
    return text[:start] + other + text[end:]


def _quotes(text: str, chance: random.Random) -> str:
    one, other = chance.choice((("'", '"'), ('"', "'")))
    return text.replace(one, other)


def _insert(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice((*_WORDS, *_CHARACTERS)) + text[at:]


def _cut(text: str, chance: random.Random) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + text[at + chance.choice((1, 1, 2, 10, 100)) :]


def _end(text: str, chance: random.Random) -> str:
    return text[: chance.randint(0, len(text))]


_LINES: tuple[Mutation, ...] = (
    *map(_of_lines, (_repeat, _leave_out, _exchange, _indent, _add_blank, _put_under)),
    *(_word, _word, _quotes),
)
_RAW: tuple[Mutation, ...] = (_insert, _cut, _end, _word)
