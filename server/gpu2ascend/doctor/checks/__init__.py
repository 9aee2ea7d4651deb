"""The checks: each module one subject, each function from a machine to what it found."""
