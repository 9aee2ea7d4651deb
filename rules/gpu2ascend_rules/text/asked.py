"""What was asked of a text as a whole, so that an edit which changes no answer is known as one.

Whoever follows values finds places by searching the text, and looks at what is around them. So another part
of the text can only count by what was searched for, or by the names that were looked up from those places.
"""

from __future__ import annotations

import re

Sought = bytes | re.Pattern[bytes]


class Asked:
    """The questions to one text."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        """Names that were looked up: what binds them in the module's own scope counts."""
        self.words: set[str] = set()
        """Of which each place as a whole word counts."""
        self.texts: set[Sought] = set()
        """Of which each place counts."""
        self.signs: dict[Sought, bool] = {}
        """Of which it counts whether the text has them at all."""

    @property
    def is_searched(self) -> bool:
        """Whether any place of the text was asked for."""
        return bool(self.names or self.words or self.texts)

    def is_sought(self, part: bytes, words: frozenset[bytes]) -> bool:
        """Whether a place of anything that counts is in a part of a text.

        Args:
            words: Those of the part.
        """
        return not words.isdisjoint(map(str.encode, self.words)) or any(
            has(part, text) for text in self.texts
        )

    def have_same_signs(self, data: bytes) -> bool:
        """Whether another text has what this one has, and nothing that it has not."""
        return all(has(data, sign) == answer for sign, answer in self.signs.items())


def has(data: bytes, sought: Sought) -> bool:
    """Whether a text has another one, or a pattern."""
    return sought in data if isinstance(sought, bytes) else sought.search(data) is not None
