"""How ``check`` writes what it found: for people, and for the programs that read it."""

from __future__ import annotations

OUTPUT_FORMATS = ("text", "json", "sarif", "github")
