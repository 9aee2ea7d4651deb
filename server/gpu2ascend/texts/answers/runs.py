"""How a run on a simulated NPU ended, as tools answer it."""

from __future__ import annotations

from .budget import clipped
from .findings import JsonObject

_LOSSES = 10
"""Losses of an answer."""
_REPORT, _TEXT = 700, 120
"""Tokens of what the run showed, and of one text about a failure."""
_SAID = 5
"""Texts about a failure."""


def run_answer(done: JsonObject, report: str, *, passed: bool) -> JsonObject:
    """The document of a run in short.

    Args:
        report: What the run showed, as lines; the last one says how it ended.
    """
    failure, comparison = done["failure"], done["comparison"]
    ending = report.strip().rpartition("\n")[
        2
    ]  # the failure says why; what did not run is of no use after it
    return {
        "passed": passed,
        "ending": done["ending"],
        "steps_asked": done["steps"]["asked"],
        "steps_done": done["steps"]["done"],
        "losses": (done["ranks"][0]["losses"] if done["ranks"] else [])[:_LOSSES],
        "failure": _failure(failure) if failure is not None else None,
        "differs_at": comparison["first_difference"] if comparison is not None else None,
        "report": clipped(report.strip(), _REPORT) if failure is None else clipped(ending, _TEXT),
    }


def _failure(item: JsonObject) -> JsonObject:
    place = item["place"]
    rules = (f"{rule['code']}: {rule['message']}" for rule in item["rules"])
    said = (item["cause"], item["remedy"], item["because"], *rules)
    named = ", ".join(item["named_rules"])
    return {
        "error": clipped(f"{item['type']}: {item['text']}", _TEXT),
        "place": f"{place['path']}:{place['line']}" if place else None,
        "fault": item["fault"],
        "explanation": [
            *[clipped(text, _TEXT) for text in said if text][:_SAID],
            *([f"rules about this kind of error: {named}"] if named else []),
        ],
    }
