"""What the restrictions that the support pages print come to: dtypes, flags, notes on single hardware."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gpu2ascend_rules.facts.packed.rows import ORDINARY_DTYPES

from .documents import hardware_of

_DTYPES = {
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "half": "float16",
    "float": "float32", "double": "float64", "uint16": "uint16",
    **{name: name for name in ORDINARY_DTYPES},
}  # fmt: skip
_ORDER = (*ORDINARY_DTYPES, "uint16")
_NAMES = "|".join(sorted(_DTYPES, key=len, reverse=True))
_LIST = rf"(?:{_NAMES})(?:\s*[，,、和]\s*(?:{_NAMES}))*"
_SCOPE = re.compile(r"(?P<terms><term>.*</term>)\s*[：:]\s*(?P<text>.*)")
_STATEMENT = re.compile(
    rf"(?P<subject>.*?)(?P<verb>仅支持|不支持|额外支持|还支持|支持)(?P<dtypes>{_LIST})(?:数据类型)?\s*$"
)
_PARAMETERS = re.compile(r"\w+")
_FLOATING = frozenset({"float16", "bfloat16", "float32"})


class Restrictions(NamedTuple):
    """The columns ``dtypes``, ``flags``, ``hw_notes`` and ``tags``, and whether anything limits the API."""

    dtypes: str
    flags: str
    hw_notes: str
    tags: str
    restricts: bool


class _Dtypes(NamedTuple):
    """A statement on dtypes, and of which parameters it is."""

    verb: str
    parameters: tuple[str, ...]
    dtypes: tuple[str, ...]


def restrictions(notes: Iterable[str]) -> Restrictions:
    """What an API's notes come to."""
    limits: dict[str, tuple[str, ...]] = {}
    flags: set[str] = set()
    tags: set[str] = set()
    on_hardware: list[str] = []
    for scope, text in (sentence for note in notes for sentence in _sentences(note)):
        statements = _statements(text)
        if not statements and scope:
            on_hardware.append(f"{scope}:note")
        elif not statements:
            flags.update(_flags_of(text))
            tags.update({"perf_note"} if "性能" in text else ())
        for statement in statements:
            if scope or statement.verb == "不支持":
                on_hardware.append(_hardware_note(scope or "all", statement))
                if not scope and "float64" in statement.dtypes:
                    flags.add("no_float64")
            else:
                limits.update(dict.fromkeys(statement.parameters, statement.dtypes))
    if limits and _lacks_float64(next(iter(limits.values()))):
        flags.add("no_float64")
    limited = any(set(dtypes) < set(ORDINARY_DTYPES) for dtypes in limits.values())
    unscoped = any(note.startswith("all:") for note in on_hardware)
    return Restrictions(
        dtypes=";".join(f"{name}:{','.join(dtypes)}" for name, dtypes in limits.items()),
        flags=",".join(sorted(flags)),
        hw_notes=";".join(dict.fromkeys(on_hardware)),
        tags=",".join(sorted(tags)),
        restricts=limited or unscoped or bool(flags),
    )


def _sentences(note: str) -> Iterator[tuple[str, str]]:
    """The sentences of a note, each with the hardware that the note is on (``a2+train``), or nothing."""
    match = _SCOPE.match(note.strip())
    scope, text = "", note.strip()
    if match is not None:
        families = (hardware_of(term) for term in re.findall(r"<term>(.*?)</term>", match["terms"]))
        scope, text = "+".join(filter(None, families)), match["text"].strip()
    for sentence in re.split(r"[。；;]", text):
        if sentence.strip():
            yield scope, sentence.strip()


def _statements(text: str) -> tuple[_Dtypes, ...]:
    """The statements on dtypes that a sentence consists of, or none if it says anything else."""
    found: list[_Dtypes] = []
    for part in re.split(r"[，,](?=\s*不支持)", text):
        match = _STATEMENT.match(part.replace("`", " ").strip())
        if match is None:
            return ()
        subject = match["subject"].strip(" ：:，,")
        names = tuple(_PARAMETERS.findall(subject)) if _is_list(subject) else ()
        if subject and not names:
            return ()
        found.append(_Dtypes(match["verb"], names or ("*",), _dtypes(match["dtypes"])))
    return tuple(found)


def _is_list(subject: str) -> bool:
    """Whether a subject is names of parameters with nothing but list marks between them."""
    return re.fullmatch(r"[A-Za-z_0-9\s，,、和]+", subject) is not None


def _dtypes(text: str) -> tuple[str, ...]:
    names = {_DTYPES[name] for name in re.findall(_NAMES, text)}
    return tuple(name for name in _ORDER if name in names)


def _hardware_note(scope: str, statement: _Dtypes) -> str:
    kind = {"仅支持": "only", "支持": "only", "不支持": "not"}.get(statement.verb, "also")
    return f"{scope}:{kind}={'+'.join(statement.dtypes)}"


def _flags_of(text: str) -> Iterator[str]:
    if "CPU" in text and re.search(r"回退|执行|运行", text):
        yield "cpu_fallback"
    elif "推理" in text and re.search(r"仅|不支持训练", text):
        yield "inference_only"
    else:
        yield "other_restriction"


def _lacks_float64(dtypes: tuple[str, ...]) -> bool:
    return bool(_FLOATING.intersection(dtypes)) and "float64" not in dtypes
