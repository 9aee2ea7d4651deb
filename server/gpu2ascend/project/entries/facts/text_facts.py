"""Which programs a script, container file, document, CI or packaging file starts, and what settings name."""

from __future__ import annotations

import re
from typing import NamedTuple


class Command(NamedTuple):
    """A line that starts something."""

    files: tuple[str, ...] = ()
    """The Python files and notebooks on it, as they are written, in order."""
    module: str = ""
    """What ``python -m`` starts, or the module of a console script."""


class TextFacts(NamedTuple):
    """What one file contributes."""

    commands: tuple[Command, ...] = ()
    modules: tuple[str, ...] = ()
    """Dotted names in settings, which may be classes of the project."""
    built: frozenset[str] = frozenset()
    """The words of the strings of a ``setup.py``, which names what it compiles."""
    fetched: tuple[str, ...] = ()
    """What users bring into the project by its text: submodules, and what they clone, copy or link."""


READ_BYTES = 200_000
"""Of each file."""
_DOCUMENTS = (".md", ".rst", ".markdown")
_SETTINGS = (".yaml", ".yml", ".json", ".toml", ".cfg", ".ini", ".gin")
_CONSOLE = ("pyproject.toml", "setup.cfg", "setup.py")
_FILE = re.compile(r"(?<![\w./{}$*-])(?:\$\{?\w+\}?/)?((?:\.{0,2}/)?(?:[\w.-]+/)*[\w-]+\.(?:py|ipynb))(?!\w)")
_MODULE = re.compile(r"(?:^|\s)-m[ \t]+([A-Za-z_]\w*(?:\.\w+)*)")
_LAUNCHERS_OF_MODULES = frozenset(
    {"torch", "pip", "pytest", "venv", "accelerate", "deepspeed", "unittest", "build"}
)
_STARTS = re.compile(
    r"\b(?:python[\d.]*|torchrun|accelerate|deepspeed|horovodrun|mpirun|mpiexec|srun|sbatch|ipython|jupyter|uv|poetry"
    r"|CUDA_VISIBLE_DEVICES|colossalai|composer|fabric|streamlit|gradio|blender)\b|^[\s`$>]*\./"
)
_POINT = re.compile(r"=\s*[\"']?([A-Za-z_][\w.]*):[A-Za-z_]\w*")
_DOTTED = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w/])")
_TARGET = re.compile(
    r"\b(?:_target_|class_path)[\"']?\s*[:=]\s*[\"']?([A-Za-z_]\w*)\.\w+[\"']?\s*(?:$|[,}#])", re.M
)
"""The value of a key that names a class, in a module that is no part of a package."""
_SUBMODULES = ".gitmodules"
_PATH = re.compile(r"^\s*path\s*=\s*(?:\S*/)?([\w-]+)\s*$", re.M)
_BRINGS = re.compile(r"\b(?:git (?:clone|submodule add)|cp -\w*[rR]\w*|ln -s\w*)\s+([^\n;&|`]+)")
_BROUGHT = re.compile(r"(?<!\w)(?<!data/)(?<!datasets/)([A-Za-z_]\w*)(?:\.git)?/?(?=\s|$)")
"""A folder; one of data is none that code imports."""
_INSTALLS = re.compile(
    r"\bcd\s+\S+\s*(?:&&|;|\n)(?:[^\n]*\n)?[^\n]*?\bpip3?\s+install\b|\bpip3?\s+install\s[^\n;&|`]+"
)
"""Where pip installs a folder, or what lies at an address."""
_WORD = re.compile(r"\w+")
_STRING = re.compile(r"[\"']([\w./-]{1,160})[\"']")
_JOINED = re.compile(r"\\\r?\n")
_BETWEEN = re.compile(r"\r?\n|&&|\|\||;")
_MOST = 400


def may_start(path: str) -> bool:
    """Whether a file that no rule looks at may start programs all the same: a document, a packaging file."""
    return path.lower().endswith((*_DOCUMENTS, *_CONSOLE)) or path == _SUBMODULES


def may_start_console(path: str) -> bool:
    """Whether a file declares console scripts."""
    return path.rpartition("/")[2].lower() in _CONSOLE


def text_facts(path: str, data: bytes) -> TextFacts:
    """The facts of a file that is no Python module, or of a ``setup.py``."""
    text = data[:READ_BYTES].decode("utf-8", "replace")
    name = path.rpartition("/")[2].lower()
    commands = [] if name.endswith(".py") else list(_commands(name, text))
    if name in _CONSOLE:
        commands += [Command(module=module) for module in _POINT.findall(text)]
    is_settings = name.endswith(_SETTINGS) and name not in _CONSOLE
    named = {*_DOTTED.findall(text), *_TARGET.findall(text)} if is_settings else ()
    modules = sorted(named)[:_MOST]
    built = frozenset(_WORD.findall(" ".join(_STRING.findall(text)))) if name.endswith(".py") else frozenset()
    fetched = sorted(_fetched(name, text))[:_MOST]
    return TextFacts(tuple(commands[:_MOST]), tuple(modules), built, tuple(fetched))


def _fetched(name: str, text: str) -> set[str]:
    if name == _SUBMODULES:
        return set(_PATH.findall(text))
    found = {word for words in _BRINGS.findall(text) for word in _BROUGHT.findall(words)}
    if not found:
        return found
    installed = "\n".join(match[0] for match in _INSTALLS.finditer(text))
    return found.difference(_WORD.findall(installed))  # a library as any other


def _names_program(text: str) -> bool:
    """Whether a text may name a file or module that something starts."""
    return ".py" in text or ".ipynb" in text or "-m" in text


def _commands(name: str, text: str) -> list[Command]:
    """The commands; in documents and settings only lines that name what starts programs."""
    is_prose = name.endswith((*_DOCUMENTS, *_SETTINGS))
    found: dict[Command, None] = {}
    for line in _BETWEEN.split(_JOINED.sub(" ", text)) if _names_program(text) else ():
        if not _names_program(line):
            continue
        start = _STARTS.search(line) if is_prose else None
        if line.lstrip().startswith("#") or (is_prose and start is None):
            continue
        line = line[start.start() :] if start is not None else line  # what prose names before is no command
        files = tuple(dict.fromkeys(_FILE.findall(line[:2_000])))
        modules = [
            item
            for item in _MODULE.findall(line[:2_000])
            if item.partition(".")[0] not in _LAUNCHERS_OF_MODULES
        ]
        if files or modules:
            found[Command(files, modules[0] if modules else "")] = None
    return list(found)
