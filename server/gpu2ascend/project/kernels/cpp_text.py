"""Functions of a C++ or CUDA source, by a lexer: no preprocessor is run, so that macros stay as they are.

A grammar gives no more here: code between ``#if`` and ``#else``, and functions that macros head, do not
parse, while braces and names can be counted in any text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from gpu2ascend_rules.limits.checkpoints import checkpoint

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?(?:\*/|\Z)|R"(?P<mark>[^\s()\\]{0,16})\(.*?(?:\)(?P=mark)"|\Z)'
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n]){1,8}\'',
    re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?P<word>\w+)(?P<rest>(?:[^\n\\]|\\\r?\n|\\.)*)", re.MULTILINE)
_ALTERNATIVE = frozenset({"else", "elif"})
_ATTRIBUTE = re.compile(r"\b(?:__\w+__|__declspec|alignas)\s*\((?:[^()]|\([^()]*\))*\)")
_NAME = re.compile(r"([A-Za-z_]\w*(?:\s*::\s*~?[A-Za-z_]\w*)*)\s*(?:<[^<>;{}()]*>\s*)?$")
_SCOPES = re.compile(r"\b(?:namespace|extern|class|struct|union|enum)\b")
_KERNEL = "__global__"
_LONGEST_HEADER = 4000
"""Characters before a brace that are looked at: what is longer is no head of a function."""
_LONGEST_NAME = 300
_NO_FUNCTIONS = frozenset({"if", "for", "while", "switch", "catch", "return", "sizeof", "decltype"})


class CppFunction(NamedTuple):
    """A function with its body."""

    name: str
    """Without the namespaces before it."""
    is_kernel: bool
    first_line: int
    last_line: int
    body: str
    """Without comments and the contents of strings."""
    is_macro: bool = False
    """Whether it is the text of a macro, which makes kernels where it is used."""


def functions_of(text: str) -> list[CppFunction]:
    """The functions with bodies, and macros that make kernels, in their order."""
    without_comments = _TOKEN.sub(_blank, text)
    lines = [match.start() for match in re.finditer(r"\n", text)]
    made = list(_macros(without_comments, lines))
    made += _functions(_without_alternatives(without_comments), lines)
    return sorted(made, key=lambda item: item.first_line)


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    quote = found[0] if found[0] in "\"'" else ""
    inner = re.sub(r"[^\n]", " ", found)
    return f"{quote}{inner[1:-1]}{quote}" if quote and len(found) > 1 else inner


def _without_alternatives(code: str) -> str:
    parts: list[str] = []
    at, hidden_from, depth = 0, -1, 0
    for match in _DIRECTIVE.finditer(code):
        checkpoint()
        word = match["word"]
        if hidden_from < 0:
            parts.append(code[at : match.start()])
        else:
            parts.append(re.sub(r"[^\n]", " ", code[at : match.start()]))
        parts.append(re.sub(r"[^\n]", " ", match[0]))
        at = match.end()
        if word.startswith("if"):
            depth += 1
        elif word in _ALTERNATIVE and hidden_from < 0 and depth:
            hidden_from = depth
        elif word == "endif" and depth:
            hidden_from = -1 if hidden_from == depth else hidden_from
            depth -= 1
    rest = code[at:]
    parts.append(rest if hidden_from < 0 else re.sub(r"[^\n]", " ", rest))
    return "".join(parts)


def _macros(code: str, lines: list[int]) -> Iterator[CppFunction]:
    for match in _DIRECTIVE.finditer(code):
        rest = match["rest"]
        if match["word"] == "define" and _KERNEL in rest and "{" in rest:
            name = re.match(r"\s*(\w+)", rest)
            first, last = _line(lines, match.start()), _line(lines, match.end() - 1)
            yield CppFunction(name[1] if name else "", True, first, last, rest, is_macro=True)


def _functions(code: str, lines: list[int]) -> Iterator[CppFunction]:
    header, at = 0, 0
    while (match := _STOP.search(code, at)) is not None:
        checkpoint()
        at = match.end()
        if match[0] != "{":
            header = at
            continue
        text = code[max(header, match.start() - _LONGEST_HEADER) : match.start()]
        derived = _AUTOGRAD.search(text)
        if derived is not None:  # whoever applies the class calls its methods
            end = _end_of_block(code, match.start())
            first, last = _line(lines, match.start()), _line(lines, end - 1)
            yield CppFunction(derived[1], False, first, last, code[match.start() : end])
        name = _function_name(text)
        if name is None:
            if not _SCOPES.search(text) and "=" in text:
                at = _end_of_block(code, match.start())
            header = at
            continue
        end = _end_of_block(code, match.start())
        start = match.start() - len(text.lstrip())
        body = code[match.start() : end]
        first, last = _line(lines, start), _line(lines, end - 1)
        yield CppFunction(name.rpartition("::")[2].strip(), _KERNEL in text, first, last, body)
        header = at = end


_AUTOGRAD = re.compile(r"\b(?:class|struct)\s+(\w+)[^;{}]*\bautograd::Function\b")
_STOP = re.compile(r"[;{}]")


def _function_name(header: str) -> str | None:
    """The name of the function that a text before ``{`` heads; None where it heads none."""
    if "(" not in header:
        return None
    text = _without_templates(_ATTRIBUTE.sub(" ", header))
    place = text.find("(")
    head = text[: max(0, place)]
    match = _NAME.search(head, max(0, place - _LONGEST_NAME))
    if match is None or match[1] in _NO_FUNCTIONS:
        return None
    is_alone = not head[: match.start()].strip() and "::" not in match[1]
    is_call_of_macro = _KERNEL not in text and is_alone
    return None if is_call_of_macro and match[1].isupper() else match[1]


def _without_templates(text: str) -> str:
    """The text without ``template <...>`` at its beginning, whatever is in the brackets."""
    while match := re.match(r"\s*template\s*<", text):
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += {"<": 1, ">": -1}.get(text[at], 0)
            at += 1
        text = text[at:]
    return text


def _end_of_block(code: str, start: int) -> int:
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(code)


def _line(lines: list[int], offset: int) -> int:
    return bisect_right(lines, offset - 1) + 1
