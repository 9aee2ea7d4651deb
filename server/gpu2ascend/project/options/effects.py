"""What is said of an option that asks for something of which a project has none."""

from __future__ import annotations

from collections.abc import Collection

from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.effects import refuse_without_effect
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, option_name

from ..errors import InputError


def require_effects(options: MigrationOptions, codes: Collection[str]) -> None:
    """Refuse an option that changed nothing, or for which nothing was found.

    Args:
        codes: Of the rules that changed or found something.

    Raises:
        InputError: there is one.
    """
    try:
        refuse_without_effect(options, codes)
    except OptionError as error:
        name = option_name(error.option)
        message = Message.of("project.option-without-effect", name=name, reason=error.reason)
        raise InputError(message) from error
