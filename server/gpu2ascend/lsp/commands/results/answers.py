"""What the tools of a chat answer: results of requests, in the shape that the MCP server has, too."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from ....project.manifest.marker import read_marker
from ....project.paths import shown
from ....texts.answers.findings import findings_answer, text_answer
from ....texts.answers.orders import Asked, UnknownOrder, orders_answer
from ....texts.answers.runs import run_answer
from ..parameters import Parameters
from .finding_data import JsonObject

Handler = Callable[..., Awaitable[JsonObject]]
Shape = Callable[[JsonObject, Parameters, Mapping[str, object]], JsonObject]
_FINDINGS, _ORDERS = 50, 3
"""The most items of an answer, where a client names no limit."""
_NAMED = 5
"""Files that could not be examined, which an answer names."""


def answered(handler: Handler, shape: Shape) -> Handler:
    """A request whose result, with a parameter ``answer``, also has the answer of a tool."""

    async def call(*arguments: object) -> JsonObject:
        parameters = Parameters.of(*arguments)
        result = await handler(*arguments)
        asked = parameters.values.get("answer")
        if not isinstance(asked, dict) or result.get("status", "completed") != "completed":
            return result
        try:
            return {**result, "answer": shape(result, parameters, asked)}
        except UnknownOrder as error:
            return {"status": "failed", "message": str(error)}

    return call


def findings(result: JsonObject, parameters: Parameters, asked: Mapping[str, object]) -> JsonObject:
    """The findings of an analysis."""
    codes = tuple(code.strip() for code in str(asked.get("code") or "").split(","))
    chosen = (item for item in result["findings"] if item["code"].startswith(codes))
    problems = [f"{item['file']}: {item['message']}" for item in result["problems"]]
    folder = _folder(asked)
    offset, limit = _number(asked, "offset", 0), _number(asked, "limit", _FINDINGS)
    return findings_answer((_finding(item, folder) for item in chosen), offset, limit, _notices(problems))


def orders(result: JsonObject, parameters: Parameters, asked: Mapping[str, object]) -> JsonObject:
    """The work orders of a folder."""
    folder, order = parameters.path("folder") or Path(), asked.get("order")
    wanted = Asked(
        order if isinstance(order, str) and order else None,
        _number(asked, "offset", 0),
        _number(asked, "limit", _ORDERS),
    )
    marker = read_marker(folder)
    source = (folder / marker.source).resolve() if marker is not None and marker.source is not None else None
    original = _shown(source, _folder(asked)) if source is not None and source.is_dir() else None
    return orders_answer(result, _shown(folder, _folder(asked)), original, wanted)


def run(result: JsonObject, parameters: Parameters, asked: Mapping[str, object]) -> JsonObject:
    """How a run ended."""
    return run_answer(result, result["verdict"], passed=result["passed"])


def page(result: JsonObject, parameters: Parameters, asked: Mapping[str, object]) -> JsonObject:
    """An explanation."""
    return text_answer(result["markdown"], _number(asked, "offset", 0))


def _finding(item: JsonObject, folder: Path | None) -> JsonObject:
    has_fix = item["applicability"] != "manual"
    return {
        "path": _shown(Path(item["file"]), folder),
        "line": item["range"]["start"]["line"] + 1,
        "on_the_way": item["onTheWay"],
        "fix": item["applicability"] if has_fix else None,
        "fix_title": item["fix"] if has_fix else None,
        **{name: item[name] for name in ("cell", "code", "severity", "message", "api")},
    }


def _notices(problems: list[str]) -> str:
    more = [f"… {len(problems) - _NAMED}"] if len(problems) > _NAMED else []
    return "\n".join([*problems[:_NAMED], *more])


def _folder(asked: Mapping[str, object]) -> Path | None:
    """What paths of an answer are relative to."""
    given = asked.get("root")
    return Path(given) if isinstance(given, str) else None


def _shown(path: Path, folder: Path | None) -> str:
    if folder is not None and path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return shown(path)


def _number(asked: Mapping[str, object], name: str, usual: int) -> int:
    given = asked.get(name)
    return given if isinstance(given, int) and given >= 0 else usual
