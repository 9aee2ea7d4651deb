"""Tools that look at projects, and look things up; they change and run nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult
from pydantic import Field

from gpu2ascend_rules.model.hardware import Hardware as Families
from gpu2ascend_rules.model.versions import NEWEST, UnknownVersionError, choose_version
from gpu2ascend_rules.model.versions import Version as Release

from ...project.leftovers import scratch_folder
from ...texts.answers.budget import clipped
from ...texts.answers.findings import findings_answer, text_answer
from ...texts.catalogue import Texts
from ...texts.close_names import close_names
from ..commands import NOWHERE, command
from ..knowledge import CONSTRUCTS, index, page
from ..roots import InRoots, Roots
from ..settings import settings_of
from .parameters import READS, Code, Hardware, Offset, Version, chosen
from .results import ApiFacts, Findings, TextPage

_SAID = 700
"""Tokens of what is said of an operator or a package."""
_UNKNOWN = (
    "Give a rule code (NPU110), a qualified API (torch.cuda.empty_cache), a package (flash-attn), an error "
    "code (EI0006), or a device family (A2)."
)
_NPU_ROOTS = ("torch_npu.", "torch.npu.")


def register(server: MCPServer[Any]) -> None:
    """Add the tools."""
    for tool, title in (
        (check, "Find what does not run on an NPU"),
        (explain, "Explain a rule, API, package or error code"),
        (facts, "Support of an API on NPUs"),
        (doctor_log, "Explain the failures in a training log"),
    ):
        server.add_tool(tool, title=title, annotations=READS)


async def check(
    ctx: Context,
    roots: InRoots,
    paths: Annotated[list[str], Field(min_length=1, description="Files or directories in the roots.")],
    version: Version = None,
    code: Code = None,
    offset: Offset = 0,
    limit: Annotated[int, Field(ge=1, le=200, description="The most findings of an answer.")] = 50,
) -> Annotated[CallToolResult, Findings]:
    """Find CUDA and NPU-unsupported APIs, with severity, message and fix. Nothing is changed.

    Errors on the way of the training come first. `explain` says more of a code; `fix` makes fixes.
    """
    selected = ("--select", code) if code else ()
    arguments = [*chosen(version), *selected, "--", *map(roots.argument, paths)]
    ran = await command(ctx, "check", "--output-format", "json", *arguments, cwd=roots.first)
    found = (item for item in ran.json if item["code"] is not None)  # the others are among the notices
    items = (_finding(item, roots) for item in found)
    return Findings(**findings_answer(items, offset, limit, ran.notices)).answer()


def _finding(item: dict[str, Any], roots: Roots) -> dict[str, Any]:
    """What ``check`` prints of a finding, without what a model has no use for."""
    fix = item["fix"]
    return {
        "path": roots.shown(item["filename"]),
        "line": item["location"]["row"],
        "on_the_way": item["on_the_way"],
        "fix": fix["applicability"] if fix else None,
        "fix_title": fix["message"] if fix else None,
        **{name: item[name] for name in ("cell", "code", "severity", "message", "api")},
    }


async def explain(
    ctx: Context,
    name: Annotated[
        str,
        Field(
            description="Rule code, API, package, error code or device family: NPU110, flash-attn, EI0006."
        ),
    ],
    version: Version = None,
    offset: Offset = 0,
) -> Annotated[CallToolResult, TextPage]:
    """Explain a rule (with examples), an API, a package, a run-time error code or a device family.

    The name `constructs` lists what must change by construct, `constructs/device` has one of them.
    """
    if name == CONSTRUCTS:
        return _page(index(), offset)
    of_construct = page(name.removeprefix(f"{CONSTRUCTS}/"), Texts(settings_of(ctx).language))
    if name.startswith(f"{CONSTRUCTS}/") and of_construct is not None:
        return _page(of_construct, offset)
    ran = await command(ctx, "explain", *chosen(version), "--", name, hint=_UNKNOWN)
    return _page(ran.out, offset)


async def facts(
    ctx: Context,
    api: Annotated[str, Field(description="Qualified name, such as torch.cuda.empty_cache.")],
    version: Version = None,
    hardware: Hardware = None,
) -> Annotated[CallToolResult, ApiFacts]:
    """Look an API up: support on the NPU, its counterpart, the signature, and the rules about it.

    Never invent a torch_npu name: look it up here first; `exists` says whether the release has it.
    """
    try:
        ran = await command(ctx, "explain", "--json", *chosen(version, hardware), "--", api, hint=_UNKNOWN)
    except ToolError:
        release = _release(version)
        if not api.startswith(_NPU_ROOTS) or release is None:
            raise
        return _unknown(api, release, hardware).answer()
    found: dict[str, Any] = ran.json
    if found["kind"] == "api":
        return _api(found).answer()
    if "advice" in found:  # of a CUDA operator
        said = [found["advice"], found["source"]]
    else:
        text = await command(ctx, "explain", *chosen(version, hardware), "--", api)
        said = [text.out.strip()]
    return (
        _api_facts(api, found.get("version") or version or str(NEWEST), hardware)
        .model_copy(
            update={"signature": found.get("signature"), "instead": [clipped(line, _SAID) for line in said]}
        )
        .answer()
    )


def _api_facts(name: str, version: str, hardware: str | None) -> ApiFacts:
    """Facts of which nothing is filled in yet."""
    return ApiFacts(
        name=name,
        version=version,
        hardware=hardware or next(iter(Families)).value,
        exists=None,
        status="unknown",
        signature=None,
        counterpart=None,
        instead=[],
        support=[],
        rules=[],
        close_names=[],
    )


def _unknown(name: str, version: Release, hardware: str | None) -> ApiFacts:
    """Facts of a name that torch_npu does not have in any release."""
    close = close_names(name, version)
    return _api_facts(name, str(version), hardware).model_copy(update={"exists": False, "close_names": close})


def _release(version: str | None) -> Release | None:
    try:
        return choose_version(version).version if version else NEWEST
    except UnknownVersionError:
        return None


def _api(found: dict[str, Any]) -> ApiFacts:
    name, version = found["name"], found["version"]
    exists = version in found["npu_versions"] if name.startswith(_NPU_ROOTS) else None
    known = exists is not False
    return ApiFacts(
        name=name,
        version=version,
        hardware=found["hardware"],
        exists=exists,
        status=found["status"],
        signature=found["signature"],
        counterpart=found["counterpart"],
        instead=found["said"],
        support=_by_release(found["support"]),
        rules=found["rules"],
        close_names=[] if known else close_names(name, choose_version(version).version),
    )


def _by_release(ranges: list[dict[str, str]]) -> list[str]:
    """A line for each range of releases of which the tables say the same; none where they say nothing."""
    lines, is_said = [], False
    for item in ranges:
        versions, *families = item.items()
        lines.append(f"{versions[1]}: {', '.join(f'{family} {status}' for family, status in families)}")
        is_said |= any(status != "unknown" for _, status in families)
    return lines if is_said else []


async def doctor_log(
    ctx: Context,
    text: Annotated[str, Field(description="The end of a training log, with the traceback.")],
    offset: Offset = 0,
) -> Annotated[CallToolResult, TextPage]:
    """Explain the failures in the text of a training log: cause, remedy, next command."""
    with scratch_folder() as directory:
        log = Path(directory, "log.txt")
        log.write_text(text, encoding="utf-8", errors="replace")
        ran = await command(ctx, "doctor", "--log", log, cwd=NOWHERE)
    return _page(ran.out.replace(str(log), "log"), offset)


def _page(text: str, offset: int) -> CallToolResult:
    return TextPage(**text_answer(text, offset)).answer()
