"""Devices by the default tensor type, and by constructors that follow it."""
