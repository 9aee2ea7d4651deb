"""Traces of trainings: the file that makes one, what one holds, and two against each other."""
