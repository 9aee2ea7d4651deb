"""Open texts and notebooks kept as the client has them; each change publishes diagnostics."""
