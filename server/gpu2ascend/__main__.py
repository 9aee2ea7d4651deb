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
    if argv is None:
        from .isolation import isolate

        isolate()
        import gc

        gc.disable()  # until the command's modules are there, in which nothing is garbage
    if arguments and arguments[0] in ("--version", "-V") and arguments[1:] in ([], ["--json"]):
        _print(_version(as_json=len(arguments) > 1))
        return 0
    try:
        from .cli.app import run

        return run(arguments)
    except KeyboardInterrupt as interrupt:
        return _ENDED_BY_SIGNAL + getattr(interrupt, "number", _CTRL_C)


def _version(as_json: bool) -> str:
    """The version; of a development build, which is no release that others have, also its commit."""
    from . import __version__

    of = None
    if "dev" in __version__:
        from .revision import revision

        of = revision()
    if as_json:
        from .texts.escaping import json_text, numbered

        commit, date = of or (None, None)
        return json_text(numbered({"gpu2ascend": __version__, "commit": commit, "date": date})) + "\n"
    return f"gpu2ascend {__version__}" + (f" ({of})" if of else "") + "\n"


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
