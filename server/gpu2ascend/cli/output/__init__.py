"""What every command prints with: the terminal, progress, diffs, diagnostics, language and exit codes."""
