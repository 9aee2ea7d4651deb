"""The options under which an example of a rule holds."""

from __future__ import annotations

import attrs

from gpu2ascend_rules.custom.reading.reader import read_rules
from gpu2ascend_rules.engine.rule import Example
from gpu2ascend_rules.options.options import MigrationOptions, options_from


def options_of(example: Example, **others: object) -> MigrationOptions:
    """The example's own options, with others by name, and the rules of its rule file."""
    given = {"version": example.version, **others, **dict(example.settings)}
    custom = read_rules(example.rules) if example.rules else ()
    return attrs.evolve(options_from(given), custom=custom)
