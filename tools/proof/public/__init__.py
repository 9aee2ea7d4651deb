"""Public projects, each migrated for and verified on the release that it pins."""
