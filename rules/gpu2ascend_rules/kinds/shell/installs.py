"""What commands of pip and conda install, and where from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..packages.places import Beside, InCommand, Index, Requirement, Style
from ..packages.requirement import read_requirement
from .places import Command, Word

_PIP = re.compile(r"pip\d?(?:\.\d+)?")
_CONDA = frozenset({"conda", "mamba", "micromamba"})
_BEFORE = re.compile(r"(?:.*/)?(?:python|pypy)[\d.]*|(?:.*/)?(?:sudo|uv|exec|time|env)|-m|-H|-E|-u")
_INDEXES = frozenset({"-i", "-f", "--index-url", "--extra-index-url", "--find-links", "--index"})
_JOINED = re.compile(r"(--(?:index-url|extra-index-url|find-links))=")
_WITH_VALUE = frozenset(
    {
        *("-r", "--requirement", "-c", "--constraint", "-e", "--editable", "-t", "--target", "--root"),
        *("--prefix", "--src", "--platform", "--python", "--python-version", "--implementation", "--abi"),
        *("--no-binary", "--only-binary", "--upgrade-strategy", "--timeout", "--retries", "--proxy"),
        *("--trusted-host", "--cert", "--client-cert", "--cache-dir", "--log", "--progress-bar", "--report"),
        *("--global-option", "--config-settings", "--config-setting", "--install-option", "--extra"),
        *("--keyring-provider", "--exists-action", "--use-feature", "--index-strategy", "--torch-backend"),
        *("-p", "-n", "--name", "--channel", "--file"),
    }
)
_LISTS = frozenset({"-r", "--requirement", "-e", "--editable", "--file"})
_NAMED = re.compile(
    r"(?P<name>[A-Za-z0-9][\w.-]*?)(?:\[[\w,-]*\])?(?P<versions>[=<>!~]=?[^;]*\$[^;]*)$", re.ASCII
)
_OF_CONDA = re.compile(r"(?:[\w./-]+::)?(?P<name>[A-Za-z][\w.-]*)(?P<versions>(?:[=<>!~][^$]*)?)$", re.ASCII)
_CONDA_NAMES = {"pytorch": "torch", "pytorch-gpu": "torch"}


def installs_of(command: Command) -> Iterator[Requirement | Index]:
    """What a command asks for; nothing where it installs nothing, or does so in a way that is not known."""
    texts = [word.text or "" for word in command.words]
    at = next((index for index, text in enumerate(texts) if _BEFORE.fullmatch(text) is None), len(texts))
    program = texts[at].rpartition("/")[2] if at < len(texts) else ""
    style = Style.CONDA if program in _CONDA else Style.PIP if _PIP.fullmatch(program) else None
    after = next((index for index in range(at + 1, len(texts)) if texts[index][:1] != "-"), len(texts))
    if style is None or after == len(texts) or texts[after] != "install":
        return
    packages: list[int] = []
    others: list[str] = []
    option = ""
    for index in range(after + 1, len(texts)):
        word = command.words[index]
        if option in _INDEXES and style is Style.PIP:
            yield _index(word, option, command.words[index - 1].start, command)
        elif option:
            others += [option] if option in _LISTS else []
        elif word.raw.startswith("-"):
            yield from _joined(word, command)
        else:
            packages.append(index)
            others.append(texts[index] or word.raw)
            option = ""
            continue
        takes = word.raw in _INDEXES or word.raw in _WITH_VALUE or (style is Style.CONDA and word.raw == "-c")
        option = word.raw if not option and takes else ""
    installs = tuple(others)
    for index in packages:
        yield from _requirement(command, index, style, installs)


def _joined(word: Word, command: Command) -> Iterator[Index]:
    match = _JOINED.match(word.raw)
    if match is not None:
        text = word.raw[match.end() :]
        value = Word(word.start + match.end(), word.end, text.strip("\"'"), text)
        yield _index(value, match[1], word.start, command)


def _index(word: Word, flag: str, flag_start: int, command: Command) -> Index:
    """Also the quotes of the URL go with it, but in a list of texts each has its own."""
    url = word.text if word.text is not None else word.raw
    if command.is_list:
        return Index(word.start + 1, word.end - 1, url)
    return Index(word.start, word.end, url, flag, flag_start)


def _requirement(
    command: Command, index: int, style: Style, installs: tuple[str, ...]
) -> Iterator[Requirement]:
    word = command.words[index]
    quoted = len(word.raw) > 1 and word.raw[0] in "\"'" and word.raw[-1] == word.raw[0]
    inner = word.raw[1:-1] if quoted else word.raw
    start = word.start + quoted
    is_plain = word.text == inner and not command.is_list
    if style is Style.CONDA:
        match = _OF_CONDA.match(inner)
        if match is not None:
            yield _of_conda(start, word.end - quoted, match)
        return
    written = read_requirement(word.text) if word.text is not None else None
    if written is None:
        unknown = _NAMED.match(inner)
        if unknown is not None:
            yield _of_unknown_release(start, word.end - quoted, unknown)
        return
    first, last = written.versions_at
    before = command.words[index - 1].end
    within = InCommand(before, word.end, command.start, installs) if is_plain else None
    yield Requirement(
        start, word.end - quoted, written.name, start + written.name_end, written.extras, written.versions,
        (start + first, start + last), written.marker, style, written.is_url, None,
        Beside(word.end, " ", "") if is_plain else None,
        is_plain and not written.is_url, within,
    )  # fmt: skip


def _of_unknown_release(start: int, end: int, match: re.Match[str]) -> Requirement:
    """What asks for a release that a variable holds."""
    at = (start + match.start("versions"), start + match.end("versions"))
    name = re.sub(r"[-_.]+", "-", match["name"].lower())
    return Requirement(
        start, end, name, start + match.end("name"), (), match["versions"], at, "", Style.PIP,
        False, None, None, False,
    )  # fmt: skip


def _of_conda(start: int, end: int, match: re.Match[str]) -> Requirement:
    """What conda installs is reported only: its channels have no torch-npu."""
    name = match["name"].lower().replace("_", "-")
    at = (start + match.start("versions"), start + match.end("versions"))
    return Requirement(
        start, end, _CONDA_NAMES.get(name, name), start + match.end("name"), (), match["versions"], at, "",
        Style.CONDA, False, None, None, False,
    )  # fmt: skip
