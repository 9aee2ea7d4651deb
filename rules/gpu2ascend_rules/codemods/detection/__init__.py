"""Dynamic shapes: the loops that a detector watches while a training runs, and what shows without running."""

DETECTING_PACKAGE = "msft_dynamic_analysis"
"""The package with the detector; it is written beside the copied code."""
DETECTOR = "DETECTOR"
