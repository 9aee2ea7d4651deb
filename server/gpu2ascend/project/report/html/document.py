"""The page as a whole, and the page of the differences beside it where they are many."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ....texts.catalogue import Texts
from ...paths import shown
from .collect import PageCollector
from .markup import Html, element, joined, with_code
from .model import RunFacts
from .sections.common import note, section
from .sections.diffs import differences
from .sections.files import files
from .sections.findings import advice, findings
from .sections.listings import apis, changes, dependencies, effort, kernels, reference, way
from .sections.readiness import readiness
from .sections.steps import steps
from .sections.unexamined import unexamined
from .sections.verification import verification
from .style import content_policy, style_sheet

MAX_INLINE_BYTES = 5_000_000
"""Differences that are larger have a page beside the other."""
_LANGUAGES = {"en": "en", "zh": "zh-CN"}
_THEMES = ("system", "light", "dark")


def write_pages(
    directory: Path, names: tuple[str, str], run: RunFacts, found: PageCollector
) -> tuple[str, ...]:
    """Write the page, and that of the differences if they are too many; gives the names of what was written.

    Args:
        directory: Where; no file there may have one of the names.
        names: Of the page, and of the one with the differences.

    Raises:
        OSError: a page cannot be written.
    """
    main, beside = names
    texts = Texts(found.language, run.route)
    with tempfile.TemporaryFile(prefix=".gpu2ascend-", dir=directory) as pieces:
        size = 0
        for piece in differences(found.records, texts):
            size += pieces.write(piece.encode("utf-8"))
        pieces.seek(0)
        if size <= MAX_INLINE_BYTES:
            inline = Html(pieces.read().decode("utf-8"))
            _write(directory / main, _page(run, found, texts, inline, ""))
            return (main,)
        _write_diffs(directory / beside, run, main, pieces, texts)
    link = element("a", texts("report.diffs-beside"), href=beside)
    _write(directory / main, _page(run, found, texts, element("p", link), beside))
    return main, beside


def _write(path: Path, page: Html) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(page)


def _write_diffs(path: Path, run: RunFacts, main: str, pieces: IO[bytes], texts: Texts) -> None:
    """The page of the differences, which may be larger than memory should hold."""
    mark = Html("\0")
    title = texts("report.diffs-title", project=shown(run.project))
    back = element("p", element("a", texts("report.diffs-back"), href=main))
    body = element("main", section("diffs", texts("report.diffs"), back, mark), id="content")
    head, tail = whole_document(title, (page_header(title, None, texts), body), texts).split(mark)
    with path.open("xb") as file:
        file.write(head.encode("utf-8"))
        shutil.copyfileobj(pieces, file)
        file.write(tail.encode("utf-8"))


def _page(run: RunFacts, found: PageCollector, texts: Texts, diffs: Html, beside: str) -> Html:
    title = texts("report.title", project=shown(run.project))
    subject = texts("report.subject", release=run.release, hardware=run.hardware, tool=run.tool)
    sections = tuple(_sections(run, found, texts, diffs, beside))
    body = (
        page_header(title, subject, texts),
        page_contents(sections, texts),
        element("main", *(part for _, _, part in sections), id="content"),
        _footer(run, texts),
    )
    return whole_document(title, body, texts)


def _sections(
    run: RunFacts, found: PageCollector, texts: Texts, diffs: Html, beside: str
) -> Iterator[tuple[str, str, Html]]:
    """Each section that the page has, with its place in the page and its title."""
    changed = section("diffs", texts("report.diffs"), diffs) if diffs else None
    made = (
        ("readiness", "readiness", readiness(run, found, texts)),
        ("effort", "effort", effort(run, texts)),
        ("way", "way", way(run, texts)),
        ("steps", "steps", steps(run, found, texts)),
        ("verification", "verification", verification(run, texts)),
        ("findings", "findings", findings(found, texts)),
        ("advice", "advice", advice(found, texts)),
        ("apis", "apis", apis(run, found, texts)),
        ("kernels", "kernels", kernels(run, texts)),
        ("dependencies", "dependencies", dependencies(found, texts)),
        ("files", "files", files(found, texts, beside)),
        ("changes", "changes", changes(found, texts)),
        ("diffs", "diffs", changed),
        ("unexamined", "unexamined-title", unexamined(run, found, texts)),
        ("notices", "notices", _notices(run, texts)),
        ("rules", "rules", reference(found, texts)),
    )
    for identifier, title, part in made:
        if part is not None:
            yield identifier, texts(f"report.{title}"), part


def _notices(run: RunFacts, texts: Texts) -> Html | None:
    shown_notices = [text for text in run.notices if text not in run.obstacles]
    if not shown_notices:
        return None
    items = (element("li", with_code(text)) for text in shown_notices)
    return section("notices", texts("report.notices"), element("ul", *items))


def whole_document(title: str, body: tuple[Html, ...], texts: Texts) -> Html:
    """A page that holds all it needs, in one file."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=content_policy()),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", Html(style_sheet())),
    )
    skip = element("a", texts("report.skip"), href="#content", class_="skip")
    page = element("html", head, element("body", skip, *body), lang=_LANGUAGES[texts.language])
    return Html(f"<!DOCTYPE html>\n{page}\n")


def page_header(title: str, subject: str | None, texts: Texts) -> Html:
    """The heading of a page, with the choice of its colours."""
    choices = (
        element(
            "label",
            element("input", type="radio", name="theme", id=f"theme-{theme}", checked=theme == "system"),
            element("span", texts(f"report.theme-{theme}")),
        )
        for theme in _THEMES
    )
    legend = element("legend", texts("report.theme"))
    themes = element("fieldset", legend, *choices, class_="themes")
    heading = element("div", element("h1", title), element("p", subject) if subject else None)
    return element("header", heading, themes)


def page_contents(sections: tuple[tuple[str, str, Html], ...], texts: Texts) -> Html:
    """The table of contents: the place in the page and the title of each section."""
    links = (element("li", element("a", title, href=f"#{name}")) for name, title, _ in sections)
    return element("nav", element("ul", *links), aria_label=texts("report.contents"))


def _footer(run: RunFacts, texts: Texts) -> Html:
    made = note(texts("report.made", tool=run.tool))
    links = [element("a", name, href=name) for name in run.reports]
    beside = joined((texts("report.beside"), " ", joined(links, ", "))) if links else None
    return element("footer", made, None if beside is None else element("p", beside))
