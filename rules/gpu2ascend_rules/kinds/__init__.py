"""The kinds of file beside Python: how each is recognised, parsed, and what places rules are shown in it."""
