"""The interpreter that a project is run by: the one that is given, or one made once in the user's cache."""
