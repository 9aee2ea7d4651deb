"""What the tools answer: data with a schema for programs, and the same as text for models."""

from __future__ import annotations

from typing import Literal

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict, Field

from gpu2ascend_rules.messages.visible import visible

Severity = Literal["error", "warning", "information", "hint"]


class Result(BaseModel):
    """What a tool answers."""

    model_config = ConfigDict(extra="forbid")

    def text(self) -> str:
        """The same for a model to read."""
        raise NotImplementedError

    def answer(self) -> CallToolResult:
        """The result as it is sent."""
        text = self.text().replace("\r\n", "\n")  # the line ends of a file are no characters to read
        content = TextContent(type="text", text=visible(text, keep="\n\t"))
        return CallToolResult(content=[content], structured_content=self.model_dump(mode="json"))


class Paged(Result):
    """A result that may have more than fits into one answer."""

    next_offset: int | None = Field(
        description="Call again with this `offset` for the rest; null after the last."
    )

    def going_on(self) -> str:
        """The line that says how to get the rest."""
        if self.next_offset is None:
            return ""
        return f"\n(there is more: call again with offset={self.next_offset})"


class TextPage(Paged):
    """A piece of a text."""

    page: str = Field(description="The text, or a piece of it that ends at a line.")

    def text(self) -> str:
        """The same for a model to read."""
        return self.page + self.going_on()


class Finding(BaseModel):
    """Something that is not right on an NPU."""

    path: str = Field(description="Relative to the first root.")
    line: int = Field(description="From 1; of a notebook, in the cell.")
    cell: int | None = Field(description="Of a notebook: the cell, from 1.")
    code: str = Field(description="The rule; `explain` says more.")
    severity: Severity
    message: str
    api: str | None = Field(description="The qualified name that it is about; `facts` says more.")
    on_the_way: bool = Field(description="Whether a program that trains reaches the file.")
    fix: Literal["safe", "unsafe"] | None = Field(
        description="Whether `fix` can change it; unsafe ones need `unsafe: true`. Null: edit by hand."
    )
    fix_title: str | None = Field(description="What the fix does.")

    def line_of_text(self) -> str:
        """One line."""
        place = f"{self.path}:{self.line}" if self.cell is None else f"{self.path}[{self.cell}]:{self.line}"
        reach = "" if self.on_the_way else " (no training reaches it)"
        fix = f" [{self.fix} fix: {self.fix_title}]" if self.fix else ""
        return f"{place}: {self.severity} {self.code} {self.message}{reach}{fix}"


class Counts(BaseModel):
    """How many findings there are of each severity, all pages together."""

    error: int = Field(description="Fails on the NPU, or is silently wrong.")
    warning: int = Field(description="Fails until its safe fix is made, or runs on the CPU or slowly.")
    information: int = Field(description="Restricted, or for someone who knows the project to decide.")
    hint: int = Field(description="Runs; would be better otherwise.")


class Findings(Paged):
    """What a check found, those on the way of the training first, the gravest first."""

    counts: Counts
    total: int = Field(description="Findings on all pages.")
    findings: list[Finding]
    notices: str = Field(description="What else was said: the version, files not read, what is silenced.")

    def text(self) -> str:
        """The same for a model to read."""
        counted = ", ".join(f"{name}: {count}" for name, count in self.counts.model_dump().items())
        lines = [f"findings: {self.total} ({counted})", *(item.line_of_text() for item in self.findings)]
        return "\n".join([*lines, *([self.notices] if self.notices else [])]) + self.going_on()


class Diff(Paged):
    """What a migration or a fix changes, or has changed."""

    files: list[str] = Field(description="The first changed files.")
    total_files: int = Field(description="Changed files.")
    diff: str = Field(description="A unified diff, or a piece of it that ends at a line.")
    is_written: bool = Field(description="Whether the files were changed; false for a diff only.")
    notices: str = Field(description="What else was said, such as what is left.")

    def text(self) -> str:
        """The same for a model to read."""
        state = "changed" if self.is_written else "would change (nothing was written)"
        if not self.total_files:
            head = "Nothing was changed." if self.is_written else "Nothing would change."
        else:
            more = ", …" if self.total_files > len(self.files) else ""
            head = f"{state}: {self.total_files} files: {', '.join(self.files)}{more}"
        return "\n".join(part for part in (head, self.notices, self.diff) if part) + self.going_on()


class Migration(Diff):
    """What a migration changes, or the project that it wrote."""

    output: str | None = Field(description="With write: the migrated project, relative to the first root.")
    is_ready: bool = Field(description="Whether nothing is known that prevents the training.")

    def text(self) -> str:
        """The same for a model to read."""
        if self.output is None:
            return super().text()
        then = "verify, and what_is_left for what is to decide," if self.is_ready else "what_is_left"
        return f"written: {self.output}\n{self.notices}\n(next: {then} with project={self.output})"


class Counterpart(BaseModel):
    """What stands for a name on the NPU."""

    name: str
    relation: str = Field(description="renamed, same_name: the same meaning; similar: read its page.")


class ApiFacts(Result):
    """What the tables have of an API."""

    name: str = Field(description="The qualified name that was meant.")
    version: str = Field(description="The PyTorch release that this is about.")
    hardware: str
    exists: bool | None = Field(
        description="Of a name of torch_npu: whether the release has it. Write no name that does not exist."
    )
    status: str = Field(
        description="supported, unsupported, restricted, fallback_cpu, or unknown (not listed)."
    )
    signature: str | None = Field(description="The exact signature of the name, or of what replaces it.")
    counterpart: Counterpart | None
    instead: list[str] = Field(description="What takes its place, how that differs, and its limits.")
    support: list[str] = Field(description="The status by releases and device families.")
    rules: list[str] = Field(description="The rules that look at it: `explain` each.")
    close_names: list[str] = Field(description="Of a name that is not known: names that might be meant.")

    def text(self) -> str:
        """The same for a model to read."""
        lines = [f"{self.name}: {self.status} (PyTorch {self.version}, {self.hardware})"]
        if self.exists is not None:
            lines.append(f"exists in torch_npu for {self.version}: {'yes' if self.exists else 'NO'}")
        if self.counterpart is not None:
            lines.append(f"counterpart: {self.counterpart.name} ({self.counterpart.relation})")
        lines += [f"signature: {self.signature}"] if self.signature else []
        lines += self.instead
        lines += ["support by release:", *self.support] if self.support else []
        lines += [f"rules: {', '.join(self.rules)}"] if self.rules else []
        lines += [f"did you mean: {', '.join(self.close_names)}"] if self.close_names else []
        return "\n".join(lines)


class Place(BaseModel):
    """A line with something to do."""

    path: str = Field(description="Relative to the migrated project.")
    line: int = Field(description="From 1; of a notebook, in the cell.")
    cell: int | None = Field(description="Of a notebook: the cell, from 1.")
    code: str = Field(description="The line without its indentation.")

    def line_of_text(self) -> str:
        """One line."""
        place = f"{self.path}:{self.line}" if self.cell is None else f"{self.path}[{self.cell}]:{self.line}"
        return f"  {place}: {self.code}" if self.code else f"  {place}"


class ShortItem(BaseModel):
    """An order that is named only."""

    id: str
    title: str


class Unread(BaseModel):
    """A file that could not be examined."""

    path: str
    reason: str


class Failure(BaseModel):
    """What broke first."""

    error: str = Field(description="The exception and its text.")
    place: str | None = Field(description="path:line in the project.")
    fault: str | None = Field(
        description="migration: the original goes further; project: it fails alike; environment: something "
        "is missing on this machine; emulation: a real NPU has it. Null: nothing shows it."
    )
    explanation: list[str] = Field(description="The cause, the remedy, and rules at the place.")

    def lines_of_text(self) -> list[str]:
        """The failure for a model to read."""
        place = f"{self.place}: " if self.place else ""
        fault = f" (fault: {self.fault})" if self.fault else ""
        return [f"{place}{self.error}{fault}", *(f"  {line}" for line in self.explanation)]


_NEXT: dict[str | None, str] = {
    "environment": "change no code for this; ask the user to install what is missing where the run takes "
    "place, or to start the server with --python PYTHON, an interpreter that has it",
    "project": "the original fails alike: tell the user; what a migration changes does not help",
    "emulation": "a real NPU has it: tell the user that this cannot be verified here",
    "migration": "mend this place only, then verify again",
    None: "mend the first error only, then verify again",
}
"""What to do after a failure, by whose fault it is."""


class Verified(Result):
    """How a run on the emulated NPU ended."""

    passed: bool = Field(description="Whether the steps were made that were asked for.")
    ending: str
    steps_asked: int
    steps_done: int
    losses: list[float | None] = Field(description="Of the first rank: those of the first steps.")
    failure: Failure | None = Field(
        description="The first error with its explanation; null where there is none."
    )
    differs_at: int | None = Field(
        description="With `original`: the first loss, from 0, that differs from that of the original."
    )
    report: str = Field(description="What the run showed, or its beginning.")

    def text(self) -> str:
        """The same for a model to read."""
        state = "passed" if self.passed else f"FAILED ({self.ending})"
        lines = [f"{state}: {self.steps_done} of {self.steps_asked} steps"]
        if self.differs_at is not None:
            lines.append(f"losses differ from those of the original from loss {self.differs_at} on")
        if self.failure is not None:
            lines += self.failure.lines_of_text()
        return "\n".join([*lines, self.report, f"(next: {self._next()})"])

    def _next(self) -> str:
        if self.passed:
            return "report what was migrated, what you edited and what is left"
        if self.failure is None and self.steps_done >= self.steps_asked:
            return "the run made its steps: what is said of the original is what to mend or to leave out"
        return _NEXT.get(self.failure.fault if self.failure is not None else None, _NEXT[None])
