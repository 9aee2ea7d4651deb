"""The names of the reports, and which names could be those of reports at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

from gpu2ascend_rules.targets.registry import DEFAULT, known_targets
from gpu2ascend_rules.targets.target import Target

_TABLE_SUFFIX = ".csv"
PART_SUFFIX = ".part"
"""Behind the name of a table while a byte order mark is put before it."""
PAGES = ("report", "report_diffs")
"""The pages for people: the report, and its differences where they are many."""
_PAGE_SUFFIX = ".html"
ORDERS = "MIGRATION"
"""The document that says what is left to do."""
_ORDERS_SUFFIX = ".md"
MAX_LOG_FILES = 10
_GIVEN_WAY = "_msft"
"""Ends the stem of a report whose usual name the project has itself."""
_MAIN_PAGE = re.compile(rf"{PAGES[0]}(?:{_GIVEN_WAY}[0-9]{{0,9}})?{re.escape(_PAGE_SUFFIX)}")


def is_report_name(name: str) -> bool:
    """Whether a migration could have given a report this name. No source of a project has such a name."""
    return _pattern().fullmatch(name) is not None


@cache
def _pattern() -> re.Pattern[str]:
    """Of the names that some target gives a report."""
    given_way = rf"(?:{_GIVEN_WAY}[0-9]{{0,9}})?"
    tables = {table for target in known_targets() for table in target.tables}
    logs = {target.log_name.rpartition(".") for target in known_targets()}
    any_log = "|".join(
        rf"{re.escape(stem)}{given_way}{re.escape(dot + suffix)}" for stem, dot, suffix in logs
    )
    return re.compile(
        rf"(?:(?:{'|'.join(tables)}){given_way}{re.escape(_TABLE_SUFFIX)}"
        rf"|(?:{'|'.join(PAGES)}){given_way}{re.escape(_PAGE_SUFFIX)}"
        rf"|{ORDERS}{given_way}{re.escape(_ORDERS_SUFFIX)}"
        rf"|(?:{any_log})(?:\.[1-{MAX_LOG_FILES - 1}])?)"
    )


def page_among(names: Iterable[str]) -> str | None:
    """The page for people among the names of reports; None where there is none."""
    return next((name for name in names if _MAIN_PAGE.fullmatch(name) is not None), None)


def report_names(is_taken: Callable[[str], bool], route: Target = DEFAULT) -> dict[str, str]:
    """The file name of each report of a migration to a target, by what it reports.

    A name that the project itself uses in its top directory stays the project's: the report gets another.
    """
    rotated = range(1, MAX_LOG_FILES)

    def table_is_taken(name: str) -> bool:
        return is_taken(name) or is_taken(name + PART_SUFFIX)

    def log_is_taken(name: str) -> bool:
        return is_taken(name) or any(is_taken(f"{name}.{number}") for number in rotated)

    tables = {table: _free_name(table, _TABLE_SUFFIX, table_is_taken) for table in route.tables}
    pages = {page: _free_name(page, _PAGE_SUFFIX, is_taken) for page in PAGES}
    orders = {ORDERS: _free_name(ORDERS, _ORDERS_SUFFIX, is_taken)}
    stem, dot, suffix = route.log_name.rpartition(".")
    return {**tables, **pages, **orders, "log": _free_name(stem, dot + suffix, log_is_taken)}


def renamed_reports(names: dict[str, str], route: Target = DEFAULT) -> tuple[tuple[str, str], ...]:
    """The reports that had to give way: usual name and present name."""
    usual = {
        **{table: f"{table}{_TABLE_SUFFIX}" for table in route.tables},
        **{page: f"{page}{_PAGE_SUFFIX}" for page in PAGES},
        ORDERS: f"{ORDERS}{_ORDERS_SUFFIX}",
        "log": route.log_name,
    }
    return tuple((usual[key], name) for key, name in names.items() if name != usual[key])


def _free_name(stem: str, suffix: str, is_taken: Callable[[str], bool]) -> str:
    name, number = stem + suffix, 0
    while is_taken(name):
        number += 1
        name = f"{stem}{_GIVEN_WAY}{number if number > 1 else ''}{suffix}"
    return name
