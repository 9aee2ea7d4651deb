"""Devices: one for each process, chosen once; no tensor or module is placed."""
