"""Commands that serve an editor or an agent."""
