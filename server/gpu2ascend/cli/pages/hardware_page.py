"""What ``explain A2`` says: which devices a family has, and what is known of it."""

from __future__ import annotations

from typing import Any

from gpu2ascend_rules.model.hardware import Hardware, versions_on
from gpu2ascend_rules.options.options import option_infos

from ...texts.catalogue import Texts


def hardware_lines(family: Hardware, texts: Texts) -> tuple[str, ...]:
    """The page, line by line."""
    lists = "cli.hardware.lists" if family.has_lists else "cli.hardware.listless"
    return (
        texts(f"cli.hardware.{family.value}"),
        texts(lists, last=versions_on(family)[-1]),
        texts("cli.hardware.use", flag=option_infos()["hardware"].name, name=family.value),
    )


def hardware_data(family: Hardware, texts: Texts) -> dict[str, Any]:
    """The same for programs."""
    return {
        "kind": "hardware",
        "name": family.value,
        "text": "\n".join(hardware_lines(family, texts)),
        "has_lists": family.has_lists,
    }
