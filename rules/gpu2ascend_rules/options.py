"""The one definition of every option of a check or a migration.

The command line, ``pyproject.toml``, the language server's settings and the editor's dialog are all
made from :class:`MigrationOptions`: each field carries what those front ends need to show it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

import attrs

from .versions import SUPPORTED_VERSIONS, UnknownVersionError, Version, choose_version


class Hardware(enum.Enum):
    """A family of Ascend devices, as the official support tables split them."""

    A2 = "A2"
    A3 = "A3"
    DT950 = "950DT"


class ApiStyle(enum.Enum):
    """How a renamed API is spelt where it is used as an attribute. Both name the same object."""

    TORCH_NPU = "torch_npu.npu"
    TORCH = "torch.npu"


class OptionError(ValueError):
    """An option's value is not one that the option takes."""

    def __init__(self, option: str, reason: str) -> None:
        self.option = option
        self.reason = reason
        super().__init__(f"{option}: {reason}")


@attrs.frozen(kw_only=True)
class OptionInfo:
    """What a front end needs to know of one option."""

    help_id: str
    """Message id of the one-sentence explanation."""
    flags: tuple[str, ...] = ()
    """Command-line spellings, the vendor tool's short one first where it has one."""
    choices: tuple[str, ...] = ()


def _option(default: Any, *flags: str, help_id: str, choices: tuple[str, ...] = ()) -> Any:
    info = OptionInfo(help_id=help_id, flags=flags, choices=choices)
    return attrs.field(default=default, metadata={"info": info})


def _version_field() -> Any:
    return _option(
        None,
        "-v",
        "--version",
        help_id="option.version",
        choices=tuple(str(version) for version in SUPPORTED_VERSIONS),
    )


@attrs.frozen(kw_only=True)
class MigrationOptions:
    """Everything that decides what is found and what is written."""

    version: Version | None = _version_field()
    hardware: Hardware = _option(
        Hardware.A2,
        "--hardware",
        help_id="option.hardware",
        choices=tuple(member.value for member in Hardware),
    )
    api_style: ApiStyle = _option(
        ApiStyle.TORCH_NPU,
        "--api-style",
        help_id="option.api_style",
        choices=tuple(member.value for member in ApiStyle),
    )
    unsafe_fixes: bool = _option(False, "--unsafe", "--unsafe-fixes", help_id="option.unsafe_fixes")
    specify_device: bool = _option(False, "-s", "--specify-device", help_id="option.specify_device")
    unknown_apis: bool = _option(False, "--unknown-apis", help_id="option.unknown_apis")
    select: tuple[str, ...] = _option((), "--select", help_id="option.select")
    ignore: tuple[str, ...] = _option((), "--ignore", help_id="option.ignore")
    exclude: tuple[str, ...] = _option((), "--exclude", help_id="option.exclude")

    def require_version(self) -> Version:
        """The chosen version.

        Raises:
            OptionError: none was chosen.
        """
        if self.version is None:
            known = ", ".join(str(version) for version in SUPPORTED_VERSIONS)
            raise OptionError("version", f"choose a PyTorch version: {known}")
        return self.version


def option_infos() -> dict[str, OptionInfo]:
    """Every option's front-end description, by field name."""
    return {field.name: field.metadata["info"] for field in attrs.fields(MigrationOptions)}


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise OptionError(name, f"expected text, got {type(value).__name__}")
    return value


def _choice(name: str, kind: type[enum.Enum], value: object) -> enum.Enum:
    text = _text(name, value)
    for member in kind:
        if str(member.value).lower() == text.lower():
            return member
    known = ", ".join(str(member.value) for member in kind)
    raise OptionError(name, f"unknown value '{text}'; choose one of {known}")


def _flag(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise OptionError(name, f"expected true or false, got {value!r}")
    return value


def _texts(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [part for part in value.split(",") if part]
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise OptionError(name, "expected a list of texts")
    return tuple(item.strip() for item in value if item.strip())


def _parse(name: str, value: object) -> object:
    if name == "version":
        try:
            return choose_version(_text(name, value)).version
        except UnknownVersionError as error:
            raise OptionError(name, str(error)) from error
    if name == "hardware":
        return _choice(name, Hardware, value)
    if name == "api_style":
        return _choice(name, ApiStyle, value)
    if name in ("unsafe_fixes", "specify_device", "unknown_apis"):
        return _flag(name, value)
    return _texts(name, value)


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
            raise OptionError(spelling, f"unknown option; the options are {', '.join(known)}")
        if value is not None:
            changes[name] = _parse(name, value)
    return attrs.evolve(base or MigrationOptions(), **changes)


def snake_case(name: str) -> str:
    """``apiStyle`` and ``api-style`` as ``api_style``."""
    spread = "".join(f"_{char.lower()}" if char.isupper() else char for char in name)
    return spread.replace("-", "_").lstrip("_")
