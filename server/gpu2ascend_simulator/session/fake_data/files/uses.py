"""What the code of a project asks of a value that it reads: its keys, its parts, its axes, its items."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeVar

from .callers import Caller, Scope, scopes_of

_READS = ("load", "loads", "File", "loadmat", "safe_load", "load_dataset")
_SAME = re.compile(
    r"(?:as)?array|stack|(?:as_)?tensor|\w*Tensor|from_numpy|list|tuple|sorted|enumerate|tqdm|copy|astype"
    r"|tolist|float|long|int|numpy|cuda|to|iter|shuffle|float32|int64"
    r"|select|map|filter|train_test_split|(?:with|set)_format|take|skip|(?:remove|rename|cast|select)_columns?"
)
"""Functions whose result has the structure of what they are given."""
_WHOLE = ("long", "LongTensor", "IntTensor", "ByteTensor", "BoolTensor", "int64", "int")
_OPENS = ("Image.open", "imread", "read_image")
_NAMES_WHOLE = ("label", "class", "idx", "index", "ids", "token")
_NAMES_TEXT = ("text", "caption", "sentence", "question", "answer", "content", "prompt", "instruction")
_OF_COLUMNS = (
    "remove_columns",
    "rename_column",
    "select_columns",
    "cast_column",
    "class_encode_column",
    "unique",
)
"""Functions that name columns of what they belong to, or arguments that do."""
_OF_ITEMS = ("map", "filter")
"""Functions that call another one with each item of what they belong to."""
_ROUNDS = 2
"""Times that a scope is read: a method may use what a later one assigns."""
_FIELDS = re.compile(r"(?<!\{)\{([A-Za-z_]\w*)\}(?!\})")
_DEEPEST = 4
"""Functions within each other that a value is followed into."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
_T = TypeVar("_T", bound=ast.AST)


class Use:
    """One value, and what is asked of it."""

    def __init__(self, name: str = "") -> None:
        self.name = name
        """What the code calls it, all of it."""
        self.keys: dict[str, Use] = {}
        self.parts: list[Use] = []
        """What it is unpacked into."""
        self.item: Use | None = None
        self.axes = 0
        """At least so many, for an array."""
        self.is_exact = False
        """Whether it has no more of them."""
        self.is_named = False
        """Whether its items have texts as keys."""
        self.is_path = False
        """Whether an image is opened by it."""
        self.is_filled_in = False
        """Whether a template takes it."""
        self._is_whole = False
        self._made: set[str] = set()
        """What the code itself puts into it."""

    @property
    def rank(self) -> int:
        """Axes that the code shows."""
        return max(self.axes, self.item.rank + 1 if self.item is not None else 0)

    @property
    def is_whole(self) -> bool:
        """Whether it holds integers: the code makes such of it, or calls it a class or an index."""
        inner = self.item is not None and self.item.is_whole
        return self._is_whole or inner or any(name in self.name.lower() for name in _NAMES_WHOLE)

    @property
    def is_image(self) -> bool:
        """Whether it, or each of its items, is the path of an image."""
        return self.is_path or (self.item is not None and self.item.is_image)

    @property
    def is_text(self) -> bool:
        """Whether it is called as texts are, or put into one."""
        return self.is_filled_in or any(name in self.name.lower() for name in _NAMES_TEXT)

    def key(self, name: str) -> Use:
        """What it has by a name."""
        return Use(name) if name in self._made else self.keys.setdefault(name, Use(name))

    def put(self, name: str) -> None:
        """What the code puts into it by a name need not be there before."""
        if name not in self.keys:
            self._made.add(name)

    def one(self) -> Use:
        """One of its items."""
        if self.item is None:
            self.item = Use()
        return self.item

    def into(self, count: int) -> list[Use]:
        """What it is unpacked into."""
        self.parts += [Use() for _ in range(count - len(self.parts))]
        return self.parts[:count]

    def as_whole(self) -> Use:
        """The same, of integers."""
        self._is_whole = True
        return self


def use_of(caller: Caller) -> Use:
    """What is asked of the value that a line reads: in its function or class, and where it is returned to."""
    return _use_of(caller.path, caller.line, caller.callers)


@cache
def _use_of(path: str, at: int, callers: tuple[tuple[str, int], ...]) -> Use:
    """Once for a line, which may read many files."""
    scopes = scopes_of(path, at)
    reading = _Reading(_read_at(scopes[0], at), tree=scopes[-1])
    reading.follow(_whole(scopes))
    for path, line in callers:
        if not reading.is_returned:
            break
        scopes = scopes_of(path, line)
        called = [call for call in _within(scopes[0], ast.Call) if _covers(call, line)]
        reading = _Reading(called, reading.root, scopes[-1])
        reading.follow(_whole(scopes))
    return reading.root


def _whole(scopes: Sequence[Scope]) -> Scope:
    """The class of a method, or the function."""
    return scopes[1] if len(scopes) > 1 and isinstance(scopes[1], ast.ClassDef) else scopes[0]


@cache
def _defined(tree: ast.AST) -> dict[str, Function | ast.ClassDef]:
    """The functions and classes of a file by their names."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name: node for node in ast.walk(tree) if isinstance(node, kinds)}


@cache
def _calls(scope: Scope) -> list[ast.Call]:
    return [call for call in _within(scope, ast.Call) if _short(call.func) in _READS]


def _read_at(scope: Scope, line: int) -> list[ast.Call]:
    """The call that gives the value: in the line itself, the next one behind an ``open``, or, where the
    function leaves reading to another one, the ``open``."""
    calls = _calls(scope) or [call for call in _within(scope, ast.Call) if _short(call.func) == "open"]
    later = sorted((call for call in calls if call.lineno >= line), key=lambda call: call.lineno)
    return [call for call in later if call.lineno == later[0].lineno]


def _within(node: ast.AST, kind: type[_T]) -> Iterator[_T]:
    return (part for part in ast.walk(node) if isinstance(part, kind))


def _covers(node: ast.expr, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _short(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")


class _Reading:
    """Follows one value by the names that it and its parts are given."""

    def __init__(
        self, reads: Sequence[ast.Call], root: Use | None = None, tree: ast.AST | None = None, depth: int = 0
    ) -> None:
        self.root = root or Use()
        self.is_returned = False
        self._reads = reads
        self._tree = tree
        self._depth = depth
        self._names: dict[str, Use] = {}
        self._entered: set[tuple[int, int, int]] = set()
        """What was followed into: by function, argument and value."""

    def follow(self, scope: Scope | ast.Lambda) -> None:
        """Note what a function or class asks, in the order of its lines."""
        for _ in range(_ROUNDS):
            self._in(scope)

    def _in(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self._bind(item.optional_vars, item.context_expr)
        elif isinstance(node, ast.For | ast.comprehension):
            self._iterate(node.target, node.iter)
        elif isinstance(node, ast.Return) and node.value is not None:
            self.is_returned = self.is_returned or self._of(node.value) is self.root
        elif isinstance(node, ast.expr):
            self._of(node)
            if isinstance(node, ast.Call):
                self._enter(node)
        for child in ast.iter_child_nodes(node):
            self._in(child)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            shaped = self._shaped(value)
            use = self._of(value)
            if shaped is not None:
                rest = sum(isinstance(one, ast.Starred) for one in target.elts)
                shaped.axes, shaped.is_exact = len(target.elts) - rest, not rest
            elif use is not None:
                for part, found in zip(target.elts, use.into(len(target.elts)), strict=True):
                    self._name(part, found)
        else:
            use = self._of(value)
            is_chosen = isinstance(value, ast.Subscript) and ast.unparse(value.value) == ast.unparse(target)
            if use is not None and not is_chosen:  # some of its items have the structure of all
                self._name(target, use)

    def _name(self, target: ast.expr, use: Use) -> None:
        if isinstance(target, ast.Name | ast.Attribute):
            text = ast.unparse(target)
            use.name += f" {text.rpartition('.')[2]}"
            self._names[text] = use

    def _iterate(self, target: ast.expr, value: ast.expr) -> None:
        use = self._of(value)
        if use is None:
            return
        counted = isinstance(value, ast.Call) and _short(value.func) == "enumerate"
        if counted and isinstance(target, ast.Tuple) and len(target.elts) > 1:
            target = target.elts[1]
        self._bind(target, ast.Subscript(value, ast.Name("_"), ast.Load()))

    def _enter(self, node: ast.Call) -> None:
        """Follow the value into what is called with it, or with each of its items."""
        base = self._of(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if base is not None and _short(node.func) in _OF_ITEMS and node.args:
            self._into(node.args[0], 0, base.one())
        for at, given in enumerate(node.args):
            use = self._of(given)
            if use is not None:
                self._into(node.func, at, use)

    def _into(self, called: ast.expr, at: int, use: Use) -> None:
        """Follow a value into a function of the file, a class or a lambda that takes it as an argument."""
        known = _defined(self._tree) if self._tree is not None and self._depth < _DEEPEST else {}
        found = called if isinstance(called, ast.Lambda) else known.get(_short(called))
        begin: ast.AST | None = found
        if isinstance(found, ast.ClassDef):
            begin = next((one for one in found.body if getattr(one, "name", "") == "__init__"), None)
        if found is None or not isinstance(begin, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        names = [one.arg for one in begin.args.args]
        names = names[1:] if names[:1] == ["self"] else names
        key = (id(found), at, id(use))
        if at < len(names) and key not in self._entered:
            self._entered.add(key)
            inner = _Reading((), use, self._tree, self._depth + 1)
            inner._names[names[at]], inner._entered = use, self._entered
            inner.follow(found)

    def _shaped(self, node: ast.expr) -> Use | None:
        """Whose shape an expression is."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
            node = node.func if node.func.attr == "size" else node
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "size"):
            return self._of(node.value)
        return None

    def _of(self, node: ast.expr) -> Use | None:
        if isinstance(node, ast.Name | ast.Attribute):
            return self._names.get(ast.unparse(node))
        if isinstance(node, ast.Call):
            return self.root if node in self._reads else self._of_call(node)
        if isinstance(node, ast.Subscript):
            return self._of_subscript(node)
        if isinstance(node, ast.BinOp):
            return self._of(node.left) or self._of(node.right)
        return None

    def _of_call(self, node: ast.Call) -> Use | None:
        name = _short(node.func)
        base = self._of(node.func.value) if isinstance(node.func, ast.Attribute) else None
        given = list(node.args)
        if base is None and given:
            base, given = self._of(given[0]), given[1:]
        if base is None:
            return None
        if name == "get" and given and isinstance(given[0], ast.Constant):
            return base.key(str(given[0].value))
        if name in ("transpose", "permute"):
            base.axes = max(base.axes, _count_of_axes(node, given))
            return None
        if name in ("items", "keys", "values"):
            base.is_named = True
            return None
        if name == "format_map":
            self._note_fields(base)
        _note_columns(base, name, node)
        _note_call(base, ast.unparse(node.func))
        return base if _SAME.fullmatch(name) or name in _READS else None

    def _note_fields(self, use: Use) -> None:
        """A value that fills templates has the fields of those that its file has."""
        for text in _within(self._tree, ast.Constant) if self._tree is not None else ():
            for field in _FIELDS.findall(text.value) if isinstance(text.value, str) else ():
                use.key(field).is_filled_in = True

    def _of_subscript(self, node: ast.Subscript) -> Use | None:
        base, at = self._of(node.value), node.slice
        if base is None:
            return None
        if isinstance(at, ast.Constant) and isinstance(at.value, str):
            if isinstance(node.ctx, ast.Store):
                base.put(at.value)
                return None
            return base.key(at.value)
        if isinstance(at, ast.Slice):
            base.axes = max(base.axes, 1)
            return base
        if isinstance(at, ast.Tuple):
            base.axes = max(base.axes, len(at.elts))
            kept = [one for one in at.elts if isinstance(one, ast.Slice)]
            return base if len(kept) == len(at.elts) else None
        base.is_named = base.is_named or isinstance(at, ast.JoinedStr) or _is_text(at)
        return base.one()


def _note_columns(use: Use, function: str, node: ast.Call) -> None:
    """The columns of a table that a function names."""
    given = [word.value for word in node.keywords if word.arg in _OF_COLUMNS]
    given += node.args[:1] if function in _OF_COLUMNS else []
    for name in (part for one in given for part in ast.walk(one) if isinstance(part, ast.Constant)):
        if isinstance(name.value, str):
            use.key(name.value)


def _note_call(use: Use, function: str) -> None:
    """What a function that is given a value says about it."""
    name = function.rpartition(".")[2]
    use.is_path = use.is_path or function.endswith(_OPENS)
    if name in _WHOLE:
        use.as_whole()
    if name.endswith("Tensor"):
        use.axes = max(use.axes, 1)


def _count_of_axes(node: ast.Call, given: list[ast.expr]) -> int:
    """How many axes are put in another order."""
    axes = [*given, *(word.value for word in node.keywords if word.arg == "axes")]
    return len(axes[0].elts) if axes and isinstance(axes[0], ast.Tuple) else len(axes)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and _short(node.func) in ("str", "format")
