"""The shell code of a scalar of YAML, with every byte in its place.

What is YAML's own is written over by blanks, or by what means the same to a shell: an expression that the
service fills in (``${{ matrix.device }}``) is a variable. No byte moves.
"""

from __future__ import annotations

import re

_HEADER = re.compile(rb"[|>][-+\d]*[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_EXPRESSION = re.compile(rb"\$\{\{[^\r\n]*?\}\}|<<[ \t]*(?:parameters|pipeline)\.[\w.-]+[ \t]*>>")
_HERE_DOCUMENT = re.compile(
    rb"(?<!<)<<(?P<quote>[\"']?)(?P<mark>[A-Za-z_]\w+)(?P=quote)(?P<rest>[^\r\n]*\r?\n)"
    rb"(?P<body>.*?^)(?P<margin>[ ]+)(?P=mark)(?=[ \t]*(?:\r?\n|\r|\Z))",
    re.S | re.M,
)
_MARGIN = re.compile(rb"^[ ]+", re.M)


def of_block(scalar: bytes) -> bytes:
    """The code of a block: ``|`` keeps its lines, ``>`` joins them."""
    header = _HEADER.match(scalar)
    if header is None:
        return _blank(scalar)
    body = _without_expressions(scalar[header.end() :])
    code = _with_here_documents(body) if scalar.startswith(b"|") else _joined(body, more_indented=True)
    return _blank(header[0]) + code


def of_flow(scalar: bytes) -> bytes:
    """The code of a scalar that is plain or between quotes."""
    quote = scalar[:1]
    if quote not in (b'"', b"'") or len(scalar) < 2:
        return _joined(_without_expressions(scalar), more_indented=False)
    inner = _joined(_without_expressions(scalar[1:-1]), more_indented=False)
    return b" " + _unquoted(inner, is_double=quote == b'"') + b" "


def _without_expressions(code: bytes) -> bytes:
    return _EXPRESSION.sub(lambda match: b"${" + b"x" * (len(match[0]) - 3) + b"}", code)


def _with_here_documents(code: bytes) -> bytes:
    """Code whose here-documents end where they do without the block's indentation.

    A shell passes over tabs before the end of one that begins with ``<<-``; the dash takes the place of the
    first letter of its name.
    """

    def moved(match: re.Match[bytes]) -> bytes:
        mark, quote = match["mark"][1:], match["quote"]
        body = _MARGIN.sub(lambda margin: b"\t" * len(margin[0]), match["body"])
        end = b"\t" * (len(match["margin"]) + 1)
        return b"<<-" + quote + mark + quote + match["rest"] + body + end + mark

    return _HERE_DOCUMENT.sub(moved, code)


def _joined(code: bytes, *, more_indented: bool) -> bytes:
    """Lines that are one: an empty line ends it, and in a block one that is further indented does, too."""
    least = min((len(margin) for margin in re.findall(rb"^([ ]*)[^ \r\n]", code, re.M)), default=0)
    lines = code.splitlines(keepends=True)
    done: list[bytes] = []
    for line, below in zip(lines, [*lines[1:], b""], strict=False):
        body = line.rstrip(b"\r\n")
        ends = not body.strip() or not below.strip()
        if more_indented:
            ends = ends or any(len(part) - len(part.lstrip(b" ")) > least for part in (body, below))
        done.append(line if ends else body + b" " * (len(line) - len(body)))
    return b"".join(done)


def _unquoted(text: bytes, *, is_double: bool) -> bytes:
    """A text with its escapes as a shell would write them; what is too long by that is within the quotes."""
    opened = False

    def quoted(match: re.Match[bytes]) -> bytes:
        nonlocal opened
        if match[0] == b"\\n":
            return b" \n"
        if match[0] not in (b'\\"', b"''"):
            return match[0]
        opened = not opened
        mark = match[0][1:]
        return mark + b" " if opened else b" " + mark

    return re.sub(rb"\\[^\r\n]" if is_double else rb"''", quoted, text)


def _blank(text: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", text)
