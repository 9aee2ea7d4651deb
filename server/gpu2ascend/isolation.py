"""Takes the project out of the way before anything is imported: what ``python -I`` does, from inside.

Python itself puts the current directory (``python -m``), the script's, and PYTHONPATH first on its path. In a
hostile project each of them may hold a ``signal.py``. Only what Python has loaded already is used here; not
even ``from __future__`` may be, for it imports a module.
"""

# pathlib is not loaded yet.
# ruff: noqa: PTH100, PTH109, PTH117, PTH118, PTH120

import os
import sys

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OURS = (_OWN, os.path.join(os.path.dirname(_OWN), "rules"))
"""The directory that this package was found in; in a checkout, also that of the other one."""


def isolate() -> None:
    """Leave on ``sys.path`` what belongs to the interpreter and to this program.

    Relative entries go, and so do the current directory, the script's, and those of PYTHONPATH. A bytecode
    cache that an environment variable places in the current directory is not read either.
    """
    if sys.flags.isolated:
        return
    sys.path[:] = [entry for entry in sys.path if os.path.isabs(entry)]
    untrusted = {_real(entry) for entry in _untrusted()}
    trusted = {_real(entry) for entry in (*_OURS, *_of_the_interpreter())}
    sys.path[:] = [entry for entry in sys.path if _real(entry) not in untrusted - trusted]
    if sys.pycache_prefix is not None and _is_in_current_directory(sys.pycache_prefix):
        sys.pycache_prefix = None


def _untrusted() -> list[str]:
    entries = [_current_directory(), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    if sys.argv and sys.argv[0]:
        entries.append(os.path.dirname(os.path.realpath(sys.argv[0])))
    site = sys.modules.get("site")
    if site is not None and "PYTHONUSERBASE" in os.environ:
        entries.append(site.USER_SITE or "")
    return [entry for entry in entries if entry]


def _of_the_interpreter() -> list[str]:
    """Where the standard library and installed packages are; PYTHONPATH may name these, too."""
    library = os.path.dirname(os.path.abspath(os.__file__))
    site = sys.modules.get("site")
    installed = site.getsitepackages() if site is not None else []
    return [library, os.path.join(library, "lib-dynload"), *installed]


def _is_in_current_directory(path: str) -> bool:
    top = _real(_current_directory())
    return not os.path.isabs(path) or (_real(path) + os.sep).startswith(top.rstrip(os.sep) + os.sep)


def _current_directory() -> str:
    try:
        return os.getcwd()
    except OSError:  # it has been removed
        return ""


def _real(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))
