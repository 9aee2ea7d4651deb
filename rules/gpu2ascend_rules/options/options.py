"""The one definition of every option of a check or a migration.

The command line, ``pyproject.toml``, the language server's settings and the editor's dialog are all
made from :class:`MigrationOptions`: each field carries what those front ends need to show it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import attrs

from ..guides import CUSTOM_RULES
from ..limits.checkpoints import DEFAULT_MEGABYTES, MEGABYTE
from ..model.custom_rule import CustomRule
from ..model.finding import Message, OptionName
from ..model.hardware import Hardware, hardware_named, is_for_inference
from ..model.versions import SUPPORTED_VERSIONS, UnknownVersionError, Version
from ..targets.registry import DEFAULT, target_named, target_names
from ..targets.target import Target
from .choices import MINDSPORE_RELEASES, AnalysisMode, ApiStyle, LargeFiles, Launcher, MindsporeApi
from .option_info import Control, OptionGroup, OptionInfo
from .spelling import snake_case
from .values import OptionError as OptionError
from .values import as_count, as_flag, as_severities, as_text, as_texts, as_variables
from .values import unknown_option as unknown_option
from .version_choice import version_meant, why_unknown

AMP_TRANSPLANT_BEFORE = Version(1, 8)
"""The version from which on torch_npu has its own AMP, and there is nothing to transplant."""


def _info(*flags: str, help_id: str, **info: Any) -> dict[str, OptionInfo]:
    return {"info": OptionInfo(help_id=help_id, flags=flags, **info)}


def _option(default: Any, *flags: str, help_id: str, **info: Any) -> Any:
    """A field of the options; ``info`` are the other attributes of :class:`OptionInfo`."""
    return attrs.field(default=default, metadata=_info(*flags, help_id=help_id, **info))


def _as_target(value: Target | str) -> Target:
    return _target("target", value) if isinstance(value, str) else value


def _as_version(value: Version | str | None) -> Version | None:
    return _version("version", value) if isinstance(value, str) else value


def _as_hardware(value: Hardware | str) -> Hardware:
    return Hardware(_choice("hardware", Hardware, value)) if isinstance(value, str) else value


@attrs.frozen(kw_only=True)
class MigrationOptions:
    """Everything that decides what is found and what is written.

    The target, the version and the hardware may be given as texts, as a user spells them.

    Raises:
        OptionError: such a text means none.
    """

    target: Target = attrs.field(
        default=DEFAULT,
        converter=_as_target,
        metadata=_info(
            "--target",
            help_id="option.target",
            choices=("torch_npu", "accelerator", "mindspore"),
            group=OptionGroup.BASIC,
        ),
    )
    auto: bool = _option(False, "--auto", help_id="option.auto", group=OptionGroup.BASIC)
    version: Version | None = attrs.field(
        default=None,
        converter=_as_version,
        metadata=_info(
            "-v",
            "--version",
            help_id="option.version",
            choices=tuple(str(version) for version in SUPPORTED_VERSIONS),
            group=OptionGroup.BASIC,
        ),
    )
    mindspore_version: Version = _option(
        MINDSPORE_RELEASES[-1],
        "--mindspore-version",
        help_id="option.mindspore_version",
        choices=tuple(map(str, MINDSPORE_RELEASES)),
        group=OptionGroup.BASIC,
        depends_on=(("target", "mindspore"),),
    )
    graph: bool = _option(
        False, "-g", "--graph", help_id="option.graph", depends_on=(("target", "mindspore"),)
    )
    mindspore_api: MindsporeApi = _option(
        MindsporeApi.OPS,
        "--api",
        help_id="option.mindspore_api",
        choices=tuple(member.value for member in MindsporeApi),
        depends_on=(("target", "mindspore"),),
    )
    hardware: Hardware = attrs.field(
        default=Hardware.A2,
        converter=_as_hardware,
        metadata=_info(
            "--hardware",
            help_id="option.hardware",
            choices=tuple(member.value for member in Hardware),
            group=OptionGroup.BASIC,
        ),
    )
    api_style: ApiStyle = _option(
        ApiStyle.TORCH_NPU,
        "--api-style",
        help_id="option.api_style",
        choices=tuple(member.value for member in ApiStyle),
    )
    custom_rule: str | None = _option(
        None,
        "-r",
        "--rule",
        help_id="option.custom_rule",
        group=OptionGroup.CUSTOM_RULE,
        control=Control.FILE,
        guide=CUSTOM_RULES,
    )
    require_rule_matches: bool = _option(
        False, "--require-rule-matches", help_id="option.require_rule_matches", group=OptionGroup.CUSTOM_RULE
    )
    image: str | None = _option(None, "--image", help_id="option.image")
    unsafe_fixes: bool = _option(False, "--unsafe", "--unsafe-fixes", help_id="option.unsafe_fixes")
    replace_unsupported: bool = _option(
        False,
        "-sim",
        "--similar",
        "--replace-unsupported",
        help_id="option.replace_unsupported",
        group=OptionGroup.REPLACE,
    )
    from_cpu: bool = _option(False, "--from-cpu", help_id="option.from_cpu", commands=("migrate",))
    specify_device: bool = _option(False, "-s", "--specify-device", help_id="option.specify_device")
    distributed: bool = _option(
        False, "--distributed", help_id="option.distributed", group=OptionGroup.DISTRIBUTED
    )
    main_file: str | None = _option(
        None,
        "-m",
        "--main",
        help_id="option.main_file",
        group=OptionGroup.DISTRIBUTED,
        depends_on=(("distributed", True),),
        control=Control.FILE,
    )
    target_model: str = _option(
        "model",
        "-t",
        "--target-model",
        "--target_model",
        help_id="option.target_model",
        group=OptionGroup.DISTRIBUTED,
        depends_on=(("distributed", True),),
    )
    launcher: Launcher | None = _option(
        None,
        "--launcher",
        help_id="option.launcher",
        choices=tuple(member.value for member in Launcher),
        group=OptionGroup.DISTRIBUTED,
        depends_on=(("distributed", True),),
    )
    nnodes: int = _option(
        1,
        "--nnodes",
        help_id="option.nnodes",
        group=OptionGroup.DISTRIBUTED,
        depends_on=(("distributed", True),),
    )
    amp_transplant: bool = _option(
        False,
        "--amp-transplant",
        help_id="option.amp_transplant",
        group=OptionGroup.AMP,
        depends_on=(("version", "1.5.0"),),
    )
    amp_model: str = _option(
        "model",
        "-a",
        "--amp-model",
        "--amp_model",
        help_id="option.amp_model",
        group=OptionGroup.AMP,
        depends_on=(("amp_transplant", True),),
    )
    advice: bool = _option(True, "--advice", help_id="option.advice")
    enable_amp: bool = _option(False, "--enable-amp", help_id="option.enable_amp", commands=("migrate",))
    modelarts: bool = _option(False, "--modelarts", help_id="option.modelarts", commands=("migrate",))
    dynamic_analysis: bool = _option(
        False, "--dynamic-analysis", help_id="option.dynamic_analysis", commands=("migrate", "analyze")
    )
    unknown_apis: bool = _option(False, "--unknown-apis", help_id="option.unknown_apis", of_migration=False)
    restricted_apis: bool = _option(
        False, "--restricted-apis", help_id="option.restricted_apis", of_migration=False
    )
    api_files: tuple[str, ...] = _option((), "-api", "--api-files", help_id="option.api_files")
    modes: tuple[str, ...] = _option(
        (),
        "--mode",
        help_id="option.modes",
        choices=tuple(mode.value for mode in AnalysisMode),
        group=OptionGroup.ANALYSIS,
        of_migration=False,
    )
    select: tuple[str, ...] = _option((), "--select", help_id="option.select")
    ignore: tuple[str, ...] = _option((), "--ignore", help_id="option.ignore")
    severities: tuple[str, ...] = _option((), "--severity", help_id="option.severities")
    exclude: tuple[str, ...] = _option((), "--exclude", help_id="option.exclude")
    copy: tuple[str, ...] = _option((), "--copy", help_id="option.copy")
    entries: tuple[str, ...] = _option((), "--entry", help_id="option.entries")
    large_files: LargeFiles = _option(
        LargeFiles.LINK,
        "--large-files",
        help_id="option.large_files",
        choices=tuple(member.value for member in LargeFiles),
        commands=("migrate",),
    )
    max_file_size: int = _option(DEFAULT_MEGABYTES, "--max-file-size", help_id="option.max_file_size")
    project_settings: bool = _option(True, "--project-settings", help_id="option.project_settings")

    custom: tuple[CustomRule, ...] = ()
    """The rules in the file of ``custom_rule``, set by the code that has read it. Not an option itself."""
    of_project: tuple[tuple[str, str], ...] = ()
    """The options that a file of the project chose, each with the name of that file; set by the code that has
    read it. What the user chooses later is no longer among them. Not an option itself."""

    @property
    def max_file_bytes(self) -> int:
        """The size in bytes beyond which a file is copied and reported, not read."""
        return self.max_file_size * MEGABYTE

    @property
    def unexamined(self) -> tuple[str, ...]:
        """Patterns of the files that no rule looks at."""
        return (*self.exclude, *self.copy)

    @property
    def chosen_entries(self) -> tuple[str, ...]:
        """The files that start the programs that matter to a migration, where a user has named any."""
        return tuple(dict.fromkeys((*self.entries, *filter(None, (self.main_file,)))))

    @property
    def main_script(self) -> str | None:
        """The script that starts the training, where a user has named it."""
        return self.main_file or next(iter(self.entries), None)

    @property
    def analysis_modes(self) -> frozenset[AnalysisMode]:
        """What an analysis looks at: what was asked for, else all that only reads."""
        return frozenset(map(AnalysisMode, self.modes)) or frozenset(AnalysisMode) - {
            AnalysisMode.DYNAMIC_SHAPE
        }

    @property
    def route(self) -> Target:
        """The target, by the way that the options choose: what everything asks that a target owns."""
        return dict(self.target.ways)[self.way] if self.way is not None else self.target

    @property
    def way(self) -> str | None:
        """The option that chooses another way of reaching the target than the ordinary one, if any."""
        return next((option for option, _ in self.target.ways if getattr(self, option)), None)

    @property
    def release(self) -> Version:
        """The release of the framework that new text is for.

        Raises:
            OptionError: it is one of PyTorch, and there is none.
        """
        option = self.target.version_option
        chosen: Version = self.require_version() if option == "version" else getattr(self, option)
        return chosen

    def require_version(self) -> Version:
        """The chosen version, else that of a target that has one for all projects.

        Raises:
            OptionError: there is none.
        """
        if self.version is None:
            if self.target.default_version is not None:
                return self.target.default_version
            raise OptionError("version", Message.of("option.error.no_version", choices=known_versions()))
        return self.version


def option_infos() -> dict[str, OptionInfo]:
    """Every option's front-end description, by field name."""
    return {field.name: field.metadata["info"] for field in attrs.fields(MigrationOptions) if field.metadata}


def option_name(name: str) -> OptionName:
    """What texts call the option of a field."""
    return option_infos()[name].name


def known_versions() -> str:
    """The supported versions, as a message lists them."""
    return ", ".join(str(version) for version in SUPPORTED_VERSIONS)


def _version(name: str, value: object) -> Version:
    spelling = as_text(name, value)
    try:
        return version_meant(spelling).version
    except UnknownVersionError as error:
        raise OptionError(name, why_unknown(spelling)) from error


def _mindspore_version(name: str, value: object) -> Version:
    """A release of MindSpore, by its first two numbers."""
    spelling = as_text(name, value)
    parts = spelling.strip().removeprefix("v").split(".")[:2]
    for release in MINDSPORE_RELEASES:
        if parts == [str(release.major), str(release.minor)]:
            return release
    choices = ", ".join(map(str, MINDSPORE_RELEASES))
    raise OptionError(name, Message.of("option.error.choice", value=spelling, choices=choices))


def _choice(name: str, kind: type[enum.Enum], value: object) -> enum.Enum:
    text = as_text(name, value)
    for member in kind:
        if str(member.value).lower() == text.lower():
            return member
    family = hardware_named(text) if kind is Hardware else None
    if family is not None:
        return family
    known = ", ".join(str(member.value) for member in kind)
    is_other = kind is Hardware and is_for_inference(text)
    message = "option.error.inference" if is_other else "option.error.choice"
    raise OptionError(name, Message.of(message, value=text, choices=known))


def _target(name: str, value: object) -> Target:
    text = as_text(name, value)
    target = target_named(text)
    if target is None:
        choices = ", ".join(target_names())
        raise OptionError(name, Message.of("option.error.choice", value=text, choices=choices))
    return target


def _parse(name: str, value: object) -> object:
    """A value of an option: what the option takes follows from its default."""
    if name == "version":
        return _version(name, value)
    if name == "mindspore_version":
        return _mindspore_version(name, value)
    if name == "severities":
        return as_severities(name, value)
    if name == "modes":
        return tuple(str(_choice(name, AnalysisMode, mode).value) for mode in as_texts(name, value))
    if name in ("target_model", "amp_model"):
        return as_variables(name, value)
    if name == "launcher":
        return _choice(name, Launcher, value)
    default = getattr(MigrationOptions(), name)
    if isinstance(default, Target):
        return _target(name, value)
    if isinstance(default, enum.Enum):
        return _choice(name, type(default), value)
    if isinstance(default, bool):
        return as_flag(name, value)
    if isinstance(default, tuple):
        return as_texts(name, value)
    if isinstance(default, int):
        return as_count(name, value)
    return as_text(name, value)


def options_from(values: Mapping[str, object], base: MigrationOptions | None = None) -> MigrationOptions:
    """Options from plain data, over ``base``.

    Names may be spelt ``snake_case``, ``kebab-case`` or ``camelCase``; ``None`` keeps the base value.

    Raises:
        OptionError: a name is no option, or a value is not one that its option takes.
    """
    known = option_infos()
    changes: dict[str, Any] = {}
    for spelling, value in values.items():
        name = snake_case(spelling)
        if name not in known:
            raise OptionError(spelling, unknown_option(spelling, known))
        if value is not None:
            changes[name] = _parse(name, value)
    base = base or MigrationOptions()
    of_project = tuple(chosen for chosen in base.of_project if chosen[0] not in changes)
    return attrs.evolve(base, **changes, of_project=of_project)


def options_of_project(
    values: Mapping[str, object], file: str, base: MigrationOptions | None = None
) -> MigrationOptions:
    """Options from what a file of the project says, over ``base``; they remember that it was this file.

    Raises:
        OptionError: a name is no option, or a value is not one that its option takes.
    """
    options = options_from(values, base)
    chosen = tuple((snake_case(name), file) for name, value in values.items() if value is not None)
    return attrs.evolve(options, of_project=(*options.of_project, *chosen))


def without_project(options: MigrationOptions) -> MigrationOptions:
    """The options as they are where the project's own settings have no effect, if that is wanted."""
    if options.project_settings:
        return options
    usual = MigrationOptions()
    chosen: dict[str, Any] = {name: getattr(usual, name) for name, _ in options.of_project}
    return attrs.evolve(options, **chosen, of_project=())
