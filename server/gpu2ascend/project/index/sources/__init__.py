"""The texts of a project, and which file a module is."""
