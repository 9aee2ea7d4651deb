"""The command that runs a migrated project on a simulated NPU; docs/lsp.md describes it."""
