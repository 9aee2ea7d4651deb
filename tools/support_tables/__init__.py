"""Makes the packed tables from public sources. Not part of the wheel; docs/support-tables.md explains it."""
