"""Code within shell code: Python, and code for another shell."""
