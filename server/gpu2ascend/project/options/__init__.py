"""Where options come from: settings in ``pyproject.toml``, the detected version, the user's rules."""
