"""What a failure means by its structure: what the line says, and whose code raised it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from string import Formatter
from typing import NamedTuple

from gpu2ascend_rules.messages import LANGUAGES, catalogue
from gpu2ascend_rules.model.finding import Message

from ..tables import rows
from .failures import Failure, groups_of
from .frames import Frame
from .owners import (
    OWN,
    Owner,
    built_package,
    owned_frames,
    owner_of_exception,
    owner_of_module,
    owner_of_words,
)
from .statements import sentence_of
from .table import quoted_in

_FRAMEWORKS = ("torch", "npu", "base")
_AREAS = (
    ("download", re.compile(r"huggingface_hub|hf_hub|snapshot_download|download")),
    ("settings", re.compile(r"config|argument|arg_utils|/args?[._/]|parser|validat|cli/|options")),
    ("weights", re.compile(r"(?<!data_)(?<!data)loader|weight|checkpoint|safetensors|state_dict|load_model")),
    ("data", re.compile(r"data|collat|tokeniz|process(?:or|ing)|template")),
    ("group", re.compile(r"distributed|parallel_state|communicat|device_mesh")),
    ("operator", re.compile(r"/ops/|kernel|attention|quant|custom_op")),
    ("model", re.compile(r"model")),
)
"""What a module of a library is for, by its path."""
_GENERATED = (
    ("compile", re.compile(r"/(?:_inductor|_dynamo)/|/torchinductor_\w+/")),
    ("script", re.compile(r"/torch/(?:jit|_jit_internal)\b")),
)
"""Code that torch makes of other code, by the path of the innermost frame."""

_CUDA = re.compile(r"(?<!/)\b(?:cuda|CUDA(?:_HOME|_PATH)?|[Nn]ccl|NCCL|nvcc|NVIDIA|nvidia)\b(?!/)|libcuda")
"""Words of a line that wants CUDA, whatever else it says; no folders."""
_NPU = re.compile(r"(?<![\w/.-])(?:npu|NPU|[Aa]scend(?: NPU)?|device(?: type)?:? '?npu'?)(?![\w/-])")
"""Words that name the device."""
_SAFE = re.compile(r"[\w./+:@~-]*")
_PATHS = ("file", "path")
"""Paths of a log stand in a command only where they hold no sign of a shell."""
_MADE = re.compile(r"(?:^|[=(,]|\breturn)\s*([A-Z]\w+)\(")
"""The class that a line of code makes an object of."""
_LONGEST = 400
"""Characters of a message that an answer quotes."""
_ERROR = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b")
_CHECK = re.compile(r"(?:raise|assert)\b")
"""A line of code that refuses something on purpose."""
_AROUND = 12
"""Lines above a place that show why it is reached."""


class Answer(NamedTuple):
    """Why, what to do, and what to run next."""

    cause: Message
    remedy: Message
    command: str
    is_of_owner: bool
    """Whether it names whose code it is."""


class _Condition(NamedTuple):
    said: re.Pattern[str]
    whose: tuple[str, ...]
    text: str
    command: str


def answer_of(failure: Failure) -> Answer:
    """The answer of the first reason that fits, else that of the failure's row."""
    subject = _subject(failure)
    frame, raiser = _raised(failure, subject)
    said_by = quoted_in(failure.text)
    named = owner_of_exception(said_by) or owner_of_words(said_by)
    is_base = raiser is not None and raiser.role == "base"
    owner = subject or (named if is_base and named else raiser) or named
    arguments = _arguments(failure, owner, raiser, frame)
    said = " ".join(f"{key}={value}" for key, value in arguments.items() if value)
    for reason in _reasons().get(failure.name, ()):
        if reason.said.search(said) and (reason.whose == ("*",) or (owner and owner.role in reason.whose)):
            stem = f"doctor.log.{reason.text}"
            return Answer(*_messages(stem, arguments), _command(reason.command, arguments), owner is not None)
    stem = f"doctor.log.{failure.name}"
    cause, remedy = _messages(stem, arguments)
    return Answer(cause, remedy, failure.command, is_of_owner=False)


def _command(template: str, arguments: Mapping[str, str]) -> str:
    """A command with its names; none where one of them is not known."""
    is_safe = all(_SAFE.fullmatch(arguments[name]) for name in _PATHS if name in _fields(template))
    return template.format_map(arguments) if is_safe and all(map(arguments.get, _fields(template))) else ""


def _messages(stem: str, arguments: Mapping[str, str]) -> tuple[Message, Message]:
    return _message(f"{stem}.cause", arguments), _message(f"{stem}.remedy", arguments)


def _message(message_id: str, arguments: Mapping[str, str]) -> Message:
    """A message with those arguments that its text has in a language."""
    texts = (catalogue(language).get(message_id, "") for language in LANGUAGES)
    names = {field for text in texts for field in _fields(text)}
    return Message.of(message_id, **{name: arguments[name] for name in sorted(names) if name in arguments})


def _fields(template: str) -> list[str]:
    return [field for _, field, _, _ in Formatter().parse(template) if field]


def _subject(failure: Failure) -> Owner | None:
    """Whose module or class the line is about."""
    module, of_type = failure.said.get("module", ""), failure.said.get("type", "")
    if module:
        return owner_of_module(module) or Owner(module.partition(".")[0], "unknown")
    if of_type == "__init__" and failure.frames:
        made = _MADE.search(failure.frames[-1].code)
        of_type = made[1] if made else ""
    return _forwarding(failure, of_type) or owner_of_words(of_type)


def _forwarding(failure: Failure, of_type: str) -> Owner | None:
    """The library whose own wrapper calls a class without its name: that class is of this library.

    Several libraries have a ``Trainer``, and a line alone does not say of which it is.
    """
    frame, owner = next(owned_frames(failure.frames), (Frame("", 0), OWN))
    name = of_type.removesuffix(".__init__").rpartition(".")[2]
    is_named = name in frame.code or "super(" in frame.code
    return owner if of_type and frame.code and owner.role == "library" and not is_named else None


def _raised(failure: Failure, subject: Owner | None) -> tuple[Frame, Owner | None]:
    """The innermost code that asked for what the failure is about, and its owner.

    That is not the code of the subject itself, nor of a framework, which mostly refuses what others give it,
    but where only a framework asks for another.
    """
    frames = [
        (frame, owner) for frame, owner in owned_frames(failure.frames)
        if subject is None or owner.module != subject.module
    ]  # fmt: skip
    others = [found for found in frames if found[1].role not in _FRAMEWORKS]
    return next(iter((frames if subject else others) or frames), (Frame("", 0), None))


def _arguments(failure: Failure, owner: Owner | None, raiser: Owner | None, frame: Frame) -> dict[str, str]:
    module = failure.said.get("module", failure.said.get("circular", ""))
    return {
        **_parts(failure),
        **failure.said,
        "operator": failure.operator,
        "error": error[0] if (error := _ERROR.search(failure.text)) else "",
        "root": owner.module if owner and "." in owner.module else module.partition(".")[0],
        "package": owner.package if owner else "",
        "partner": _partner(owner, raiser),
        "area": _area(failure, raiser, frame),
        "inner": next((one.role for _, one in owned_frames(failure.frames)), ""),
        "raiser": "own" if raiser == OWN else raiser.package if raiser else "",
        "itself": owner.package if owner and failure.frames and not raiser else "",
        **_places(failure, raiser, frame),
        "wants": _wants(failure.statement or failure.text),
    }


def _partner(owner: Owner | None, raiser: Owner | None) -> str:
    """The package whose release must fit: the one that asks, but not a mere user of what has a plug-in."""
    if owner is None:
        return ""
    if owner.role == "cuda":  # what takes its place is the same for whoever asks
        return owner.partner
    is_other = raiser is not None and raiser.module not in ("", owner.module)
    is_asking = raiser is not None and (raiser.role != "library" or not owner.partner)
    return raiser.package if raiser is not None and is_other and is_asking else owner.partner


def _places(failure: Failure, raiser: Owner | None, frame: Frame) -> dict[str, str]:
    """What the frames say: the code that failed, and the project's line that led to it."""
    own = next((one for one, owner in owned_frames(failure.frames) if owner == OWN), None)
    return {
        "check": "yes" if failure.frames and _CHECK.match(failure.frames[-1].code) else "",
        "at": f"{own.path}:{own.line}" if own is not None and raiser != OWN else "",
        "building": built_package(failure.frames),
        "code": frame.code,
        "last": failure.frames[-1].code if failure.frames else "",
        "file": frame.path,
        "from": str(max(frame.line - _AROUND, 1)) if frame.line else "",
        "to": str(frame.line) if frame.line else "",
    }


def _wants(text: str) -> str:
    """What a message names that the NPU's code has to be there for, or that it cannot have."""
    return "cuda" if _CUDA.search(text) else "npu" if _NPU.search(text) else ""


def _parts(failure: Failure) -> dict[str, str]:
    """What the kinds of the table of statements find in the whole message."""
    whole = failure.statement or failure.text
    found: dict[str, str] = {"sentence": sentence_of(whole)[:_LONGEST].rstrip(".。"), "about": ""}
    for row in rows("statements"):
        match = re.search(row["pattern"], whole)
        if match is not None:
            return {**found, "about": row["about"], **groups_of(match)}
    return found


def _area(failure: Failure, raiser: Owner | None, frame: Frame) -> str:
    """What the code is for: ``compile`` or ``script`` if torch makes it, else the area of its library."""
    innermost = next((found.path for found, _ in owned_frames(failure.frames)), "")
    where = f"{frame.path} {frame.code}".lower() if raiser != OWN else ""
    made = (name for name, pattern in _GENERATED if pattern.search(innermost))
    return next(made, next((name for name, area in _AREAS if area.search(where)), ""))


@cache
def _reasons() -> dict[str, tuple[_Condition, ...]]:
    found: dict[str, tuple[_Condition, ...]] = {}
    for row in rows("reasons"):
        whose = tuple(row["whose"].split(","))
        own, _, of_other = row["text"].partition("/")
        text = of_other or f"{row['id']}.{own}"
        reason = _Condition(re.compile(row["said"]), whose, text, row["command"] or "")
        for name in row["id"].split(","):
            found[name] = (*found.get(name, ()), reason)
    return found
