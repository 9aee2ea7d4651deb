"""``workspace/executeCommand`` and the custom requests: their parameters, their work and its progress."""
