"""Commands that look at a machine, or run a project on the user's request."""
