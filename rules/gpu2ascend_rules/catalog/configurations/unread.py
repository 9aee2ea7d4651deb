"""NPU1204: configurations that could not be parsed, and code in them that is not examined."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...kinds.kind import Place, WholeText
from ...kinds.settings import Setting, Unread
from ...kinds.shell.places import Command
from ...model.finding import UNDECIDED, Finding, Severity

_IMPORT = re.compile(rb"^[ \t]*import torch\b", re.M)
_CODE = re.compile(rb"\btorch\.cuda\.\w+|\btorch\.device\(\s*[\"']cuda")


class SettingUnread(Rule):
    """A configuration that names a device or back end could not be parsed, or has code of Python.

    What it does: Reports the first such value of a file that could not be parsed, and the first use of
    ``torch.cuda`` in the text of a value, which is not examined. Both are left unchanged.

    Why it matters on the NPU: The value may override the default of the migrated code; the code fails.

    Example: ``device: cuda`` in a Jinja template.

    Use instead: check the values in the file, and the program that fills in the template.
    """

    code = "NPU1204"
    words = ("cuda", "nccl", "multi_gpu", "nvidia.com/gpu")
    example_path = "config.yaml"
    examples = (
        Example("{% if gpu %}\ndevice: cuda\n{% endif %}\n"),
        Example('{"device": "cuda", "cards": ${CARDS}}\n', path="config.json"),
        Example("{{- if .gpu }}\nlimits:\n  nvidia.com/gpu: 1\n{{- end }}\n", path="pod.yaml"),
        Example("command:\n- python\n- -c\n- |\n  import torch\n  torch.cuda.set_device(0)\n", path="j.yaml"),
        Example.unchanged("{% if gpu %}\ndevice: cpu\n# cuda kernels\n{% endif %}\n"),
    )

    @on.place(Unread)
    def left(self, place: Unread, ctx: PlaceContext) -> Iterator[Finding]:
        yield self.report(place, "left", Severity.INFORMATION, kind=UNDECIDED, value=place.value)

    @on.place(WholeText)
    def of_python(self, place: WholeText, ctx: PlaceContext) -> Iterator[Finding]:
        if Setting not in ctx.file.kind.places or Command in ctx.file.kind.places:
            return
        imported = _IMPORT.search(ctx.file.data)
        match = _CODE.search(ctx.file.data, imported.end()) if imported is not None else None
        if match is not None and ctx.file.comment_at(*match.span()) is None:
            yield self.report(Place(*match.span()), "code", Severity.WARNING, value=match[0].decode())
