"""What stands between an option and its value: on a command line, over two lines, in a list."""

from __future__ import annotations

BETWEEN = r"""(?:=|["']?[ \t]*,?[ \t]*(?:\\?\r?\n[ \t]*)?)["']?"""
