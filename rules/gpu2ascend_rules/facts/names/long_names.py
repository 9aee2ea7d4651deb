"""How long the names of APIs are: of what a program writes, the beginning shows all that the tables know."""

from __future__ import annotations

MOST_PARTS = 16
"""Parts of a dotted name. No table has one with half as many."""
