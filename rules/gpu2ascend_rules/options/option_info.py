"""What a front end needs to know of an option: its texts, its place in a form, its flags."""

from __future__ import annotations

import enum

import attrs

from ..model.finding import OptionName


class OptionGroup(enum.Enum):
    """Where a form shows an option. The order here is that of the form."""

    BASIC = "basic"
    CUSTOM_RULE = "customRule"
    DISTRIBUTED = "distributed"
    REPLACE = "replace"
    AMP = "amp"
    ADVANCED = "advanced"
    ANALYSIS = "analysis"
    """Options of an analysis alone."""


class Control(enum.Enum):
    """What an option's text names, where a form can do better than a text field."""

    FILE = "path-file"
    DIRECTORY = "path-directory"


@attrs.frozen(kw_only=True)
class OptionInfo:
    """What a front end needs to know of one option."""

    help_id: str
    """Message id of the one-sentence explanation."""
    flags: tuple[str, ...] = ()
    """Command-line spellings, the vendor tool's short one first where it has one."""
    choices: tuple[str, ...] = ()
    group: OptionGroup = OptionGroup.ADVANCED
    depends_on: tuple[tuple[str, str | bool], ...] = ()
    """Other options by field name, with the values without which this one has no effect."""
    control: Control | None = None
    of_migration: bool = True
    """Whether a migration heeds it; not if it adds findings to a check that a migration reports anyway."""
    commands: tuple[str, ...] = ()
    """The commands that act on it, where not all do: the others refuse its flags. What the group says counts
    beside it."""
    guide: str | None = None
    """The topic of the guide that explains it (:mod:`gpu2ascend_rules.guides`)."""

    @property
    def title_id(self) -> str:
        """Message id of the option's short name, as a form labels it."""
        return f"{self.help_id}.title"

    @property
    def name(self) -> OptionName:
        """What texts call it."""
        return OptionName(next(flag for flag in self.flags if flag.startswith("--")), self.title_id)
