"""A word is kept by something of another module: a class, an object, a table, a function, an option."""

from __future__ import annotations

from ..marked import Files
from .refactoring import MAIN, Refactoring, Target

_HOLDERS = {
    "an attribute of a class": ("class Words:\n    word = {}\n", "Words", "Words.word"),
    "an attribute of an object": (
        "class Words:\n    def __init__(self):\n        self.word = {}\n", "Words", "Words().word"
    ),
    "an inherited attribute": (
        "class Base:\n    word = {}\n\nclass Words(Base):\n    pass\n", "Words", "Words().word"
    ),
    "a property": (
        "class Words:\n    @property\n    def word(self):\n        return {}\n", "Words", "Words().word"
    ),
    "a method": ("class Words:\n    def word(self):\n        return {}\n", "Words", "Words().word()"),
    "an entry": ("WORDS = {{'other': 1, 'word': {}}}\n", "WORDS", "WORDS['word']"),
    "an entry taken by get": ("WORDS = dict(word={})\n", "WORDS", "WORDS.get('word')"),
    "an entry of an entry": ("WORDS = {{'a': {{'word': {}}}}}\n", "WORDS", "WORDS['a']['word']"),
    "an item": ("WORDS = ['other', {}]\n", "WORDS", "WORDS[1]"),
    "a field of a dataclass": (
        "from dataclasses import dataclass\n\n@dataclass\nclass Words:\n    word: str = {}\n", "Words",
        "Words().word",
    ),
    "a field of a named tuple": (
        "from typing import NamedTuple\n\nclass Words(NamedTuple):\n    word: str = {}\n", "Words",
        "Words().word",
    ),
    "a member of an enumeration": (
        "from enum import Enum\n\nclass Words(Enum):\n    OTHER = 'x'\n    WORD = {}\n", "Words",
        "Words.WORD.value",
    ),
    "a result": ("def word():\n    return {}\n", "word", "word()"),
    "a part of a result": ("def words():\n    return 1, {}\n", "words", "words()[1]"),
    "a result of a condition": ("def word(n=1):\n    return {} if n else 'x'\n", "word", "word()"),
    "a result of a lambda": ("word = lambda: {}\n", "word", "word()"),
    "an option": (
        "import argparse\n\ndef options():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--word', default={})\n    return parser.parse_args()\n", "options",
        "options().word",
    ),
    "an option of a parser": (
        "import argparse\n\ndef make_parser():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--word', default={})\n    return parser\n", "make_parser",
        "make_parser().parse_args().word",
    ),
}  # fmt: skip


def _holder(text: str, name: str, expression: str) -> object:
    def apply(target: Target) -> Files:
        return {
            MAIN: target.program.replaced(target.node, expression, f"from words import {name}"),
            "words.py": text.format(target.literal),
        }

    return apply


def _given(text: str, name: str, expression: str) -> object:
    """The word goes through something of another module."""

    def apply(target: Target) -> Files:
        given = expression.format(target.literal)
        return {
            MAIN: target.program.replaced(target.node, given, f"from words import {name}"),
            "words.py": text,
        }

    return apply


_PASSES = {
    "given and given back": ("def same(value):\n    return value\n", "same", "same({})"),
    "given and given back by keyword": (
        "def same(n=0, *, value):\n    return value\n", "same", "same(value={})"
    ),
    "given to a class": (
        "class Box:\n    def __init__(self, value):\n        self.value = value\n", "Box", "Box({}).value"
    ),
    "given to a dataclass": (
        "from dataclasses import dataclass\n\n@dataclass\nclass Box:\n    n: int\n    value: str\n", "Box",
        "Box(1, {}).value",
    ),
    "put into a table": ("def table(**values):\n    return values\n", "table", "table(value={})['value']"),
}  # fmt: skip

HOLDERS = (
    *(Refactoring(name, _holder(*parts)) for name, parts in _HOLDERS.items()),  # type: ignore[arg-type]
    *(Refactoring(name, _given(*parts)) for name, parts in _PASSES.items()),  # type: ignore[arg-type]
)
