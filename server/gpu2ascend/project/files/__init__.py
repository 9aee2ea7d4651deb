"""The files of a project: which belong to it, how they are decoded, checked, copied and written."""
