"""The entry point of ``gpu2ascend`` and of ``python -I -m gpu2ascend``.

Nothing is imported before it is needed: asking for the version must cost little more than Python itself. And
nothing at all, not even ``__future__``, before :mod:`.isolation` has taken the project out of the way.
"""

import sys

_ENDED_BY_SIGNAL = 128
"""Plus the number of the signal: as shells report a command that Ctrl-C or ``kill`` ended."""
_CTRL_C = 2


def main(argv: list[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        argv: The arguments after the program's name; by default those of the process.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments in (["--version"], ["-V"]):
        from . import __version__

        _print(f"gpu2ascend {__version__}\n")
        return 0
    if argv is None:
        from .isolation import isolate

        isolate()
    try:
        from .cli.app import run

        return run(arguments)
    except KeyboardInterrupt as interrupt:
        return _ENDED_BY_SIGNAL + getattr(interrupt, "number", _CTRL_C)


def _print(text: str) -> None:
    """Write a line, if anybody takes it: the standard output may be closed, or full."""
    if sys.stdout is None:
        return
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError:
        sys.stdout = None


if __name__ == "__main__":
    sys.exit(main())
