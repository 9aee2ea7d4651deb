"""What the code of a project says about files that it reads: their suffixes, the columns of their lines."""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .callers import Caller, Scope
from .structures import KINDS

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp", ".ppm", ".gif")
SOUNDS = (".wav", ".flac")
_OTHERS = (".txt", ".csv", ".xml", *KINDS)
_READ_BY = (("np.load", ".npy"), ("numpy.load", ".npy"), ("h5py.File", ".h5"), ("pickle.load", ".pkl"))
"""Suffixes of what functions read."""
_READ_IMAGES = ("PIL", "cv2", "imageio", "skimage")
_READ_SOUNDS = ("soundfile", "librosa", "torchaudio", "scipy.io.wavfile", "wave")
_SEPARATORS = (",", " ", "\t", ";", "|", ", ")
_MASKS = re.compile(r"mask|label|lbl|annot|(?<![a-z])seg", re.IGNORECASE)
_TRUTH = re.compile(r"(?<![a-z])gt(?![a-z])|target|truth", re.IGNORECASE)
_ABOUT_MASKS = re.compile(r"mask|segment|salien", re.IGNORECASE)
_RATES = re.compile(r"(?<![\w.])(8000|11025|16000|22050|24000|32000|44100|48000)(?![\w.])")
_CONFIGURATIONS = (".py", ".yaml", ".yml", ".json")
_MOST_FILES, _MAX_BYTES = 300, 200_000
_RATE = 16000
_TABLES: Mapping[str, Mapping[str, object]] = {
    "loadtxt": {"delimiter": None},
    "genfromtxt": {"delimiter": None},
    "read_csv": {"sep": ",", "header": "infer"},
}
"""Functions that read tables, with what they take where nothing is given."""
_SPLITS = ("train", "val", "valid", "test", "dev")
_EMBEDS = re.compile(r"(?s:(?:emb|glove|word2?vec).*\[1:\])", re.IGNORECASE)
"""A function that reads words with their vectors."""
_VECTOR = 51


class Lines(NamedTuple):
    """How a project takes a line of a text apart."""

    separator: str
    columns: int


def suffix_for(caller: Caller) -> str:
    """The suffix of files that are listed: one that the code names, of the kind that its module reads."""
    return _structured(caller) or _named(caller)


def parts_for(caller: Caller) -> tuple[str, ...]:
    """What names of files have behind their number: texts that the function looks for in each name, or, where
    it looks for what a variable holds, the splits that the module names."""
    wanted = list(_looked_for(caller.scopes[0]))
    texts = [str(node.value) for node in wanted if isinstance(node, ast.Constant)]
    found = tuple(text for text in dict.fromkeys(texts) if "." not in text and os.sep not in text)
    if found or texts or not wanted:
        return (*found, "")
    constants = {node.value for node in ast.walk(caller.tree) if isinstance(node, ast.Constant)}
    return tuple(split for split in _SPLITS if split in constants) or ("",)


def _looked_for(scope: Scope) -> Iterator[ast.expr]:
    """What a function looks for in the items of its loops."""
    nodes = list(ast.walk(scope))
    items = {ast.unparse(node.target) for node in nodes if isinstance(node, ast.For | ast.comprehension)}
    for node in (node for node in nodes if isinstance(node, ast.Compare)):
        if isinstance(node.ops[0], ast.In | ast.NotIn) and ast.unparse(node.comparators[0]) in items:
            yield node.left


def _named(caller: Caller) -> str:
    imported = set(_imported(caller.tree))
    named = [suffix for scope in caller.scopes for suffix in _suffixes(scope)]
    images = [suffix for suffix in named if suffix in IMAGES]
    sounds = [suffix for suffix in named if suffix in SOUNDS]
    if images or imported & set(_READ_IMAGES):
        return images[0] if images else IMAGES[0]
    if sounds or imported & set(_READ_SOUNDS):
        return sounds[0] if sounds else SOUNDS[0]
    return next((suffix for suffix in named if suffix in _OTHERS), IMAGES[0])


def _structured(caller: Caller) -> str | None:
    """The suffix of what the function or class of a line reads arrays with, if it names no other files."""
    images_or_sounds = (*_READ_IMAGES, *_READ_SOUNDS)
    is_other = not set(_imported(caller.tree)).isdisjoint(images_or_sounds)
    for scope in caller.scopes[:-1] if is_other else caller.scopes:
        if any(suffix in (*IMAGES, *SOUNDS) for suffix in _suffixes(scope)):
            return None
        called = {ast.unparse(node.func) for node in ast.walk(scope) if isinstance(node, ast.Call)}
        found = next((suffix for name, suffix in _READ_BY if name in called), None)
        if found is not None:
            return found
    return None


def with_reader(caller: Caller) -> Caller:
    """The caller with the reader of tables that it opens a file for, if it does."""
    opened = set(_opened(caller.scopes[0], caller.line))
    for node in ast.walk(caller.scopes[0]) if opened and not caller.reader else ():
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.args[0]) in opened:
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in _TABLES:
                given = {word.arg: word.value for word in node.keywords if word.arg is not None}
                known = {key: value.value for key, value in given.items() if isinstance(value, ast.Constant)}
                return caller._replace(reader="numpy", given={**_TABLES[name], **known})
    return caller


def _opened(scope: Scope, line: int) -> Iterator[str]:
    """What a function calls a file that it opens in a line."""
    for node in ast.walk(scope):
        if isinstance(node, ast.withitem):
            value, targets = node.context_expr, [node.optional_vars]
        elif isinstance(node, ast.Assign):
            value, targets = node.value, [*node.targets]
        else:
            continue
        if value.lineno <= line <= (value.end_lineno or value.lineno):
            yield from (ast.unparse(target) for target in targets if target is not None)


def takes_apart(caller: Caller) -> bool:
    """Whether the function that reads a file takes its lines apart."""
    return next(_splits(caller.scopes[0]), None) is not None


def lines_for(caller: Caller) -> Lines:
    """How lines are taken apart, in the function that reads them or else in its class or module."""
    for scope in caller.scopes:
        found = list(_splits(scope))
        if found and _EMBEDS.search(ast.unparse(scope)):
            return Lines(found[0].separator, _VECTOR)
        if found:
            separator = Counter(lines.separator for lines in found).most_common(1)[0][0]
            return Lines(separator, max(one.columns for one in found if one.separator == separator))
    return Lines(" ", 1)


def is_mask(path: str, caller: Caller) -> bool:
    """Whether an image holds classes in place of colours, by what it is called where it is read."""
    name = path.replace(os.sep, "/").rpartition("/")
    called = f"{name[0].rpartition('/')[2]} {name[2]} {caller.text}"
    if _MASKS.search(called):
        return True
    return bool(_TRUTH.search(called)) and _ABOUT_MASKS.search(ast.unparse(caller.tree)) is not None


def columns_for(caller: Caller) -> list[str]:
    """The names of columns that the function asks a table for."""
    scope = caller.scopes[0]
    found: list[object] = []
    tables = _tables(scope)
    for node in ast.walk(scope):
        if isinstance(node, ast.Attribute) and _is_one_of(node.value, tables):
            found.append(node.attr)
        elif isinstance(node, ast.Subscript) and _is_one_of(node.value, tables):
            found += [part.value for part in ast.walk(node.slice) if isinstance(part, ast.Constant)]
    return [name for name in dict.fromkeys(found) if isinstance(name, str)]


@cache
def rate_of(root: str) -> int:
    """Samples of a sound in a second: the usual number that the project names most often."""
    counted: Counter[str] = Counter()
    for path, _ in zip(_configurations(root), range(_MOST_FILES), strict=False):
        try:
            with path.open(encoding="utf-8", errors="replace") as file:
                counted.update(_RATES.findall(file.read(_MAX_BYTES)))
        except OSError:
            continue
    return int(counted.most_common(1)[0][0]) if counted else _RATE


def _configurations(root: str) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in names if name.endswith(_CONFIGURATIONS))


def _tables(scope: Scope) -> set[str]:
    """What a function calls tables that it reads, and what it makes of them."""
    tables: set[str] = set()
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and _is_table(node.value, tables):
            targets = (one for target in node.targets for one in getattr(target, "elts", [target]))
            tables.update(target.id for target in targets if isinstance(target, ast.Name))
    return tables


def _is_table(node: ast.expr, tables: Iterable[str]) -> bool:
    """Whether an expression is a table that is read, or made of one: chosen, changed or split."""
    if "read_" in ast.unparse(node):
        return True
    if isinstance(node, ast.Call) and "split" in ast.unparse(node.func):
        return any(_is_one_of(given, tables) for given in node.args)
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return _is_one_of(node, tables)


def _is_one_of(node: ast.expr, names: Iterable[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (part for alias in node.names for part in (alias.name, alias.name.partition(".")[0]))
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, node.module.partition(".")[0])


def _suffixes(scope: Scope) -> Iterator[str]:
    """Texts that end as the name of a file of data does, or are such an end."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value.strip()
            suffix = f".{text.rpartition('.')[2]}".lower()
            if suffix in (*IMAGES, *SOUNDS, *_OTHERS):
                yield suffix


def _splits(scope: Scope) -> Iterator[Lines]:
    """The columns that each ``line.split(...)`` is expected to give."""
    assigned: dict[str, Lines] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign):
            separator = _separator(node.value)
            if separator is not None:
                target = node.targets[0]
                count = len(target.elts) if isinstance(target, ast.Tuple | ast.List) else 1
                if isinstance(target, ast.Name):
                    assigned[target.id] = Lines(separator, 1)
                yield Lines(separator, count)
        elif isinstance(node, ast.Subscript):
            place = _place(node.slice)
            separator = _separator(node.value)
            if separator is not None and place is not None:
                yield Lines(separator, place)
    assigned |= _rows_of_csv(scope)
    yield from assigned.values()
    yield from _places(scope, assigned)


def _places(scope: Scope, rows: Mapping[str, Lines]) -> Iterator[Lines]:
    """How many columns the code needs of rows, by subscripts and comparisons of their length."""
    for node in ast.walk(scope):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in rows:
            place = _place(node.slice)
            if place is not None:
                yield Lines(rows[node.value.id].separator, place)
        elif isinstance(node, ast.Compare) and isinstance(node.comparators[0], ast.Constant):
            name, columns = ast.unparse(node.left), node.comparators[0].value
            counted = next((lines for row, lines in rows.items() if name == f"len({row})"), None)
            if counted is not None and isinstance(columns, int):
                yield Lines(counted.separator, columns)


def _rows_of_csv(scope: Scope) -> dict[str, Lines]:
    """What the rows of a ``csv.reader`` are called, with their columns where they are unpacked."""
    readers: set[str] = set()
    found: dict[str, Lines] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and _is_csv(node.value):
            readers.add(ast.unparse(node.targets[0]))
        elif isinstance(node, ast.For | ast.comprehension) and (
            _is_csv(node.iter) or ast.unparse(node.iter) in readers
        ):
            columns = len(node.target.elts) if isinstance(node.target, ast.Tuple | ast.List) else 1
            found[ast.unparse(node.target)] = Lines(",", columns)
    return found


def _is_csv(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("csv.reader", "reader")


def _separator(node: ast.AST) -> str | None:
    """What separates the columns, where an expression takes a line apart."""
    if not (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "split"
    ):
        return None
    given = node.args[0] if node.args else None
    if given is None:
        return " "
    value = given.value if isinstance(given, ast.Constant) else None
    return value if isinstance(value, str) and value in _SEPARATORS else None


def _place(node: ast.AST) -> int | None:
    """How many columns a subscript needs."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return value if isinstance(value, int) else None
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value + 1
    return None
