"""The place for a run on a simulated NPU: empty in a new page, and filled in one that is there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePosixPath

from gpu2ascend_rules.messages import LANGUAGES

from .....texts.catalogue import Texts
from .....texts.shell import shell_line
from ..markup import Child, Html, code, element, with_code
from ..model import RunFacts
from .common import section

_NAME = "verification"
_SECTION = re.compile(rf'<section id="{_NAME}".*?</section>', re.DOTALL)
"""No text of a project can be taken for it: in those, ``<`` is an entity."""
_LANGUAGE = re.compile(r'<html lang="(\w+)')


def verification(run: RunFacts, texts: Texts) -> Html | None:
    """The section of a project that did not run yet; None where there is no migrated project."""
    if run.output is None or run.script is None:
        return None
    command = element(
        "pre", code(shell_line("gpu2ascend", "verify", ".", "--", PurePosixPath(run.script))), tabindex=0
    )
    return _section(texts, element("p", with_code(texts("report.verification-none"))), command)


def with_verification(page: str, content: Callable[[Texts], list[Child]]) -> str | None:
    """The page with other content in the section, in the page's language; None for a page without one.

    Args:
        page: As it was written by a migration.
        content: Of the section, below its heading.
    """
    found, language = _SECTION.search(page), _LANGUAGE.search(page)
    if found is None or language is None or language[1] not in LANGUAGES:
        return None
    texts = Texts(language[1])
    return page[: found.start()] + _section(texts, *content(texts)) + page[found.end() :]


def _section(texts: Texts, *content: Child) -> Html:
    return section(_NAME, texts("report.verification"), *content)
