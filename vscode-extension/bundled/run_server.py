"""Starts gpu2ascend: `python -I run_server.py lsp`, or any other command of it.

`-I` keeps PYTHONPATH, the user's site-packages and the current directory out: no module of a project can
stand in for one of the standard library. What is bundled comes first, so that no package of the
interpreter's own environment can stand in for one that the server was built with.

Two options may come before the command. `--announce` writes to standard error, before anything else is
done, what this Python is: the editor need not start it twice, once to ask it that. `--from-environment` runs
the gpu2ascend of the interpreter's own environment, if it has one; a Python for which nothing is bundled does
so, too.

Whatever Python an editor finds runs this file, so it is written in what every Python 3 understands.
"""

import os
import sys
from pathlib import Path

ANNOUNCEMENT = "gpu2ascend runs on "


def announce(has_server):
    """Say what this Python is, in one line."""
    import importlib.machinery
    import json

    facts = {
        "executable": sys.executable,
        "version": list(sys.version_info[:3]),
        "extensionSuffix": importlib.machinery.EXTENSION_SUFFIXES[0],
        "machine": machine(),
        "hasServer": has_server,
        "hasAgents": has_agents(),
    }
    sys.stderr.write(ANNOUNCEMENT + json.dumps(facts) + "\n")
    sys.stderr.flush()


def is_bundled():
    """Whether the native modules are there for this Python."""
    from importlib.machinery import EXTENSION_SUFFIXES

    return (
        Path(__file__)
        .resolve()
        .with_name("libs")
        .joinpath("libcst", "native" + EXTENSION_SUFFIXES[0])
        .exists()
    )


def has_agents():
    """Whether `mcp` can be served: its SDK is not bundled."""
    from importlib.machinery import PathFinder

    found = PathFinder.find_spec("mcp")
    places = found.submodule_search_locations if found is not None else None
    return any(Path(place, "server", "mcpserver").is_dir() for place in places or ())


def machine():
    """The processor, by the name that `platform` has for it, which takes long to import."""
    if hasattr(os, "uname"):
        return os.uname().machine
    import platform

    return platform.machine()


def run():
    """Run the command and return its exit code."""
    options = []
    while len(sys.argv) > 1 and sys.argv[1] in ("--announce", "--from-environment"):
        options.append(sys.argv.pop(1))
    has_server = False
    if "--from-environment" in options or not is_bundled():
        import importlib.util

        has_server = importlib.util.find_spec("gpu2ascend") is not None
    if "--announce" in options:
        announce(has_server)
    if not has_server:
        sys.path.insert(0, str(Path(__file__).resolve().parent / "libs"))

    from gpu2ascend.__main__ import main

    return main()


if __name__ == "__main__":
    sys.exit(run())
