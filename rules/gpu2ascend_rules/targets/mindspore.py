"""MindSpore, for projects that must run without PyTorch."""

from __future__ import annotations

from ..facts.packages.with_tensors import WITH_TENSORS_OF_TORCH
from ..model.finding import Message
from ..model.versions import NEWEST, Version
from .target import Target, own_texts


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
    texts=own_texts("mindspore", "cli.migrate.preview_complete", "cli.migrate.preview_incomplete"),
    explains=_explained,
)  # fmt: skip
