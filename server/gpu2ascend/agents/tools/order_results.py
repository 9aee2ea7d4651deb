"""What the tool for work orders answers."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from .results import Paged, Place, Severity, ShortItem, Unread


class Order(BaseModel):
    """One thing to do, at one or more places."""

    id: str = Field(description="The same in every run.")
    code: str = Field(description="The rule; `explain` says more.")
    title: str
    severity: Severity
    effort: Literal["low", "medium", "high"]
    on_the_way: bool = Field(description="Whether a program that trains reaches a place of it.")
    message: str = Field(description="What the rule says at the first place.")
    api: str | None = Field(description="The qualified name that it is about.")
    why: str = Field(description="Why it matters on the NPU.")
    known: list[str] = Field(description="What the tables have of the API for the version and the hardware.")
    write: str = Field(description="What to write instead.")
    fix: str | None = Field(
        description="The command that makes the offered fixes: the tool `fix` does the same."
    )
    check: str = Field(
        description="The command that ends with 0 once it is done; `what_is_left` runs it, too."
    )
    total: int = Field(description="Places; `order` with the id lists all.")
    places: list[Place] = Field(description="The first places.")

    def lines_of_text(self) -> list[str]:
        """The order for a model to read."""
        way = "on the way of the training" if self.on_the_way else "no training reaches it"
        lines = [f"## {self.id}: {self.title}", f"{self.severity}, effort {self.effort}, {way}", self.message]
        lines += [f"why: {self.why}"] if self.why else []
        lines += self.known
        lines += [f"write: {self.write}"] if self.write else []
        lines += [f"places ({self.total}):", *(place.line_of_text() for place in self.places)]
        lines += [f"  … order={self.id} lists all"] if self.total > len(self.places) else []
        lines += [f"fix: {self.fix}"] if self.fix else []
        return [*lines, f"done when this ends with 0: {self.check}"]


class Orders(Paged):
    """What is left of a migrated project, the gravest on the way of the training first.

    The offset is one of orders; where one order is asked for, one of its places.
    """

    version: str = Field(description="The PyTorch release that the project was made for.")
    hardware: str
    total: int = Field(description="Orders that are left, on all pages.")
    orders: list[Order]
    done: list[ShortItem] = Field(
        description="Orders of the migration that are left no more; the first ones."
    )
    total_done: int
    not_examined: list[Unread] = Field(
        description="Files in which nobody knows what is left; the first ones."
    )
    total_not_examined: int

    def text(self) -> str:
        """The same for a model to read."""
        counts = (
            f"orders left: {self.total}, done: {self.total_done}, not examined: {self.total_not_examined}"
        )
        lines = [f"PyTorch {self.version} on {self.hardware}. {counts}"]
        lines += [f"not examined: {item.path}: {item.reason}" for item in self.not_examined]
        for order in self.orders:
            lines += ["", *order.lines_of_text()]
        if not self.total and not self.total_not_examined:
            lines.append("Nothing is left. Call verify.")
        return "\n".join(lines) + self.going_on()
