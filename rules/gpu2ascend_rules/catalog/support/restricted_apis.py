"""NPU006: APIs that a support list restricts, where the place does not show whether that matters.

Most operators take some data types only, and mostly the right ones are given to them. So this is no
diagnostic but a line in a report, unless the user asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import MemberRef, NameRef
from ...engine.rule import Example, Rule, on
from ...engine.support_listed import listed_api
from ...facts import SupportStatus
from ...facts.packed.rows import Dtypes
from ...facts.reliability import limits_matter
from ...model.finding import Finding, Severity
from ...receivers.residence import of_device_calls, of_device_members
from ...text.names import Certainty
from ...text.syntax import is_base_class
from .api_support import listed_member

_ON_REQUEST = (("restricted_apis", True),)


class RestrictedApi(Rule):
    """An API is used that the support list restricts.

    What it does: Only with the option ``--restricted-apis``, and in the report of a migration: lists
    functions, classes and methods that are called and that the support list of the version restricts on the
    hardware, mostly to some data types, with the data types that it names. Lists that only say with which
    data types an API was tested do not count. If the data type is evident, NPU005 reports it.

    Why it matters on the NPU: With another data type the call fails, or runs on the CPU.

    Example: ``torch.matmul(x, w)``, if nothing shows the data type of ``x``.

    Use instead: nothing, if the data type is one of those named.
    """

    code = "NPU006"
    examples = (
        Example("import torch\ny = torch.matmul(x, w)\n", settings=_ON_REQUEST),
        Example("import torch\ndef f(x: torch.Tensor):\n    return x.matmul(x)\n", settings=_ON_REQUEST),
        Example("import torch\ny = torch.nn.functional.pad(x, (1, 1))\n", settings=_ON_REQUEST),
        Example.unchanged("import torch\ny = torch.matmul(x, w)\n"),
        Example.unchanged("import torch\nis_one = isinstance(m, torch.nn.Conv2d)\n", settings=_ON_REQUEST),
    )

    @on.support_listed_name("restricted")
    def use(self, ref: NameRef, ctx: Context) -> Iterator[Finding]:
        if (ref.call is None and not is_base_class(ref.node)) or ref.certainty is Certainty.AMBIGUOUS:
            return
        api = listed_api(ref, ctx.facts)
        if api is not None:
            yield from of_device_calls(self._found_at(api.name, api.node, ctx), ref, ctx)

    @on.support_listed_member("restricted")
    def member(self, ref: MemberRef, ctx: Context) -> Iterator[Finding]:
        found = listed_member(ref, ctx) if ref.call is not None else None
        if found is not None and found.status is SupportStatus.RESTRICTED:
            yield from of_device_members(self._found_at(found.api, found.node, ctx), ref, ctx)

    def _found_at(self, api: str, node: Node, ctx: Context) -> Iterator[Finding]:
        row = ctx.facts.row(api)
        if row is None or not limits_matter(api, ctx.facts):
            return
        dtypes = row.dtypes_on(ctx.facts.hardware)
        arguments: dict[str, Any] = {"dtypes": _listed(dtypes)} if dtypes else {}
        yield self.report(
            node,
            "dtypes" if dtypes else "restricted",
            Severity.INFORMATION,
            api=api,
            kind="restricted",
            version=ctx.version,
            hardware=ctx.options.hardware.shown,
            **arguments,
        )


def _listed(dtypes: Dtypes) -> str:
    """``float16, float32``; by parameter where these differ."""
    if len(set(dtypes.values())) == 1:
        return ", ".join(next(iter(dtypes.values())))
    return "; ".join(f"{name}: {', '.join(kinds)}" for name, kinds in dtypes.items())
