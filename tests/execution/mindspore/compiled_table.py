"""``python -m tests.execution.mindspore.compiled_table``: the rows for compiled code, made anew, as JSON."""

from __future__ import annotations

import json

from tools.mindspore_tables.compiled import made


def main() -> None:
    """Print the lines of the table, and what is refuted."""
    lines, refuted = made()
    print(json.dumps({"lines": lines, "refuted": refuted}))


if __name__ == "__main__":
    main()
