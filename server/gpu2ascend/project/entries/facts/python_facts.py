"""What one Python file or notebook says of programs: a few searches over its bytes, each linear."""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import chain, islice
from typing import NamedTuple

from ...files.content.import_statements import import_statements

BY_CONFIGURATION = "*"
"""Stands among dynamic imports for whatever a configuration names."""


class PythonFacts(NamedTuple):
    """What one file contributes."""

    starts: bool = False
    """Whether it starts a program when it is run, rather than only defining things."""
    steps: bool = False
    """Whether it has code that trains: a backward pass, an optimizer's step, a trainer's fit."""
    tests: bool = False
    """Whether a runner of tests finds something in it."""
    imports: tuple[str, ...] = ()
    """Modules, and names of modules that may be modules themselves, as they are written; without those that
    only functions import which export a model."""
    required: tuple[str, ...] = ()
    """The modules of these, qualified or relative, without which the file cannot be imported."""
    named: tuple[str, ...] = ()
    """Texts that may be paths of files or names of modules."""
    dynamic: tuple[str, ...] = ()
    """Packages, or what may be folders, whose modules are imported by a name that is computed; empty for any,
    with :data:`BY_CONFIGURATION` for what configurations name."""


_STEP = re.compile(rb"\.(?:backward|step|train|fit|run|progress|train_batch|fit_one_cycle|fine_tune)\s*\(")
_STEP_WORDS = (b".backward", b".step", b".train", b".fit", b".run", b".fine_tune", b"pipeline.progress")
_OF_TRAINERS_ALONE = frozenset({b"train_batch", b"fit_one_cycle", b"fine_tune"})
_STEPS_BY_ITSELF = re.compile(rb"LightningCLI(?<!\wLightningCLI)\(")
_SCALED = re.compile(rb"\b\w{0,40}scaler\(\s*\w{0,40}loss\w{0,40}\s*,\s*(?:self\.)?\w{0,40}optim")
"""A helper of timm and others is given the loss and the optimizer, and does both steps."""
_OF_OPTIMIZER = re.compile(
    rb"\b(?:\w{0,40}optim\w{0,40}|opt\w{0,40}|scaler)(?:\[[^\]\n]{0,60}\])?$", re.IGNORECASE
)
_OF_TRAINER = re.compile(rb"\b(?:trainer|runner|trial|learner|solver)$", re.IGNORECASE)
_MODEL = re.compile(rb"\s*(?:model|module|net)\b")
_BEFORE = 120
"""Bytes before a call in which what it is called on is looked for."""
_FUNCTION = 4_000
"""Bytes before a call in which its function begins, if that is of account."""
_TRAINER = re.compile(rb"(?<!class )\b\w{0,60}Trainer\(")
_TRAINS = re.compile(rb"\.(?:fit|train)\(")
_NAMED_TRAINING = re.compile(
    rb"(?<!def )\b(?:train|fit|finetune|fine_tune)\w{0,60}\(|\bagents?\.(?:step|learn|update)\("
)
_START = re.compile(
    rb"\n(?:if\s+(?:__name__\s*==\s*[\"']__main__[\"']|[\"']__main__[\"']\s*==\s*__name__)"
    rb"|@hydra\.main\b|(?:subprocess\.(?:run|call|check_call|Popen)|os\.(?:system|exec\w+)|runpy\.run_\w+)\("
    rb"|(?:fire\.Fire|typer\.run|tyro\.cli|app\.run|(?:main|train|run|app|cli)\w{0,40})\("
    rb"|\w[\w, ]{0,80}=\s*[\w.]{1,80}\.parse_(?:known_)?args\(|(?:\w+\s*=\s*)?(?:\w+\.)*LightningCLI\()"
)
"""Begins as :data:`_TEST` does: the end of a line is found many times as fast as the beginning of one."""
_TEST = re.compile(rb"\n\s*(?:(?:async\s+)?def test_|(?:import|from)\s+(?:unittest|pytest)\b)")
_TEST_WORDS = (b"test_", b"unittest", b"pytest")
_REMARK = re.compile(rb"#[^\n]*")
_FIRST_WORD = re.compile(rb"[^\W\d]\w*")
_TEXT = re.compile(rb"[\"']([\w./-]{3,160})[\"']")
_MODULE_OR_FILE = re.compile(rb"(?:[\w-]+[./]|\.{1,2}/)+[A-Za-z_]\w*")
_COMPUTED_FILE = re.compile(rb"[\"']((?:[\w.-]+/)+)([\w-]*)(?:\{[^{}\n\"']{0,80}\}|%s)([\w-]*\.py)[\"']")
"""A path whose last part is put together, as of a file that is loaded by its path."""
_OF_SCRIPT = re.compile(rb"\.py\b")
_SCRIPT = re.compile(rb"[ \t]([\w./-]+)$")
"""The script in the text of a command, before its suffix."""
_STARTING_WORDS = (b"system(", b"subprocess", b"Popen(")
_DYNAMIC = re.compile(rb"\b(?:import_module|__import__)\(\s*(?:[fF]?[\"']([\w.]{0,200})(.)?)?")
_DYNAMIC_WORDS = (b"import_module", b"__import__")
_LISTING = re.compile(rb"\b(?:listdir|scandir|iter_modules|walk_packages|i?glob|iterdir)\(")
_FOLDER = re.compile(rb"[\"']([A-Za-z_][\w/]{0,80}?)/?[\"']")
"""A text that may be the folder whose modules are listed."""
_ALL_COMPUTED = re.compile(rb"\b__all__(?:[ \t]*\+?=(?!=|[\s\[(]*[\"'\])])|\.(?:append|extend|insert)\()")
"""Where what a package brings is no list of texts."""
_PLUG_IN = re.compile(rb"\bplugin_dir\s*=\s*[\"']([A-Za-z_][\w/]{0,160}?)/?[\"']")
"""The folder whose modules programs of mmdet3d's kind import for a configuration in Python."""
_CONFIGURED_WORDS = (b"instantiate", b"get_obj_from_str(", b"LightningCLI(", b"get_class(")
_CONFIGURED = re.compile(rb"\binstantiate\w*\(|\bget_obj_from_str\(|\bLightningCLI\(|\bget_class\(")
_LIBRARIES = frozenset(
    b"torch torchvision numpy os sys re math time json typing pathlib argparse logging random collections"
    b" functools itertools copy abc dataclasses warnings datetime shutil glob pickle subprocess contextlib"
    b" __future__ enum inspect io transformers tqdm yaml PIL cv2 scipy pandas matplotlib einops".split()
)
_MOST = 600
"""Names of one file."""


def python_facts(python: bytes, *, is_notebook: bool = False) -> PythonFacts:
    """The facts of a file with this Python; a notebook is there to be started."""
    steps, lines = _steps(python), b"\n" + python
    starts = is_notebook or _START.search(lines) is not None or _steps_when_run(python, steps)
    return PythonFacts(
        starts,
        bool(steps) or _makes_trainer(python) or (is_notebook and _calls_training(python)),
        any(word in python for word in _TEST_WORDS) and _TEST.search(lines) is not None,
        _imports(python),
        _required(python),
        _named(python),
        _dynamic(python),
    )


def _steps(python: bytes) -> list[int]:
    """Where something trains."""
    calls = _STEP.finditer(python) if any(word in python for word in _STEP_WORDS) else ()
    found = (call for call in calls if _trains(python, call))
    scaled = _SCALED.finditer(python) if b"scaler(" in python else ()
    whole = _STEPS_BY_ITSELF.finditer(python)
    return sorted(call.start() for call in islice(chain(whole, found, scaled), _MOST))


def _trains(python: bytes, call: re.Match[bytes]) -> bool:
    name = call[0].strip(b".( \t\r\n")
    if name == b"backward":  # that of an operator calls those of others
        function = python.rfind(b"def ", max(call.start() - _FUNCTION, 0), call.start())
        return not python.startswith(b"def backward(ctx", max(function, 0))
    if name in _OF_TRAINERS_ALONE:
        return True
    owner = python[max(call.start() - _BEFORE, 0) : call.start()]
    if name == b"step":
        return _OF_OPTIMIZER.search(owner) is not None
    if name == b"progress":  # one step of torchrec, which splits it into stages
        return owner.endswith(b"pipeline")
    is_given_model = name == b"fit" and _MODEL.match(python, call.end()) is not None
    return is_given_model or _OF_TRAINER.search(owner) is not None


def _makes_trainer(python: bytes) -> bool:
    return (
        b"Trainer(" in python and _TRAINER.search(python) is not None and _TRAINS.search(python) is not None
    )


def _calls_training(python: bytes) -> bool:
    """Whether a call is named for training, which says little of a module, and much of a notebook."""
    return any(not call[0].startswith(b"train_test_split") for call in _NAMED_TRAINING.finditer(python))


def _steps_when_run(python: bytes, steps: list[int]) -> bool:
    """Whether one of the steps is in no function and no class."""
    definitions: list[int] = []
    end, place = 0, 0
    for line in python.splitlines(keepends=True) if steps else ():
        end += len(line)
        statement = line.lstrip(b" \t\f")
        depth = len(line) - len(statement)
        if statement.strip() and statement[:1] not in b")]}#\"'":
            while definitions and definitions[-1] >= depth:
                definitions.pop()
            if statement.startswith((b"def ", b"class ", b"async def ")):
                definitions.append(depth)
        first = place
        place = bisect_left(steps, end, place)
        if place > first and not definitions:
            return True
        if place == len(steps):
            break
    return False


def _imports(python: bytes) -> tuple[str, ...]:
    found: set[bytes] = set()
    for source, names, plain, _, is_of_export in import_statements(python):
        if is_of_export:
            continue  # no training comes there
        if plain:
            words = (_words(part) for part in plain.split(b","))
            found.update(word for word in words if word.partition(b".")[0] not in _LIBRARIES)
        elif source.partition(b".")[0] not in _LIBRARIES:
            found.add(source)
            start = source if source.endswith(b".") else source + b"."
            parts = _REMARK.sub(b"", names).strip(b"() \t\r\n").split(b",")
            first = (_FIRST_WORD.match(part.strip(b" \t\r\n\\(")) for part in parts)
            found.update(start + word[0] for word in first if word is not None)
    found.update(module for module, end in _computed(python) if _is_whole(module, end))
    return _sorted(found - {b""})


def _required(python: bytes) -> tuple[str, ...]:
    found: set[bytes] = set()
    for source, _, plain, is_outer, _ in import_statements(python):
        if is_outer:
            found.update((source,) if source else map(_words, plain.split(b",")))
    return _sorted({name for name in found if b"." in name and name.partition(b".")[0] not in _LIBRARIES})


def _words(part: bytes) -> bytes:
    return part.split()[0] if part.split() else b""


def _named(python: bytes) -> tuple[str, ...]:
    texts = {text for text in _TEXT.findall(python) if b"." in text}
    named = {text for text in texts if _MODULE_OR_FILE.fullmatch(text)}
    computed = _COMPUTED_FILE.findall(python) if b".py" in python else ()
    named.update(b"%s%s*%s" % parts for parts in computed)
    if any(word in python for word in _STARTING_WORDS):
        for end in islice(_OF_SCRIPT.finditer(python), _MOST):
            script = _SCRIPT.search(python[max(end.start() - _BEFORE, 0) : end.start()])
            named.update((script[1] + end[0],) if script is not None else ())
    return _sorted(named)


def _dynamic(python: bytes) -> tuple[str, ...]:
    found: set[bytes] = set()
    for module, end in _computed(python):
        if not _is_whole(module, end):
            found.update({module.rpartition(b".")[0]} if module else {b"", BY_CONFIGURATION.encode()})
    if b"" in found and _LISTING.search(python):
        found.update(match[1] for match in islice(_FOLDER.finditer(python), _MOST))
    elif b"__all__" in python and _ALL_COMPUTED.search(python) and _LISTING.search(python):
        found.add(b"")  # ``from package import *`` imports what is listed
    found.update(_PLUG_IN.findall(python) if b"plugin_dir" in python else ())
    if any(word in python for word in _CONFIGURED_WORDS) and _CONFIGURED.search(python):
        found.add(BY_CONFIGURATION.encode())
    return _sorted(found)


def _computed(python: bytes) -> list[tuple[bytes, bytes]]:
    """What calls that import are given, and the sign behind it."""
    return _DYNAMIC.findall(python) if any(word in python for word in _DYNAMIC_WORDS) else []


def _is_whole(module: bytes, end: bytes) -> bool:
    """Whether a text names a module, and is not only the beginning of a name."""
    return bool(module) and end in (b'"', b"'") and not module.endswith(b".")


def _sorted(names: set[bytes]) -> tuple[str, ...]:
    return tuple(name.decode("utf-8", "replace") for name in sorted(names)[:_MOST])
