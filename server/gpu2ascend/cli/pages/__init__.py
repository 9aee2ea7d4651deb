"""The longer texts that commands print: reports of an analysis or a migration, a rule, an API."""
