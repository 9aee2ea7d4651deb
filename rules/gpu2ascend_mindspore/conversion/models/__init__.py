"""Modules as cells: their layers, weights and initial values."""
