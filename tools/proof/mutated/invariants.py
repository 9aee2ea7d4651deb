"""What must hold of every file that is examined, asked of its bytes and of parsers that are not ours."""

from __future__ import annotations

import ast
import configparser
import io
import json
import re
import subprocess
import sys
import tokenize
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import attrs
import yaml

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.files.content.encoding import decode
from gpu2ascend.project.report.result import FileStatus
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.options.options import MigrationOptions

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # type: ignore[import-not-found, unused-ignore]

_READ_COMMENT = re.compile(r"#(?:SBATCH|PBS|BSUB)\b")
"""Comments that a scheduler reads, and rules change."""
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Verdict(NamedTuple):
    """What was seen of one file."""

    is_changed: bool
    """Whether fixes changed it."""
    violations: tuple[str, ...]
    """What does not hold of it."""


def verdict(path: str, data: bytes, options: MigrationOptions) -> Verdict:
    """Examine one file under some options, and what comes of it."""
    request = Request(options=options, fix=True)
    try:
        done = examine(path, data, request)
        return Verdict(done.data is not None, tuple(_violations(path, data, done, request)))
    except Exception:
        return Verdict(False, (f"raises: {traceback.format_exc(limit=-3)}",))


def _violations(path: str, data: bytes, done: Examination, request: Request) -> Iterator[str]:
    checked = examine(path, data, attrs.evolve(request, fix=False))
    for result, task in ((done, "fix"), (checked, "check")):
        if result.status is FileStatus.FAILED:
            yield f"{task} fails: {result.problem}"
    if checked.data is not None:
        yield "a check changes the file"
    if done.data is not None:
        yield from lost(data, done.data)
        before, after = decode(data).text, decode(done.data).text
        yield from broken(path, before, after)
        yield from lost_comments(path, before, after)
        yield from _unstable(path, done.data, done, request)


def _unstable(path: str, data: bytes, done: Examination, request: Request) -> Iterator[str]:
    """Whether the fixed file would be fixed again, or a check finds other things in it than what was left.

    Of a notebook with a cell that is not Python, which is not fixed, fewer cells are put together.
    """
    if examine(path, data, request).data is not None:
        yield "a second fix changes the file again"
    if done.problem is not None:
        return
    checked = examine(path, data, attrs.evolve(request, fix=False))
    left = Counter((finding.code, finding.start, finding.end) for finding in done.findings)
    found = Counter((finding.code, finding.start, finding.end) for finding in checked.findings)
    if left != found:
        yield f"fix leaves {dict(left - found)} that a check does not find, which finds {dict(found - left)}"
    if any(finding.fix and finding.fix.applicability is Applicability.SAFE for finding in checked.findings):
        yield "a safe fix is left"


def lost(before: bytes, after: bytes) -> Iterator[str]:
    """What of the form of a file is gone: its encoding, its mark, its line ends."""
    old, new = decode(before), decode(after)
    if (old.encoding, old.bom) != (new.encoding, new.bom):
        yield f"encoding {old.encoding} {old.bom!r} becomes {new.encoding} {new.bom!r}"
    more = _line_ends(new.text) - _line_ends(old.text)
    if more and _line_ends(old.text):
        yield f"new line ends {sorted(more)}"
    if old.text.endswith(("\n", "\r")) != new.text.endswith(("\n", "\r")):
        yield "the last line has another end"


def _line_ends(text: str) -> set[str]:
    found = {"\r\n"} if "\r\n" in text else set()
    rest = text.replace("\r\n", "")
    return found | {end for end in ("\r", "\n") if end in rest}


def lost_comments(path: str, before: str, after: str) -> Iterator[str]:
    """The comments that are gone: of Python all, of other languages those with a line to themselves."""
    of_language = _comments_of_python if path.endswith(".py") else _comment_lines
    old, new = of_language(before), of_language(after)
    if old is not None and new is not None and old - new:
        yield f"lost comments: {dict(old - new)}"


def _comments_of_python(text: str) -> Counter[str] | None:
    """None where a text is not Python."""
    tokens = tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    try:
        return Counter(token.string.rstrip() for token in tokens if token.type == tokenize.COMMENT)
    except (tokenize.TokenError, SyntaxError):
        return None


def _comment_lines(text: str) -> Counter[str]:
    lines = (line.strip() for line in re.split(r"[\r\n]", text))
    return Counter(line for line in lines if line.startswith("#") and not _READ_COMMENT.match(line))


def broken(path: str, before: str, after: str) -> Iterator[str]:
    """What parsed before and does not any more, by the language's own parser."""
    if path.endswith(".ipynb"):
        yield from _broken_notebook(before, after)
    elif _parses(path, before) and not _parses(path, after):
        yield "does not parse any more"


def _broken_notebook(before: str, after: str) -> Iterator[str]:
    old, new = _cells(before), _cells(after)
    if new is None or old is None or len(old) != len(new):
        yield "is no notebook any more, or has other cells"
        return
    for number, (one, two) in enumerate(zip(old, new, strict=True)):
        if _parses("cell.py", one) and not _parses("cell.py", two):
            yield f"cell {number} does not parse any more"


def _cells(text: str) -> list[str] | None:
    try:
        return ["".join(cell["source"]) for cell in json.loads(text)["cells"]]
    except (ValueError, KeyError, TypeError):
        return None


def _parses(path: str, text: str) -> bool:
    """Whether a text is of its language; of languages without a parser here, every text is."""
    name = path.rpartition("/")[2].lower()
    try:
        if name.endswith(".py"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        elif name.endswith((".sh", ".bash", ".slurm", ".sbatch")):
            data = text.encode("utf-8", "surrogatepass")
            subprocess.run(["bash", "-n"], input=data, check=True, capture_output=True)
        elif name.endswith((".yaml", ".yml")):
            for _ in yaml.parse(text, Loader=_LOADER):
                pass
        elif name.endswith(".json"):
            json.loads(text)
        elif name.endswith(".toml"):
            tomllib.loads(text)
        elif name.endswith((".cfg", ".ini")):
            configparser.RawConfigParser(strict=False).read_string(text)
    except (SyntaxError, ValueError, RecursionError, yaml.YAMLError, configparser.Error):
        return False
    except subprocess.CalledProcessError:
        return False
    return True
