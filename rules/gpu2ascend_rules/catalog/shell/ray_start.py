"""NPU1019: nodes of Ray that are started with a number of GPUs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...engine.places.context import PlaceContext
from ...engine.rule import Example, Rule, on
from ...kinds.kind import Place, WholeText
from ...kinds.settings import Setting
from ...model.finding import Applicability, Edit, Finding, Severity

_STARTED = re.compile(
    rb"\bray[\"',\s]+start\b(?:[^\n;&|]|\\\r?\n)*?(?<=[\s\"'])"
    rb"(?P<option>--num-gpus(?:=|[ \t]+|[\"'][ \t]*,[ \t]*[\"'])(?P<number>\$\{?\w+\}?|\d+))"
)
_COMMAND = re.compile(rb"\bray\s+start\b")
_NUMBER = re.compile(rb"[1-9]\d*")


class RayStart(Rule):
    """A node of Ray is started with a number of GPUs.

    What it does: Writes the resource ``NPU`` for ``--num-gpus`` of ``ray start``, in scripts, container files
    and configurations, and reports ``num-gpus`` of KubeRay and the resource ``GPU`` of a cluster's nodes.

    Why it matters on the NPU: Ray believes the number: tasks that ask for a GPU start and fail, and those
    that ask for an NPU wait for ever where the number of NPUs is not found.

    Example: ``ray start --head --num-gpus 8``.

    Use instead: ``--resources='{"NPU":8}'``, or neither: Ray counts the NPUs of a node itself.
    """

    code = "NPU1019"
    words = ("num-gpus", "available_node_types")
    example_path = "start.sh"
    examples = (
        Example(
            "ray start --head --num-gpus 8 --block\n", "ray start --head --resources='{\"NPU\":8}' --block\n"
        ),
        Example("ray start --address=$A \\\n  --num-gpus=$N\n"),
        Example('CMD ["ray", "start", "--head", "--num-gpus", "8"]\n', path="Dockerfile"),
        Example("headGroupSpec:\n  rayStartParams:\n    num-gpus: '8'\n", path="cluster.yaml"),
        Example("available_node_types:\n  head:\n    resources: {CPU: 4, GPU: 8}\n", path="cluster.yaml"),
        Example(
            "head_start_ray_commands:\n  - ray start --head --num-gpus=8\n",
            "head_start_ray_commands:\n  - ray start --head --resources='{\"NPU\":8}'\n",
            path="cluster.yaml",
        ),
        Example.unchanged("# ray start --num-gpus 8\nray start --head --num-gpus 0\ntrain --num-gpus 8\n"),
        Example.unchanged("ray start --head --num-cpus 8 && python train.py --num-gpus 8\n"),
    )

    @on.place(WholeText)
    def started(self, place: WholeText, ctx: PlaceContext) -> Iterator[Finding]:
        data = ctx.file.data
        for match in _STARTED.finditer(data):
            at, number = match.span("option"), match["number"]
            if number == b"0" or ctx.file.comment_at(*at) is not None:
                continue
            line = data[data.rfind(b"\n", 0, at[0]) + 1 : at[0]]
            is_plain = _NUMBER.fullmatch(number) and b'"' not in line and b"'" not in line
            other = b"--resources" in data[match.start() : (data.find(b"\n", at[1]) + 1) or len(data)]
            fix = None
            if is_plain and not other and _COMMAND.match(match[0]) is not None:
                edit = Edit(*at, f"--resources='{{\"NPU\":{number.decode()}}}'")
                fix = self.fix(Applicability.SAFE, edits=[edit])
            yield self.report(Place(*at), "started", Severity.ERROR, fix=fix, number=number.decode())

    @on.place(Setting)
    def configured(self, place: Setting, ctx: PlaceContext) -> Iterator[Finding]:
        is_counted = place.key == "num-gpus" and "rayStartParams" in place.keys
        is_resource = place.keys[-2:] == ("resources", "GPU") and "available_node_types" in place.keys
        if (is_counted or is_resource) and place.value != "0":
            yield self.report(place, "started", Severity.ERROR, number=place.value)
