"""Words that options, settings and variables no longer take once a project is migrated, where a text of
whatever kind still gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from tree_sitter import Node

from ...engine.context import Context
from ...engine.places.context import PlaceContext
from ...kinds.shell.places import Word
from ...limits.parents import parent_of
from ...model.project.decisions import Outcome
from ...model.project.inputs import SettingInput
from ...text.syntax import field, text_of
from ..subjects.commands import option_before
from ..templates import plain_text
from .options import AsksProject, fate_of
from .programs import python_at

COUNTERPARTS = {"cuda": "npu", "nccl": "hccl", "NCCL": "HCCL"}
_WORD = re.compile(rb"(?<![\w./-])(cuda|nccl|NCCL)(?::\d+)?(?![\w./-])")
_FIELDS = re.compile(r":(?:\{\}|%[ds]|$)")
"""The number of a device that is put into a text, or behind it."""
_EARLIER = re.compile(rb"(?:(?<![\w./-])(?:cuda|npu)(?::\d+)?[\"']?[\s,\\]+[\"']?)+$")
"""The other devices before one that is given to the same option."""
_OPTION = re.compile(rb"(?<![\w-])(--?[A-Za-z][\w.-]*)$")
_NAME = re.compile(rb"(?<![\w.$@{/-])([A-Za-z_][\w.]*)$")
_KEY = re.compile(rb"(?:^|[\s{,])[\"']?([A-Za-z_]\w*)$")
"""The key of a configuration that a script writes, or gives as one argument."""
_OF_SHELL = frozenset({"shell", "makefile", "justfile", "dockerfile"})
_CONFIGURATIONS = ("_.yaml", "_.json", "_.toml", "_.ini")
"""A path for each kind of configuration that programs read."""
_KEYS = re.compile(rb"(?<![\w.$@{/-])([A-Za-z_]\w*(?:\.\w+)+)$")
"""The keys of a configuration as yacs takes them: ``MODEL.DEVICE cuda``."""
_FORMAT = re.compile(rb"(?<![\w-])(--?[A-Za-z][\w.-]*)(?:=|[ \t]+)%s(?:\\\\n)?[\"']$")
"""``printf -v ARGS '--device %s' cuda``: the option that the format gives what follows."""
_PIPED = re.compile(rb"\becho[ \t]+([^|\n;&]*)\|[^\n;&|]*?\bxargs\b([^\n;&|]*)")
_PLACE = re.compile(rb"(?:^|[ \t])-I[ \t]*(\S+)")
_OF_IMAGE = re.compile(rb"\bENV[ \t]+([A-Za-z_]\w*)$")
_OF_POD = re.compile(rb"\bname[\"']?:[ \t]*[\"']?(\w+)[\"']?,?\s+[\"']?value$")
"""Kubernetes' ``name: DEVICE`` with ``value: cuda`` below it."""
_VISIBLE = re.compile(
    rb"(?<![\w$@{])(CUDA_VISIBLE_DEVICES)(?=[\"']?[ \t]*[=:][ \t]*[\"']?([^\s\"',;]*))"
    rb"|\bname[\"']?:[ \t]*[\"']?(CUDA_VISIBLE_DEVICES)"
    rb"(?=[\"']?,?\s+[\"']?value[\"']?:[ \t]*[\"']?([^\s\"']*))"
)
"""Where a text sets the variable: in a command, as a setting, or as Kubernetes does."""
_QUOTES = b"\"'`"
_SCRIPT = re.compile(rb"(?<![\w./-])[\w./-]+\.py\b")
_CONFIGURED = re.compile(r"\bhydra\b|\bOmegaConf\b|\bmerge_from_list\b")
_GIVEN = re.compile(rb"(?<![\w.$-])[\w.$-]*[\w.$][\"']?(?:[-=:, \t]|\\\\?\r?\n)*[\"']?$")
"""The name of an option, setting or variable, and what is between it and its value."""
_READ = re.compile(rb"(?<![\w-])(--?[A-Za-z][\w.-]*)(?:=|[ \t]+)[\"']?\$[{(]?(\w+)")
"""An option that gets the value of a variable."""
_SET = re.compile(
    rb"(?<![\w$-])([A-Za-z_]\w*)(?:\[[^\]\n]*\])?[ \t]*[:?+]{0,2}=|\bprintf[ \t]+-v[ \t]+([A-Za-z_]\w*)"
    rb"|\bread[ \t]+(?:-\w+[ \t]+)*([A-Za-z_]\w*)[ \t]*<<<"
)
"""What a line sets a variable by."""
_KEY_OF_ARRAY = re.compile(rb"\[[\"']?([A-Za-z][\w-]*)[\"']?\]=[\"']?")
_OPTION_OF_KEY = re.compile(rb"(?<![\w-])--[\"']?\$\{?\w")
"""An option that has the name of a key of an array: ``--$key "${OPTIONS[$key]}"``."""
_END = re.compile(rb"[\"'`;&|]|(?<!\\)\r?\n")
_OTHER_LINE = re.compile(rb"[ \t]*(?![\"'\-\[\](){},\\]|args\b|$)\S")
"""A line that is no item of a list which goes on."""
_BEFORE, _WINDOW = 160, 400
"""Bytes before a word in which its name is, and in which the program that gets it is named."""


class OldWord(NamedTuple):
    """A word that stands where another is expected; the span is that of the word without a number."""

    name: str
    """The option, the keys of a setting, or the variable."""
    start: int
    end: int
    value: str
    is_certain: bool = False
    """Whether the text names the program that takes it."""

    @property
    def new(self) -> str:
        """What is expected in its place."""
        return COUNTERPARTS[self.value]


def given_words(data: bytes) -> Iterator[tuple[str, OldWord]]:
    """The words of devices and back ends that a text seems to give something, with the name under which a
    project knows it: ``--device`` of an option, ``device=`` of a setting, ``$DEVICE`` of a variable,
    ``device:`` of a key of a configuration within the text."""
    for match in _WORD.finditer(data):
        start, end = match.span(1)
        for known in _names_before(_EARLIER.sub(b"", data[max(start - _BEFORE, 0) : start])):
            yield known, OldWord(known.strip("$=:"), start, end, match[1].decode())


def visible_devices(data: bytes) -> Iterator[OldWord]:
    """Where a text sets the variable that chooses GPUs, with its value; certain where it names a program of
    Python."""
    is_certain = _SCRIPT.search(data) is not None
    for match in _VISIBLE.finditer(data):
        name = 1 if match[1] else 3
        value = match[name + 1].decode("utf-8", "replace")
        yield OldWord(match[name].decode(), *match.span(name), value, is_certain)


def _names_before(text: bytes) -> Iterator[str]:
    """What a text gives the value that follows it, under the names of :func:`given_words`."""
    unquoted = text[:-1] if text[-1:] in (b'"', b"'", b"`") else text
    bare = unquoted.rstrip(b" \t")
    if bare.endswith(b"="):
        bare = bare[:-1].rstrip(b" \t")
        yield from _found(_OPTION, bare, "{}")
        yield from _found(_NAME, bare, "{}=")
        yield from _found(_NAME, bare, "${}")
    elif bare.endswith(b":"):
        bare = bare[:-1].rstrip(_QUOTES)
        yield from _found(_OF_POD, bare, "${}")
        yield from _found(_NAME, bare, "${}")
        yield from _found(_KEY, bare, "{}:")
    elif bare.endswith(b"<<<"):  # ``xargs python train.py --device <<< cuda``
        yield from _found(_OPTION, bare[:-3].rstrip(b" \t"), "{}")
    else:
        yield from _found(_FORMAT, bare, "{}")
        yield from _found(_OF_IMAGE, bare, "${}")
        yield from _found(_KEYS, bare, "{}=")
        # On the next line, in a list, or as its next item.
        yield from _found(_OPTION, unquoted.rstrip(b" \t\r\n\\,-").rstrip(_QUOTES), "{}")


def _found(pattern: re.Pattern[bytes], text: bytes, form: str) -> Iterator[str]:
    match = pattern.search(text)
    if match is not None:
        yield form.format(match[1].decode("utf-8", "replace"))


def is_moved(known: str, value: str, moved: Mapping[str, frozenset[str]]) -> bool:
    """Whether what a project knows by a name no longer takes a word."""
    return any(word.partition(":")[0] == value for word in moved.get(known, ()))


def old_words(data: bytes, path: str, ctx: AsksProject, *, is_of_shell: bool = False) -> Iterator[OldWord]:
    """The words in a text that the migrated project does not take there.

    Args:
        path: Where the text is.
        is_of_shell: Whether a shell reads it, which sets variables and writes configurations.
    """
    moved = ctx.project.program.moved_options(ctx.options)
    for known, word in given_words(data):
        program = _program_before(data[max(word.start - _WINDOW, 0) : word.start], path, ctx)
        if known.endswith(":"):
            if is_of_shell and _is_read_by_key(word, moved, ctx):
                yield word
        elif not known.startswith("-"):
            if is_moved(known, word.value, moved):
                is_read = program is not None and _CONFIGURED.search(program[1]) is not None
                yield word._replace(is_certain=known.startswith("$") or is_read)
        elif program is not None and fate_of(program, known, word.value, ctx).is_known:
            if fate_of(program, known, word.value, ctx).becomes not in (None, word.value):
                yield word._replace(is_certain=True)
        elif is_moved(known, word.value, moved) or _is_moved_by_any(known, word.value, ctx):
            yield word
    if is_of_shell:
        yield from _of_variables(data, moved, ctx)
        yield from _of_pipes(data, moved, ctx)


def _of_pipes(data: bytes, moved: Mapping[str, frozenset[str]], ctx: AsksProject) -> Iterator[OldWord]:
    """The words that xargs gives options: ``echo cuda | xargs -I{} python train.py --device {}``."""
    for piped in _PIPED.finditer(data):
        place = _PLACE.search(piped[2])
        mark = re.escape(place[1]) if place is not None else b"$"
        taking = re.search(rb"(--?[A-Za-z][\w.-]*)(?:=|[ \t]+|$)[\"']?" + mark, piped[2].rstrip())
        option = taking[1].decode() if taking is not None else ""
        for match in _WORD.finditer(piped[1]) if option else ():
            value, at = match[1].decode(), piped.start(1)
            if is_moved(option, value, moved) or _is_moved_by_any(option, value, ctx):
                yield OldWord(option, at + match.start(1), at + match.end(1), value)


def _of_variables(data: bytes, moved: Mapping[str, frozenset[str]], ctx: AsksProject) -> Iterator[OldWord]:
    """The words that a line sets variables to which options get: ``B=([a]=nccl)`` with ``--backend ${B[a]}``,
    ``BACK := nccl`` with ``FLAGS += --backend $(BACK)``."""
    options: dict[bytes, set[str]] = {}
    for read in _READ.finditer(data):
        options.setdefault(read[2], set()).add(read[1].decode())
    for key in _KEY_OF_ARRAY.finditer(data) if _OPTION_OF_KEY.search(data) is not None else ():
        options[b"[%b]" % key[1]] = {f"--{key[1].decode()}"}
    known: dict[tuple[bytes, str], str | None] = {}

    def moved_option(variable: bytes, value: str) -> str | None:
        if (variable, value) not in known:
            given = sorted(options.get(variable, ()))
            taken = (it for it in given if is_moved(it, value, moved) or _is_moved_by_any(it, value, ctx))
            known[variable, value] = next(taken, None)
        return known[variable, value]

    for match in _WORD.finditer(data) if options else ():
        start, end = match.span(1)
        line = data[data.rfind(b"\n", 0, start) + 1 : start]
        found = (moved_option(name, match[1].decode()) for name in _names_set_by(line))
        option = min((one for one in found if one is not None), default=None)
        if option is not None:
            yield OldWord(option, start, end, match[1].decode())


def _names_set_by(line: bytes) -> Iterator[bytes]:
    """The variables that a line sets, and the key of an array, in brackets, whose value comes next."""
    yield from (item[item.lastindex or 1] for item in _SET.finditer(line))
    yield from (b"[%b]" % key[1] for key in _KEY_OF_ARRAY.finditer(line) if key.end() == len(line))


def old_argument(string: Node, text: str, ctx: Context) -> OldWord | None:
    """What a string gives a program that takes it no more: an option before it in a list, or a variable of
    the environment. The span is of no text."""
    text = _FIELDS.sub(":0", text)
    if _WORD.fullmatch(text.encode("utf-8", "replace")) is None:
        return None
    variable = _variable_set_to(string)
    if variable:
        value = text.partition(":")[0]
        moved = ctx.project.program.moved_options(ctx.options)
        is_old = is_moved(f"${variable}", value, moved)
        return OldWord(variable, 0, len(value), value, is_certain=True) if is_old else None
    before = option_before(string)
    data = f"{before} {text}".encode("utf-8", "replace") if before.startswith("-") else b""
    return next(old_words(data, ctx.source.path, ctx), None)


def _variable_set_to(string: Node) -> str:
    """The variable of the environment that code sets to a string, here or for a process that it starts."""
    parent = parent_of(string)
    if parent is None or parent.type not in ("assignment", "pair"):
        return ""
    if parent.type == "assignment":
        target = field(parent, "left")
        holder, keys = field(target, "value"), target.children_by_field_name("subscript") if target else []
        is_environment = holder is not None and text_of(holder).endswith("environ")
        return plain_text(keys[0]) or "" if is_environment and len(keys) == 1 else ""
    table = parent_of(parent)
    keyword = field(parent_of(table), "name") if parent_of(table) is not None else None
    is_environment = table is not None and ("environ" in text_of(table) or (text_of(keyword) == "env"))
    return plain_text(field(parent, "key")) or "" if is_environment else ""


def _is_read_by_key(word: OldWord, moved: Mapping[str, frozenset[str]], ctx: AsksProject) -> bool:
    """Whether code takes the new word from a configuration that has a key of this name."""
    if is_moved(f"{word.name}=", word.value, moved):
        return True
    inputs = (SettingInput(path, (word.name,)) for path in _CONFIGURATIONS)
    outcomes = (ctx.project.program.outcome_of_input(given, word.value, ctx.options) for given in inputs)
    return any(outcome is Outcome.MOVES for outcome in outcomes)


def old_words_of(ctx: PlaceContext) -> tuple[OldWord, ...]:
    """Those of the file that rules look at, searched for once."""
    is_of_shell = ctx.file.kind.name in _OF_SHELL
    given = ctx.file.data, ctx.file.path, ctx
    return ctx.once(old_words, lambda: tuple(old_words(*given, is_of_shell=is_of_shell)))


def _program_before(data: bytes, path: str, ctx: AsksProject) -> tuple[str, str] | None:
    """The program of the project that gets what follows a text: the last one of the same command, or of the
    list whose item follows."""
    given = _GIVEN.search(data)
    before = data[: given.start()] if given is not None else data
    own = before[_last_end(before) :]
    where = own if own.strip(b" \t-[(,") else before
    found = list(_SCRIPT.finditer(where))
    if not found or any(map(_OTHER_LINE.match, where[found[-1].end() :].split(b"\n")[1:])):
        return None
    name = found[-1][0].decode()
    return python_at(Word(0, 0, name, name), ctx.project, path)


def _last_end(text: bytes) -> int:
    """Where the last string or line ends before which nothing is of the command that a text ends with."""
    return max((match.end() for match in _END.finditer(text)), default=0)


def _is_moved_by_any(option: str, value: str, ctx: AsksProject) -> bool:
    """Whether the programs that declare an option take the new word, and none the old one."""
    texts = ((path, ctx.project.text_at(path)) for path in ctx.project.declared_in(option))
    fates = [fate_of((path, text), option, value, ctx) for path, text in texts if text is not None]
    known = [fate for fate in fates if fate.is_known]
    return bool(known) and all(fate.is_safe and fate.becomes not in (None, value) for fate in known)
