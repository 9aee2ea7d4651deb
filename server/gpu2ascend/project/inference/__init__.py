"""Types inferred across files by jedi, in a process that can be ended when it takes too long."""
