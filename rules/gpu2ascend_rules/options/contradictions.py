"""Options that do not go together."""

from __future__ import annotations

from ..model.finding import Message
from ..model.hardware import LAST_ON_910A, Hardware
from ..model.versions import Version
from .choices import Launcher
from .options import AMP_TRANSPLANT_BEFORE, MigrationOptions, OptionError, option_name

_FIRST_VERSIONS = {Launcher.TORCHRUN: Version(1, 10), Launcher.TORCH_NPU_RUN: Version(1, 11)}
"""The release that brought a launcher: torchrun (PyTorch), torch_npu_run (torch_npu)."""

NOT_OF_TARGET = "option.error.not_of_target"
"""That the chosen target has nothing for an option, which the text names."""


def refuse_contradictions(options: MigrationOptions) -> None:
    """Look at options beside each other; a front end calls this before a migration.

    Raises:
        OptionError: AMP transplant is asked for a version that needs none, or AMP for one that has none, or
            two options name different models, or the version lacks the launcher.
    """
    version = options.version
    _refuse_what_the_target_has_not(options)
    if options.hardware is Hardware.A910 and version is not None and version > LAST_ON_910A:
        reason = Message.of("option.error.hardware_version", version=version, last=LAST_ON_910A)
        raise OptionError("hardware", reason)
    if options.enable_amp:
        _refuse_amp(options)
    if options.amp_transplant and version is not None and version >= AMP_TRANSPLANT_BEFORE:
        raise OptionError("amp_transplant", Message.of("option.error.amp_version", version=version))
    if options.amp_transplant and options.distributed and options.amp_model != options.target_model:
        models = {"amp": options.amp_model, "distributed": options.target_model}
        raise OptionError("amp_model", Message.of("option.error.two_models", **models))
    if options.launcher is not None and options.distributed:  # alone it has no effect
        _refuse_launcher(options.launcher, version)


def _refuse_launcher(launcher: Launcher, version: Version | None) -> None:
    """A launcher needs the release that brought it. Raises OptionError: the version is older."""
    first = _FIRST_VERSIONS.get(launcher)
    if first is not None and version is not None and version < first:
        reason = Message.of(
            "option.error.launcher",
            launcher=launcher.value,
            first=f"{first.major}.{first.minor}",
            version=version,
            others=", ".join(item.value for item in Launcher if item not in _FIRST_VERSIONS),
        )
        raise OptionError("launcher", reason)


def not_of_target(name: str, options: MigrationOptions) -> Message:
    """That the chosen target has nothing for an option."""
    title = Message.of(options.route.title_id)
    return Message.of(NOT_OF_TARGET, option=option_name(name), target=title)


def _refuse_what_the_target_has_not(options: MigrationOptions) -> None:
    """Options and versions that the target has nothing for. Raises OptionError: one is chosen."""
    target, usual = options.route, MigrationOptions()
    title = Message.of(target.title_id)
    for name in sorted(target.without_options):
        if getattr(options, name) != getattr(usual, name):
            raise OptionError(name, not_of_target(name, options))
    if options.version is not None and options.version not in target.versions:
        reason = Message.of(
            "option.error.target_version", target=title, first=target.versions[0], version=options.version
        )
        raise OptionError("version", reason)


def _refuse_amp(options: MigrationOptions) -> None:
    """AMP cannot be enabled where it is carried over to apex, or where torch_npu has none.
    Raises OptionError: it is so here."""
    version = options.version
    if options.amp_transplant:
        transplant = option_name("amp_transplant")
        raise OptionError("enable_amp", Message.of("option.error.two_amps", transplant=transplant))
    if version is not None and version < AMP_TRANSPLANT_BEFORE:
        reason = Message.of("option.error.no_amp", version=version, first="1.8.1")
        raise OptionError("enable_amp", reason)
