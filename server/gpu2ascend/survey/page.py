"""The page of a survey, made of what the report of a migration is made of: one file that loads nothing."""

from __future__ import annotations

from collections.abc import Sequence

from .. import __version__
from ..project.report.html.charts import Part, stacked
from ..project.report.html.document import page_contents, page_header, whole_document
from ..project.report.html.markup import Child, Html, element, listed, path_code, with_code
from ..project.report.html.sections.common import badge, more_rows, note, section
from ..project.report.html.tables import columns, table
from ..texts.catalogue import Texts
from .model import Ranked, State, Survey, Surveyed

_COLOURS = {
    State.FAILED: "troubled",
    State.BLOCKED: "blocked",
    State.OPEN: "open",
    State.READY: "migrated",
    State.UNTOUCHED: "untouched",
}
"""The class of the colour of each state."""
_REASONS = 3
_MAX_ROWS = 200


def survey_page(survey: Survey, texts: Texts) -> Html:
    """The whole page."""
    title = texts("survey.title", count=len(survey.projects))
    made = {
        "overview": _overview(survey, texts),
        "blockers": _ranking("blockers", "code", survey.blockers(), texts),
        "apis": _ranking("apis", "api", survey.apis(), texts),
        "projects": _projects(survey, texts),
    }
    sections = tuple((name, texts(f"survey.{name}"), part) for name, part in made.items() if part is not None)
    body = (
        page_header(title, texts("survey.subject", tool=__version__), texts),
        page_contents(sections, texts),
        element("main", *(part for _, _, part in sections), id="content"),
        element("footer", note(texts("report.made", tool=__version__))),
    )
    return whole_document(title, body, texts)


def _overview(survey: Survey, texts: Texts) -> Html:
    colon = texts("report.colon")
    parts = [Part(_COLOURS[state], _state(state, texts), survey.in_state(state)) for state in State]
    said = "; ".join(f"{part.label}{colon}{part.number}" for part in parts)
    legend = (
        element("li", element("span", class_=f"swatch {part.name}"), part.label, colon,
                element("b", str(part.number)))
        for part in parts
    )  # fmt: skip
    verdict = texts("survey.verdict", moving=survey.moving, total=len(survey.projects))
    picture = element(
        "figure",
        element("figcaption", texts("survey.picture")),
        stacked(parts, f"{texts('survey.picture')} {said}"),
        element("ul", *legend, class_="legend"),
    )
    strong = element("p", element("strong", verdict), " ", element("span", texts("report.not-run")))
    return section("overview", texts("survey.overview"), strong, picture)


def _ranking(name: str, of: str, ranked: Sequence[Ranked], texts: Texts) -> Html | None:
    if not ranked:
        return None
    head = columns(texts, "survey.{}", f"{of}:path rule in-projects:number places:number")
    rows = (
        (path_code(item.name), item.about, str(item.projects), str(item.places))
        for item in ranked[:_MAX_ROWS]
    )
    title = texts(f"survey.{name}")
    more = more_rows(len(ranked) - _MAX_ROWS, texts)
    return section(name, title, note(texts(f"survey.{name}-text")), table(title, head, rows), more)


def _projects(survey: Survey, texts: Texts) -> Html:
    names = ("files", "edits", "errors", "warnings", "information")
    numbers = " ".join(f"{name}:number" for name in names)
    head = columns(texts, "survey.{}", f"project:path state version {numbers} why")
    order = {state: number for number, state in enumerate(State)}
    projects = sorted(survey.projects, key=lambda item: (order[item.state], item.path))
    rows = (_row(project, names, texts) for project in projects)
    title = texts("survey.projects")
    return section("projects", title, table(title, head, rows))


def _row(project: Surveyed, names: Sequence[str], texts: Texts) -> tuple[Child, ...]:
    counts = (str(project.counts.get(name, "–")) for name in names)
    state = badge(_COLOURS[project.state], _state(project.state, texts))
    reasons = [with_code(reason) for reason in reasons_of(project)[:_REASONS]]
    return (path_code(project.path), state, project.version, *counts, listed(reasons) if reasons else None)


def _state(state: State, texts: Texts) -> str:
    return texts(f"survey.state-{state.value}")


def reasons_of(project: Surveyed) -> list[str]:
    """Why a project does not move, or what is to be decided, the gravest first."""
    if project.problem is not None:
        return [project.problem]

    def left(severity: str) -> list[str]:
        items = (item for item in project.left if item.severity == severity)
        ordered = sorted(items, key=lambda item: (-item.places, item.text))
        return [f"{item.code} {item.text} ({item.places})" for item in ordered]

    return [*project.obstacles, *left("error"), *project.unexamined, *left("warning")]
