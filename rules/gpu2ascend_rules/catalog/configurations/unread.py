"""NPU1204: configurations that could not be parsed."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Family, Rule, on
from ...kinds.settings.places import Unread
from ...model.finding import UNDECIDED, Finding, Severity


class SettingUnread(Rule):
    """A configuration that names a device or back end could not be parsed.

    What it does: Reports the first such value. The file is left unchanged.

    Why it matters on the NPU: The value may override the default of the migrated code.

    Example: ``device: cuda`` in a Jinja template.

    Use instead: check the values in the file, and the program that fills in the template.
    """

    code = "NPU1204"
    name = "setting-unread"
    family = Family.CONFIGURATIONS
    words = ("cuda", "nccl", "multi_gpu")
    example_path = "config.yaml"
    examples = (
        Example("{% if gpu %}\ndevice: cuda\n{% endif %}\n"),
        Example('{"device": "cuda", "cards": ${CARDS}}\n', path="config.json"),
        Example.unchanged("{% if gpu %}\ndevice: cpu\n# cuda kernels\n{% endif %}\n"),
    )

    @on.place(Unread)
    def left(self, place: Unread, ctx: PlaceContext) -> Iterator[Finding]:
        yield self.report(place, "left", Severity.INFORMATION, kind=UNDECIDED, value=place.value)
