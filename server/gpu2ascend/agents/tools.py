"""The tools: each is a command of the command line, with what it prints cut to size."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field

from .commands import Ran, command
from .roots import Roots, roots_of
from .shaping import page_of_items, page_of_text

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
RUNS = ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True)

Version = Annotated[
    str | None,
    Field(description="PyTorch release, such as 2.8.0. Without it: that of the project, else the newest."),
]
Offset = Annotated[int, Field(ge=0, description="Where to go on: next_offset of the answer before.")]
Limit = Annotated[int, Field(ge=1, le=200, description="Items in this answer.")]
Code = Annotated[
    str | None, Field(description="Only this rule: a code such as NPU110, or the beginning of codes.")
]


_NOTICES = 2_000
"""Characters."""
NOWHERE = Path(__file__).parent
"""Where a command runs that reads no project: no settings of one may count."""


class Consent(BaseModel):
    """What the user is asked before a project's code runs."""

    run: bool = Field(description="Run the project's code on this machine")


class Tools:
    """The tools of one server."""

    def __init__(self, roots: tuple[Path, ...], *, allows_runs: bool) -> None:
        """
        Args:
            roots: Directories of the command line; without one, the client's count.
            allows_runs: Whether ``verify`` may run a project without asking.
        """
        self._given = roots
        self._allows_runs = allows_runs

    def register(self, server: MCPServer) -> None:
        """Add every tool to a server."""
        for method, title, kind in (
            (self.check, "Find what does not run on an NPU", READS),
            (self.explain, "Explain a rule, API, package or error code", READS),
            (self.facts, "Support of an API on NPUs", READS),
            (self.doctor_log, "Explain the failures in a training log", READS),
            (self.what_is_left, "What is left to do by hand", READS),
            (self.migrate, "Migrate a project", WRITES),
            (self.fix, "Make the fixes of one rule", WRITES),
            (self.verify, "Run a migrated project on an emulated NPU", RUNS),
        ):
            server.add_tool(method, title=title, annotations=kind)

    async def check(
        self,
        ctx: Context,
        paths: Annotated[list[str], Field(min_length=1, description="Files or directories in the roots.")],
        version: Version = None,
        code: Code = None,
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> dict[str, Any]:
        """Find CUDA and NPU-unsupported APIs, with severity, message and fix. Nothing is changed.

        Errors on the way of the training come first. `explain` says more of a code; `fix` makes fixes.
        """
        roots = await roots_of(ctx, self._given)
        selected = ("--select", code) if code else ()
        arguments = [*_version(version), *selected, "--", *map(roots.argument, paths)]
        ran = await command("check", "--output-format", "json", *arguments, cwd=roots.first)
        found = sorted((_short(item, roots) for item in ran.json), key=_gravity)
        counts = {name: sum(item["severity"] == name for item in found) for name in _SEVERITIES}
        return {
            "counts": counts,
            **page_of_items("findings", found, offset, limit),
            "notices": _notices(ran),
        }

    async def explain(
        self,
        name: Annotated[
            str,
            Field(description="Rule code, API, package, error code, device family or topic: NPU110, EI0006."),
        ],
        version: Version = None,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """Explain a rule (with examples), an API, a package, a run-time error code or a topic."""
        ran = await command("explain", *_version(version), "--", name, cwd=NOWHERE)
        return page_of_text(ran.out, offset)

    async def facts(
        self,
        api: Annotated[str, Field(description="Qualified name, such as torch.cuda.empty_cache.")],
        version: Version = None,
        hardware: Annotated[str | None, Field(description="Device family: A2, A3, 950DT, 910A.")] = None,
    ) -> dict[str, Any]:
        """Look an API up: support on the NPU in a release, its counterpart, and the rules about it.

        Never invent a torch_npu name: look it up here first; npu_versions lists the releases that have it.
        """
        chosen = ("--hardware", hardware) if hardware else ()
        arguments = ("--json", *_version(version), *chosen, "--", api)
        ran = await command("explain", *arguments, cwd=NOWHERE)
        page: dict[str, Any] = ran.json
        page.pop("matrix", None)
        if page["name"].startswith("torch_npu."):
            page["exists"] = bool(page["npu_versions"])
        return page

    async def doctor_log(
        self, text: Annotated[str, Field(description="The end of a training log.")]
    ) -> dict[str, Any]:
        """Explain the failures in the text of a training log: cause, remedy, next command."""
        with TemporaryDirectory(prefix="gpu2ascend-") as directory:
            log = Path(directory, "log.txt")
            log.write_text(text, encoding="utf-8", errors="replace")
            ran = await command("doctor", "--log", log, cwd=NOWHERE)
        return page_of_text(ran.out.replace(str(log), "log"), 0)

    async def what_is_left(
        self,
        ctx: Context,
        project: Annotated[str, Field(description="The migrated project.")],
        version: Version = None,
        offset: Offset = 0,
        limit: Annotated[int, Field(ge=1, le=20, description="Orders in this answer.")] = 3,
    ) -> dict[str, Any]:
        """List work orders for what a migration left, the next one first.

        An order has a title, why it matters, places with code, what is known of the API, what to write, and
        the command that ends with 0 once it is done. Edit, then ask again: done orders are gone.
        """
        roots = await roots_of(ctx, self._given)
        place = roots.argument(project)
        ran = await command(
            "handover", "--output-format", "json", *_version(version), "--", place, cwd=roots.first
        )
        document: dict[str, Any] = ran.json
        orders = document.pop("orders")
        return {**document, **page_of_items("orders", orders, offset, limit)}

    async def migrate(
        self,
        ctx: Context,
        project: Annotated[str, Field(description="The project's directory. It is only read.")],
        output: Annotated[
            str | None,
            Field(description="With write: a directory in the roots, outside of the project."),
        ] = None,
        version: Version = None,
        write: Annotated[bool, Field(description="False shows the diff; true writes the project.")] = False,
        replace: Annotated[bool, Field(description="Replace an earlier output of a migration.")] = False,
        unsafe: Annotated[bool, Field(description="Also make fixes that may change numerics.")] = False,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """Migrate a whole project from CUDA to the NPU: a diff first, files with `write: true`.

        The migrated project is output/NAME_msft, with MIGRATION.md and reports; ask `what_is_left` then.
        """
        roots = await roots_of(ctx, self._given)
        arguments: list[str | Path] = ["-i", roots.argument(project), *_version(version)]
        arguments += ["--unsafe"] if unsafe else []
        if not write:
            ran = await command("migrate", *arguments, "--diff", cwd=roots.first)
            return {**page_of_text(ran.out, offset), "summary": _notices(ran)}
        if output is None:
            raise ToolError("Name an output: a directory in the roots, outside of the project.")
        arguments += ["-o", roots.argument(output), *(["--force"] if replace else [])]
        ran = await command("migrate", *arguments, cwd=roots.first)
        return {**page_of_text(ran.out, offset), "is_complete": ran.code == 0, "notices": _notices(ran)}

    async def fix(
        self,
        ctx: Context,
        paths: Annotated[list[str], Field(min_length=1, description="Files or directories in the roots.")],
        code: Code = None,
        version: Version = None,
        unsafe: Annotated[bool, Field(description="Also make fixes that may change numerics.")] = False,
        write: Annotated[bool, Field(description="False shows the diff; true writes the files.")] = False,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """Make the fixes of one rule or of all in files: a diff first, files with `write: true`.

        A file that changed meanwhile is not replaced.
        """
        roots = await roots_of(ctx, self._given)
        arguments: list[str | Path] = [*_version(version), *(["--unsafe-fixes"] if unsafe else [])]
        arguments += ["--select", code] if code else []
        arguments += ["--fix" if write else "--diff", "--", *map(roots.argument, paths)]
        ran = await command("check", *arguments, cwd=roots.first)
        return {**page_of_text(ran.out, offset), "notices": _notices(ran)}

    async def verify(
        self,
        ctx: Context,
        project: Annotated[str, Field(description="The migrated project.")],
        arguments: Annotated[
            list[str], Field(min_length=1, description="What starts the training: train.py --epochs 1")
        ],
        steps: Annotated[int, Field(ge=1, le=100, description="Optimizer steps to see.")] = 3,
        offset: Offset = 0,
    ) -> dict[str, Any]:
        """Run a migrated project on an emulated NPU until it has made some steps; say what broke.

        This runs the project's code, and the first time installs packages. The user is asked first.
        """
        roots = await roots_of(ctx, self._given)
        place = roots.inside(project)
        if not self._allows_runs:
            await _require_consent(ctx, place, arguments)
        await ctx.report_progress(0, message="verify runs")
        ran = await command("verify", place, "--steps", str(steps), "--", *arguments, cwd=roots.first)
        return {**page_of_text(ran.out, offset), "passed": ran.code == 0, "notices": _notices(ran)}


_SEVERITIES = ("error", "warning", "information", "hint")


def _gravity(item: dict[str, Any]) -> tuple[bool, int]:
    return not item["on_the_way"], _SEVERITIES.index(item["severity"])


def _short(item: dict[str, Any], roots: Roots) -> dict[str, Any]:
    """What ``check`` prints of a finding, without what a model has no use for."""
    fix = item["fix"]
    kept = {name: item[name] for name in ("code", "severity", "message", "api", "on_the_way", "cell")}
    place = {"path": roots.shown(item["filename"]), "line": item["location"]["row"]}
    return {**place, **kept, "fix": {k: fix[k] for k in ("applicability", "message")} if fix else None}


def _notices(ran: Ran) -> str:
    """The end of what a command says beside its result."""
    return ran.err.strip()[-_NOTICES:]


def _version(version: str | None) -> tuple[str, ...]:
    return ("--version", version) if version else ()


async def _require_consent(ctx: Context, project: Path, arguments: list[str]) -> None:
    """Ask the user whether a project may be run.

    Raises:
        ToolError: the user does not want it, or the client cannot ask.
    """
    question = f"Run {' '.join(arguments)} in {project} on an emulated NPU? It executes the project's code."
    try:
        answer = await ctx.elicit(question, Consent)
    except Exception as error:  # a client that cannot ask answers in many ways
        raise ToolError(
            "verify runs the project's code, and the client cannot ask the user. Start the server with "
            "--allow-run, or run `gpu2ascend verify` in a terminal."
        ) from error
    if answer.action != "accept" or not answer.data.run:
        raise ToolError("The user does not want the project to run. `check` and `what_is_left` run nothing.")
