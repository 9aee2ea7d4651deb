"""What commands of pip, conda and the system's package managers install, and where from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..packages.places import InCommand, Index, InsertionPoint, Requirement, Style
from ..packages.requirement import CONDA_ENTRY, named_by, read_requirement
from .places import Command, Word

_PIP = re.compile(r"pip\d?(?:\.\d+)?")
_CONDA = frozenset({"conda", "mamba", "micromamba"})
_RUNNERS = _CONDA | {"pipenv", "poetry", "pdm"}
"""What runs a command in an environment: ``conda run -n env pip install torch``."""
_NAMES_ENVIRONMENT = frozenset({"-n", "--name", "-p", "--prefix", "--cwd"})
_OF_SYSTEM = frozenset({"apt", "apt-get", "apk", "dnf", "microdnf", "yum"})
"""What they install is no package of Python; the libraries and tools of CUDA have its name."""
_NAMES_CUDA = re.compile(r"(?:nvidia-|lib)*(?:cuda|cudnn|nccl|cublas)")
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


def installs_of(command: Command) -> Iterator[Requirement | Index]:
    """What a command asks for; nothing where it installs nothing, or does so in a way that is not known."""
    found = _installer(command)
    if found is None:
        return
    style, first = found
    packages: list[int] = []
    others: list[str] = []
    for index, option in _arguments(command, first, style):
        word = command.words[index]
        if option in _INDEXES and style is Style.PIP:
            yield _index(word, option, command.words[index - 1].start, command)
        elif option:
            others += [option] if option in _LISTS else []
        elif word.raw.startswith("-"):
            yield from _joined(word, command)
        else:
            packages.append(index)
            others.append(word.text or word.raw)
    for index in packages:
        yield from _requirement(command, index, style, tuple(others))


def _installer(command: Command) -> tuple[Style, int] | None:
    """How the program that installs names packages, and the first word of what it installs."""
    texts = _texts_of(command.words)
    at = _program_from(0, texts)
    if texts[at : at + 1] and texts[at].rpartition("/")[2] in _RUNNERS and texts[at + 1 : at + 2] == ["run"]:
        at = _program_from(_behind_options(at + 2, texts), texts)
    program = texts[at].rpartition("/")[2] if at < len(texts) else ""
    style = Style.CONDA if program in _CONDA | _OF_SYSTEM else Style.PIP if _PIP.fullmatch(program) else None
    after = next((index for index in range(at + 1, len(texts)) if texts[index][:1] != "-"), len(texts))
    is_install = after < len(texts) and texts[after] == ("add" if program == "apk" else "install")
    return (style, after + 1) if style is not None and is_install else None


def _texts_of(words: tuple[Word, ...]) -> list[str]:
    texts = [word.name if word.text is None else word.text for word in words]
    is_python = words[0].text is None and texts[1:2] == ["-m"]
    return ["python", *texts[1:]] if is_python else texts


def _program_from(first: int, texts: list[str]) -> int:
    found = (at for at in range(first, len(texts)) if _BEFORE.fullmatch(texts[at]) is None)
    return next(found, len(texts))


def _behind_options(first: int, texts: list[str]) -> int:
    """The first word that is neither an option of ``conda run`` nor the environment which one names."""
    at = first
    while at < len(texts) and texts[at].startswith("-"):
        at += 2 if texts[at] in _NAMES_ENVIRONMENT else 1
    return at


def _arguments(command: Command, first: int, style: Style) -> Iterator[tuple[int, str]]:
    """The words from one on, each with the option whose value it is."""
    option = ""
    for index in range(first, len(command.words)):
        yield index, option
        raw = command.words[index].raw
        takes = raw in _INDEXES or raw in _WITH_VALUE or (style is Style.CONDA and raw == "-c")
        option = raw if not option and takes else ""


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
    end = word.end - quoted
    written = read_requirement(word.text, start) if word.text is not None and style is Style.PIP else None
    if written is None:
        match = (CONDA_ENTRY.match(inner) if style is Style.CONDA else None) or _NAMED.match(inner)
        if match is not None and _is_package(inner, command.words[:index]):
            yield named_by(match, start, end, style)
        return
    within = InCommand(command.words[index - 1].end, word.end, command.start, installs)
    yield written._replace(
        end=end,
        insertion=InsertionPoint(word.end, " ", "") if is_plain else None,
        is_plain=is_plain and not written.is_url,
        command=within if is_plain else None,
    )


def _is_package(name: str, before: tuple[Word, ...]) -> bool:
    """Whether a command installs a package of Python or of CUDA by a name."""
    is_of_system = any(word.name in _OF_SYSTEM for word in before)
    return not is_of_system or _NAMES_CUDA.match(name) is not None
