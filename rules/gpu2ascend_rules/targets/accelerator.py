"""Code that asks torch for the machine's accelerator, whichever it is, and runs without one."""

from __future__ import annotations

from ..model.finding import Message
from ..model.versions import NEWEST, SUPPORTED_VERSIONS, Version
from .target import Target

FIRST = Version(2, 6)
"""The first release with ``torch.accelerator``."""
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
)
"""Texts that speak of the NPU where they are not this target's: the usual one, and how the other begins."""


def _explained(name: str, version: Version | None) -> tuple[Message, ...]:
    from ..facts.releases.neutral import explained  # the table is not needed where nobody asks

    return explained(name, version)


TARGET = Target(
    name="accelerator",
    codes=("ACC",),
    flags=("--target", "accelerator"),
    suffix="_accelerator",
    versions=tuple(version for version in SUPPORTED_VERSIONS if version >= FIRST),
    default_version=NEWEST,
    without_options=frozenset(
        {
            "auto", "api_style", "replace_unsupported", "from_cpu", "specify_device", "distributed",
            "launcher", "amp_transplant", "enable_amp", "hardware", "image", "mindspore_version",
            "mindspore_api", "graph",
        }
    ),
    sets_environment=False,
    steps=("blockers", "others", "launch"),
    texts=tuple((usual, f"{own}-neutral") for usual, own in _TEXTS),
    explains=_explained,
)  # fmt: skip
