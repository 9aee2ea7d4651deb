"""Sized kernels as texts and as plain data, for every front end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...texts.catalogue import Texts
from ..paths import shown
from ..report.html.model import KernelChapter, KernelRow
from .model import SizedKernel, total_of

_SHOWN_CALLERS = 3


def kernel_chapter(kernels: Sequence[SizedKernel], texts: Texts) -> KernelChapter:
    """What a report says of kernels: a row for each, and the total."""
    return KernelChapter(tuple(_row(item, texts) for item in kernels), total_text(kernels, texts))


def total_text(kernels: Sequence[SizedKernel], texts: Texts) -> str:
    """The sums, and that they are estimates."""
    total = total_of(tuple(kernels))
    counts = ", ".join(f"{effort}: {count}" for effort, count in total.by_effort if count)
    return texts(
        "kernel.total", kernels=total.kernels, lines=total.lines, counts=counts, low=f"{total.low:g}",
        high=f"{total.high:g}", guarded=total.with_fallback,
    )  # fmt: skip


def _row(item: SizedKernel, texts: Texts) -> KernelRow:
    callers = [f"{shown(caller.path)}:{caller.line}" for caller in item.callers[:_SHOWN_CALLERS]]
    callers += ["…"] if len(item.callers) > _SHOWN_CALLERS else []
    name = texts("kernel.macro", name=item.name) if item.is_macro else item.name
    made_of = ", ".join(texts(f"kernel.feature.{name}") for name in item.features)
    return KernelRow(
        place=f"{shown(item.path)}:{item.first_line}",
        name=name,
        lines=item.lines,
        made_of=made_of or texts("kernel.no-feature"),
        callers=", ".join(callers) or texts("kernel.no-caller"),
        effort=texts("kernel.effort", effort=item.effort, low=f"{item.low:g}", high=f"{item.high:g}"),
        way=texts(f"kernel.way.{item.way}") + (f" {texts('kernel.guarded')}" if item.has_fallback else ""),
    )


def kernel_data(kernels: Sequence[SizedKernel], texts: Texts) -> dict[str, Any]:
    """The same as plain data."""
    total = total_of(tuple(kernels))
    return {
        "kernels": [
            {
                **item._asdict(),
                "path": shown(item.path),
                "lines": item.lines,
                "callers": [caller._asdict() for caller in item.callers],
                "advice": texts(f"kernel.way.{item.way}"),
            }
            for item in kernels
        ],
        "total": {**total._asdict(), "by_effort": dict(total.by_effort)},
    }
