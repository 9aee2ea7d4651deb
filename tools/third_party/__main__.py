"""``python -m tools.third_party``: writes the table of packages of others from the sources beside this."""

from __future__ import annotations

from .merge import TABLE, merged, table_text

if __name__ == "__main__":
    TABLE.write_text(table_text(merged()), encoding="utf-8", newline="\n")
