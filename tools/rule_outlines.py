"""Write what a check knows of each rule before it imports the rule: ``python -m tools.rule_outlines``."""

from __future__ import annotations

from gpu2ascend_rules.engine.outlines import FILE, written


def main() -> None:
    """Write the file anew."""
    FILE.write_text(written(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
