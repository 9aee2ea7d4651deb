"""Where a rule is explained: its place in the page of all rules.

An editor opens a link to a line of a file, so there is a file for each language. The wheel and the extension
contain it, made when they are built (``tools/build_rule_pages.py``), so a link needs no network and is of the
version that runs. A source checkout has none: there it is written on first use, to the user's cache.

Where the package was built with the address of a documentation site (``Documentation`` of its project URLs),
links lead to the page of the rule there instead.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from gpu2ascend_rules.hosting import all_codes
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST

from ... import __version__
from ...project.files.user_cache import private_folder
from ...project.files.writing.replacing import put_file
from ...texts.catalogue import Texts
from ..conversion.uris import uri_of

PAGES = {"en": "rules.md", "zh": "rules.zh-CN.md"}
"""The file name of the page in each language."""
SITE = "site.txt"
"""The file with the address of the documentation site, in packages that were built with one."""
_HEADING = re.compile(r"### (\S+) ")


def cached_page(name: str, text: str) -> Path | None:
    """The path of a file with this text, written unless it is there; ``None`` if that is impossible.

    The directory is named by the version and the text: several checkouts never write the same file, and a
    file that a link leads to is never changed.
    """
    data = text.encode("utf-8")
    try:
        directory = private_folder(f"{__version__}-{hashlib.sha256(data).hexdigest()[:16]}")
        if directory is None:
            return None
        path = directory / name
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data:
            put_file(path, data)
    except OSError:
        return None
    return path


@cache
def path_of_page(language: str) -> Path | None:
    """The page of all rules in a language; ``None`` where there is none and none can be written."""
    packaged = Path(__file__).with_name(PAGES[language])
    return packaged if packaged.is_file() else cached_page(PAGES[language], page(language))


@cache
def site_address() -> str | None:
    """The address of the documentation site, without a slash at its end, if the package has one."""
    path = Path(__file__).with_name(SITE)
    return path.read_text(encoding="utf-8").strip().rstrip("/") if path.is_file() else None


def link(code: str, language: str) -> str | None:
    """A URI that opens the page at a rule; ``None`` for the user's own rules, and where there is no page."""
    if (site := site_address()) is not None:
        if code not in _lines(language):
            return None
        return f"{site}/{'' if language == 'en' else f'{language}/'}rules/{code}/"
    path, line = path_of_page(language), _lines(language).get(code)
    return f"{uri_of(path)}#L{line}" if path is not None and line is not None else None


def page(language: str) -> str:
    """The text of the page of all rules in a language."""
    from .explanation import explanation  # with all that can be explained: a packaged page needs none of it

    hardware, version, texts = next(iter(Hardware)), NEWEST, Texts(language)
    rules = sorted(all_codes(), key=lambda rule: rule.code)
    pages = [explanation(rule.code, version, hardware, language).markdown for rule in rules]
    head = f"# {texts('lsp.page.title')}\n\n{texts('lsp.page.about')}\n"
    return "\n".join([head, *(f"{text.rstrip()}\n" for text in pages)])


@cache
def _lines(language: str) -> Mapping[str, int]:
    """The line, counted from 1, at which each rule begins."""
    path = path_of_page(language)
    try:
        lines = path.read_text(encoding="utf-8").split("\n") if path is not None else []
    except OSError:
        return {}
    found = ((number, _HEADING.match(line)) for number, line in enumerate(lines, 1))
    return {match[1]: number for number, match in found if match is not None}
