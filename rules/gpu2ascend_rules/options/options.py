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
from ..model.hardware import Hardware
from ..model.versions import SUPPORTED_VERSIONS, Version
from ..targets.registry import DEFAULT
from ..targets.target import Target
from .choices import MINDSPORE_RELEASES, AnalysisMode, ApiStyle, LargeFiles, Launcher, MindsporeApi
from .option_info import Control, OptionGroup, OptionInfo
from .readers import (
    Reader,
    as_member_of,
    as_mindspore_version,
    as_modes,
    as_target,
    as_version,
    known_versions,
    reader_of,
    values_of,
)
from .spelling import snake_case
from .values import OptionError as OptionError
from .values import as_severities, as_variables
from .values import unknown_option as unknown_option

AMP_TRANSPLANT_BEFORE = Version(1, 8)
"""The version from which on torch_npu has its own AMP, and there is nothing to transplant."""


def _info(default: Any, *flags: str, takes: Reader | None = None, **info: Any) -> dict[str, Any]:
    """What a field says of its option.

    Args:
        takes: What reads a value; else the default decides.
        info: The other attributes of :class:`OptionInfo`.
    """
    if isinstance(default, enum.Enum):
        info["choices"] = values_of(type(default))
    return {"info": {"flags": flags, **info}, "takes": takes or reader_of(default)}


def _option(default: Any, *flags: str, **info: Any) -> Any:
    """A field that is an option."""
    return attrs.field(default=default, metadata=_info(default, *flags, **info))


def _named(_: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """The fields, where each option knows the ids of its texts."""
    return [
        field.evolve(metadata=field.metadata | {"info": OptionInfo(help_id=f"option.{field.name}", **info)})
        if (info := field.metadata.get("info")) is not None
        else field
        for field in fields
    ]


def _as_target(value: Target | str) -> Target:
    return as_target("target", value) if isinstance(value, str) else value


def _as_version(value: Version | str | None) -> Version | None:
    return as_version("version", value) if isinstance(value, str) else value


def _as_hardware(value: Hardware | str) -> Hardware:
    return Hardware(as_member_of(Hardware)("hardware", value)) if isinstance(value, str) else value


_WITH_MINDSPORE = (("target", "mindspore"),)
_WHEN_DISTRIBUTED = (("distributed", True),)


@attrs.frozen(kw_only=True, field_transformer=_named)
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
            DEFAULT, "--target", choices=("torch_npu", "accelerator", "mindspore"), group=OptionGroup.BASIC
        ),
    )
    auto: bool = _option(False, "--auto", group=OptionGroup.BASIC)
    version: Version | None = attrs.field(
        default=None,
        converter=_as_version,
        metadata=_info(
            None,
            "-v",
            "--version",
            takes=as_version,
            choices=tuple(map(str, SUPPORTED_VERSIONS)),
            group=OptionGroup.BASIC,
        ),
    )
    mindspore_version: Version = _option(
        MINDSPORE_RELEASES[-1],
        "--mindspore-version",
        takes=as_mindspore_version,
        choices=tuple(map(str, MINDSPORE_RELEASES)),
        group=OptionGroup.BASIC,
        depends_on=_WITH_MINDSPORE,
    )
    graph: bool = _option(False, "-g", "--graph", depends_on=_WITH_MINDSPORE)
    mindspore_api: MindsporeApi = _option(MindsporeApi.OPS, "--api", depends_on=_WITH_MINDSPORE)
    hardware: Hardware = attrs.field(
        default=Hardware.A2,
        converter=_as_hardware,
        metadata=_info(Hardware.A2, "--hardware", group=OptionGroup.BASIC),
    )
    api_style: ApiStyle = _option(ApiStyle.TORCH_NPU, "--api-style")
    custom_rule: str | None = _option(
        None, "-r", "--rule", group=OptionGroup.CUSTOM_RULE, control=Control.FILE, guide=CUSTOM_RULES
    )
    require_rule_matches: bool = _option(False, "--require-rule-matches", group=OptionGroup.CUSTOM_RULE)
    image: str | None = _option(None, "--image")
    unsafe_fixes: bool = _option(False, "--unsafe", "--unsafe-fixes")
    replace_unsupported: bool = _option(
        False, "-sim", "--similar", "--replace-unsupported", group=OptionGroup.REPLACE
    )
    from_cpu: bool = _option(False, "--from-cpu", commands=("migrate",))
    specify_device: bool = _option(False, "-s", "--specify-device")
    distributed: bool = _option(False, "--distributed", group=OptionGroup.DISTRIBUTED)
    main_file: str | None = _option(
        None,
        "-m",
        "--main",
        group=OptionGroup.DISTRIBUTED,
        depends_on=_WHEN_DISTRIBUTED,
        control=Control.FILE,
    )
    target_model: str = _option(
        "model",
        "-t",
        "--target-model",
        "--target_model",
        takes=as_variables,
        group=OptionGroup.DISTRIBUTED,
        depends_on=_WHEN_DISTRIBUTED,
    )
    launcher: Launcher | None = _option(
        None,
        "--launcher",
        takes=as_member_of(Launcher),
        choices=values_of(Launcher),
        group=OptionGroup.DISTRIBUTED,
        depends_on=_WHEN_DISTRIBUTED,
    )
    nnodes: int = _option(1, "--nnodes", group=OptionGroup.DISTRIBUTED, depends_on=_WHEN_DISTRIBUTED)
    amp_transplant: bool = _option(
        False, "--amp-transplant", group=OptionGroup.AMP, depends_on=(("version", "1.5.0"),)
    )
    amp_model: str = _option(
        "model",
        "-a",
        "--amp-model",
        "--amp_model",
        takes=as_variables,
        group=OptionGroup.AMP,
        depends_on=(("amp_transplant", True),),
    )
    advice: bool = _option(True, "--advice")
    enable_amp: bool = _option(False, "--enable-amp", commands=("migrate",))
    modelarts: bool = _option(False, "--modelarts", commands=("migrate",))
    dynamic_analysis: bool = _option(False, "--dynamic-analysis", commands=("migrate", "analyze"))
    unknown_apis: bool = _option(False, "--unknown-apis", of_migration=False)
    restricted_apis: bool = _option(False, "--restricted-apis", of_migration=False)
    api_files: tuple[str, ...] = _option((), "-api", "--api-files")
    modes: tuple[str, ...] = _option(
        (),
        "--mode",
        takes=as_modes,
        choices=values_of(AnalysisMode),
        group=OptionGroup.ANALYSIS,
        of_migration=False,
    )
    select: tuple[str, ...] = _option((), "--select")
    ignore: tuple[str, ...] = _option((), "--ignore")
    severities: tuple[str, ...] = _option((), "--severity", takes=as_severities)
    exclude: tuple[str, ...] = _option((), "--exclude")
    copy: tuple[str, ...] = _option((), "--copy")
    entries: tuple[str, ...] = _option((), "--entry")
    large_files: LargeFiles = _option(LargeFiles.LINK, "--large-files", commands=("migrate",))
    max_file_size: int = _option(DEFAULT_MEGABYTES, "--max-file-size")
    project_settings: bool = _option(True, "--project-settings")

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
        Raises OptionError: it is one of PyTorch, and there is no such release."""
        option = self.target.version_option
        chosen: Version = self.require_version() if option == "version" else getattr(self, option)
        return chosen

    def require_version(self) -> Version:
        """The chosen version, else that of a target that has one for all projects.
        Raises OptionError: there is none."""
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


def options_from(values: Mapping[str, object], base: MigrationOptions | None = None) -> MigrationOptions:
    """Options from plain data, over ``base``.

    Names may be spelt ``snake_case``, ``kebab-case`` or ``camelCase``; ``None`` keeps the base value.

    Raises:
        OptionError: a name is no option, or a value is not one that its option takes.
    """
    known = option_infos()
    fields = attrs.fields_dict(MigrationOptions)
    changes: dict[str, Any] = {}
    for spelling, value in values.items():
        name = snake_case(spelling)
        if name not in known:
            raise OptionError(spelling, unknown_option(spelling, known))
        if value is not None:
            changes[name] = fields[name].metadata["takes"](name, value)
    base = base or MigrationOptions()
    of_project = tuple(chosen for chosen in base.of_project if chosen[0] not in changes)
    return attrs.evolve(base, **changes, of_project=of_project)


def options_of_project(
    values: Mapping[str, object], file: str, base: MigrationOptions | None = None
) -> MigrationOptions:
    """Options from what a file of the project says, over ``base``; they remember that it was this file.
    Raises OptionError: a name is no option, or a value is not one that its option takes."""
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
