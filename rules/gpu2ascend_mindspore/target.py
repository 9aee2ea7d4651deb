"""MindSpore, for projects that must run without PyTorch: what the entry point names."""

from __future__ import annotations

from pathlib import Path

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.versions import NEWEST, Version
from gpu2ascend_rules.options.choices import MINDSPORE_RELEASES
from gpu2ascend_rules.targets.target import Target, own_texts

from .helpers import MINDSPORE
from .with_tensors import WITH_TENSORS_OF_TORCH


def _explained(name: str, version: Version | None) -> tuple[Message, ...]:
    from .correspondences.table import explained  # the table is not needed where nobody asks

    return explained(name)


TARGET = Target(
    name="mindspore",
    codes=("MS",),
    rules=(f"{__package__}.catalog",),
    catalogues=str(Path(__file__).parent / "messages"),
    flags=("--target", "mindspore"),
    suffix="_x2ms",
    distributed_suffix="_x2ms_multi",
    default_version=NEWEST,
    version_option="mindspore_version",
    releases=MINDSPORE_RELEASES,
    log_name="x2mindspore.log",
    paths_package="x2ms_adapter.modelarts",
    helpers=MINDSPORE,
    shapes_prefix="x2ms",
    tables=("change_list", "supported_api", "unsupported_api", "custom_supported_api", "deleted_api"),
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
    texts=own_texts("mindspore", "cli.migrate.preview_complete", "cli.migrate.preview_incomplete"),
    explains=_explained,
)  # fmt: skip
