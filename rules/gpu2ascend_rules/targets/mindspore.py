"""MindSpore, for projects that must run without PyTorch."""

from __future__ import annotations

from ..facts.packages.with_tensors import WITH_TENSORS_OF_TORCH
from ..model.finding import Message
from ..model.versions import NEWEST, Version
from .target import Target

_TEXTS = (
    ("report.title", "report.title"),
    ("report.subject", "report.subject"),
    ("report.made-for", "report.made-for"),
    ("report.verdict-blocked", "report.verdict"),
    ("report.not-run", "report.not-run"),
    ("report.step-start-text", "report.step-start"),
    ("report.step-others-text", "report.step-others"),
    ("report.severity-error-text", "report.severity-error"),
    ("report.severity-information-text", "report.severity-information"),
    ("report.apis-text", "report.apis-text"),
    ("project.log-start", "project.log-start"),
    ("cli.migrate.complete", "cli.migrate.complete"),
    ("cli.migrate.incomplete", "cli.migrate.incomplete"),
    ("cli.migrate.preview_complete", "cli.migrate.preview_complete"),
    ("cli.migrate.preview_incomplete", "cli.migrate.preview_incomplete"),
)
"""Texts that speak of the NPU where they are not this target's: the usual one, and how the other begins."""


def _explained(name: str, version: Version | None) -> tuple[Message, ...]:
    from ..correspondences.mindspore import explained  # the table is not needed where nobody asks

    return explained(name)


TARGET = Target(
    name="mindspore",
    codes=("MS",),
    flags=("--target", "mindspore"),
    suffix="_x2ms",
    distributed_suffix="_x2ms_multi",
    default_version=NEWEST,
    version_option="mindspore_version",
    releases=(Version(2, 7), Version(2, 8), Version(2, 9), Version(2, 10)),
    log_name="x2mindspore.log",
    paths_package="x2ms_adapter.modelarts",
    helpers_package="x2ms_helpers",
    shapes_prefix="x2ms",
    tables=("change_list", "supported_api", "unsupported_api", "custom_supported_api", "deleted_api"),
    looks_widely=True,
    stops_at=WITH_TENSORS_OF_TORCH,
    not_beside="mindspore",
    without_options=frozenset(
        {
            "auto", "api_style", "replace_unsupported", "from_cpu", "specify_device", "launcher", "nnodes",
            "target_model", "amp_transplant", "enable_amp", "hardware", "image",
        }
    ),
    starts_by_msrun=True,
    is_simulated=False,
    sets_environment=False,
    steps=("blockers", "others", "launch"),
    texts=tuple((usual, f"{own}-mindspore") for usual, own in _TEXTS),
    explains=_explained,
)  # fmt: skip
