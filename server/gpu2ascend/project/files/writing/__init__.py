"""Files that are written: copies, replaced files with their attributes, and the equivalents."""
