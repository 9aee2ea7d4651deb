"""Files of packages on PyPI, converted to MindSpore and imported."""
