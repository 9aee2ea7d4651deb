"""Findings name the NPU's APIs as the fixes write them: below ``torch_npu.npu``, or below ``torch.npu``."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.finding import Finding, Message, OptionName
from ..options.choices import ApiStyle

_USUAL, _OTHER = ApiStyle.TORCH_NPU.value, ApiStyle.TORCH.value
_TARGET = "target"
"""The argument of a message that names what takes an API's place. Others quote the file."""


def in_style(findings: Iterable[Finding], style: ApiStyle) -> Iterable[Finding]:
    """The findings with the names of a style."""
    if style is not ApiStyle.TORCH:
        return findings
    return (finding._replace(message=_in_style(finding.message)) for finding in findings)


def _in_style(message: Message) -> Message:
    return message._replace(
        arguments=tuple(
            (name, _written(value) if name == _TARGET else value) for name, value in message.arguments
        )
    )


def _written(value: str | Message | OptionName) -> str | Message | OptionName:
    if isinstance(value, str) and (value == _USUAL or value.startswith(f"{_USUAL}.")):
        return _OTHER + value.removeprefix(_USUAL)
    return value
