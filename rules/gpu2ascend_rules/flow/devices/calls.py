"""What a call does with a text that it is given: the sinks of torch, and everything that is none."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tree_sitter import Node

from ...data import load_tsv
from ...model.versions import Version, choose_version
from ...text.syntax import arguments_of, enclosing, field, last_name
from .. import templates
from ..libraries import Origin, is_of_other_devices, source_of_callee, source_of_value
from ..parameters import parameter_for
from ..words import is_device_name, names_text
from .parts import Flow, Step, Value
from .roles import DEVICE, NEUTRAL, TEXT, UNKNOWN, Role, Verdict

_TAKES_DEVICE = frozenset({"to", "cuda", "npu", "pin_memory", "is_pinned", "to_empty"})
_KEEPS_TEXT = frozenset({"str", "repr"})
_KEEPS_LIST = frozenset({"list", "tuple", "set", "frozenset", "sorted", "reversed", "iter", "cycle"})
_GIVES_ITEM = frozenset({"get", "pop", "setdefault", "getenv", "getattr"})
_SEARCHES = frozenset(
    {
        "startswith", "endswith", "replace", "split", "rsplit", "partition", "rpartition", "removeprefix",
        "removesuffix", "strip", "lstrip", "rstrip", "find", "rfind", "index", "rindex", "count", "__eq__",
    }
)  # fmt: skip
_PUTS_INTO_LIST = frozenset({"append", "add", "insert", "appendleft", "extend"})
_OPTIONS = frozenset({"add_argument", "add_option", "option", "add_arg"})
_HOLDS_DEFAULT = frozenset({"Option", "Argument", "Field", "field", "ib", "attrib", "PrivateAttr"})
_FLAGS = frozenset({"DEFINE_string", "DEFINE_enum"})
_SAYS = frozenset(
    {
        "print", "info", "debug", "warning", "warn", "error", "critical", "exception", "log", "write", "echo",
        "secho", "set_description", "set_postfix", "add_scalar", "add_scalars", "add_text", "skip", "skipif",
        "fail", "xfail", "join", "open", "glob", "encode", "compile", "search", "match", "fullmatch", "sub",
        "isinstance", "issubclass", "hash", "id", "type", "any", "all", "map", "filter", "zip", "max",
        "min", "bool", "int", "float", "next", "vars", "dir", "input", "exit", "import_module", "rprint",
    }
)  # fmt: skip


class _Sink(NamedTuple):
    """A parameter that takes a device of torch."""

    position: int | None
    parameters: tuple[str, ...]
    since: Version | None


@lru_cache(maxsize=1)
def _sinks() -> dict[str, _Sink]:
    table: dict[str, _Sink] = {}
    for row in load_tsv("device_sinks"):
        since = choose_version(row["since"]).version if row["since"] else None
        position = int(row["position"]) if row["position"] else None
        table[row["callable"]] = _Sink(position, tuple(row["parameters"].split(",")), since)
    return table


class Calls:
    """The role of a call's argument."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    # -- by name -----------------------------------------------------------------------------------

    def keyword(self, value: Value, call: Node, name: str) -> Step:
        """The role of ``name=value``."""
        callee = last_name(call)
        function = field(call, "function")
        if callee == "format" and function is not None:
            return self._formatted(value, call, field(function, "object") or function, name)
        if callee in _OPTIONS:
            return self._option(value, call, name)
        if callee in _HOLDS_DEFAULT and name in ("default", "default_factory", "factory"):
            return value.moved(call)
        if callee in ("dict", "update"):
            return self._flow.tables.keyword_entry(value, call, name)
        if name == "choices":
            return self._choice(value, call)
        sink = self._sink(call)
        if sink is not None and name in sink.parameters:
            return self._into(sink, value, call)
        parameter = parameter_for(_applied(call), name, self._flow.ctx)
        if parameter is not None:
            return self._flow.variables.parameter(value, parameter)
        return self._by_keyword(value, call, name)

    def _by_keyword(self, value: Value, call: Node, name: str) -> Verdict:
        source = source_of_value(_applied(call), self._flow.ctx)
        if source.origin is Origin.PLAIN:
            return TEXT
        if source.origin is Origin.FOREIGN:
            named = is_device_name(name)
            return Verdict(Role.FOREIGN, call, library=source.library) if named else TEXT
        if is_device_name(name):
            return self._by_device_keyword(call, source.origin)
        if names_text(name) or value.mixed or name == "accelerator":  # Lightning has no NPU accelerator
            return TEXT
        return UNKNOWN

    def _by_device_keyword(self, call: Node, origin: Origin) -> Verdict:
        name = self._qualified(call) or ""
        if name.startswith(("torch.autograd.profiler", "torch.profiler")):
            return TEXT  # the rules on profilers
        if origin is Origin.LIBRARY or name.startswith("torch.library"):
            return UNKNOWN  # an operator's implementation for ``device_types='cuda'`` is one for CUDA
        return Verdict(Role.DEVICE, call)

    # -- by position -------------------------------------------------------------------------------

    def positional(self, value: Value, call: Node, position: int) -> Step:
        """The role of the argument at a position."""
        function = field(call, "function")
        if function is None:
            return UNKNOWN
        name = last_name(call)
        step = self._by_callee(value, call, function, name, position)
        if step is not None:
            return step
        qualified = self._qualified(call)
        sink = self._sink(call)
        if sink is not None and position == sink.position:
            return self._into(sink, value, call)
        if qualified is not None and qualified.startswith("torch.cuda.") and ".nvtx." not in qualified:
            return Verdict(Role.DEVICE, call)
        parameter = parameter_for(function, position, self._flow.ctx)
        if parameter is not None:
            return self._flow.variables.parameter(value, parameter)
        source = source_of_callee(call, self._flow.ctx)
        if source.origin is Origin.FOREIGN:
            return Verdict(Role.FOREIGN, call, library=source.library)
        if source.origin is Origin.PLAIN or value.mixed:
            return TEXT
        if is_device_name(name) and source.origin is not Origin.LIBRARY:
            return Verdict(Role.DEVICE, call)  # ``get_device('cuda')`` of another file
        return UNKNOWN

    def _by_callee(self, value: Value, call: Node, function: Node, name: str, position: int) -> Step | None:
        """What the callee's own name tells, whatever it belongs to."""
        if name in ("getattr", "hasattr", "setattr", "delattr"):
            return self._attribute(value, call, name, position)
        if name in _GIVES_ITEM:
            return TEXT if position == 0 else self._default_item(value, call)
        if name in _KEEPS_TEXT or (name in _HOLDS_DEFAULT and position == 0):
            return value.moved(call)
        if name == "len":
            return self._measured(value, call)
        if name in _KEEPS_LIST and value.boxed:
            return value.moved(call)
        if name == "enumerate" and value.boxed:
            return self._flow.variables.enumerated(value, call)
        if name == "Choice":
            return self._choice(value, call)
        if name in _FLAGS:
            return self._flag(value, call, position)
        if function.type == "attribute":
            step = self._by_method(value, call, function, name, position)
            if step is not None:
                return step
        if name in _SAYS or name in _OPTIONS or name.startswith("register"):
            return TEXT if value.node.type == "string" else NEUTRAL
        if name.endswith(("Error", "Exception", "Warning")):
            return NEUTRAL
        return None

    def _by_method(self, value: Value, call: Node, function: Node, name: str, position: int) -> Step | None:
        receiver = field(function, "object")
        if receiver is None:
            return None
        if name in _TAKES_DEVICE and position == 0:
            if is_of_other_devices(receiver, self._flow.ctx):
                library = source_of_value(receiver, self._flow.ctx).library
                return Verdict(Role.FOREIGN, call, library=library)
            return Verdict(Role.DEVICE, call)
        if name == "format":
            return self._formatted(value, call, receiver, str(position))
        if name in _SEARCHES:
            return self._searched(value, receiver)
        if name.startswith("assert"):
            return self._asserted(value, call, position)
        if name in _PUTS_INTO_LIST:
            return self._flow.variables.put_into(value, receiver)
        if name == "parametrize":
            return self._parametrized(value, call)
        return None

    def _formatted(self, value: Value, call: Node, receiver: Node, name: str) -> Step:
        """``'{}:{}'.format('cuda', 0)``, and by name."""
        text = templates.format_filled(templates.template_of(receiver), name, value.text)
        return value._replace(node=call, text=text)

    def _asserted(self, value: Value, call: Node, position: int) -> Verdict:
        """``self.assertEqual(x.device.type, 'cuda')``: a comparison."""
        other = arguments_of(call).at(1 - position) if position < 2 else None
        if other is not None and self._flow.comparisons.is_device(other.value):
            return Verdict(Role.TEST, call)
        return TEXT if value.node.type == "string" else NEUTRAL

    def _searched(self, value: Value, receiver: Node) -> Verdict:
        if receiver.type == "string" or not self._flow.comparisons.is_device(receiver):
            return TEXT
        if value.boxed:
            return TEXT if value.mixed else Verdict(Role.LOOKUP, value.node, certain=False)
        return Verdict(Role.TEST, receiver)

    # -- attributes by name, and items with a default ----------------------------------------------

    def _attribute(self, value: Value, call: Node, name: str, position: int) -> Step:
        """``getattr(torch, 'cuda')``, and ``getattr(args, 'device', 'cuda')``."""
        arguments = arguments_of(call)
        owner, key = arguments.at(0), arguments.at(1)
        if position == 1 and owner is not None and name in ("getattr", "hasattr"):
            resolution = self._flow.ctx.source.names.qualified_name(owner.value)
            is_torch = resolution is not None and resolution.qualified_name == "torch"
            if not is_torch or value.text != "cuda":
                return TEXT
            is_literal = value.node.type == "string"
            return Verdict(Role.TORCH_ATTRIBUTE if is_literal else Role.DEVICE, call)
        if position != 2 or key is None:
            return TEXT if position == 1 else NEUTRAL
        if name == "getattr":
            return self._default_item(value, call)
        return DEVICE if is_device_name(templates.plain_text(key.value) or "") else UNKNOWN

    def _default_item(self, value: Value, call: Node) -> Verdict:
        """The default of ``d.get('device', 'cuda')``: what the whole call gives, or what its key says."""
        verdict = self._flow.climber.climb(value.moved(call))
        if verdict.role not in (Role.UNKNOWN, Role.NEUTRAL, Role.TEXT):
            return verdict
        keys = [templates.plain_text(argument.value) or "" for argument in arguments_of(call).positional[:2]]
        if any(is_device_name(key) for key in keys) and not self._flow.is_foreign_file:
            return Verdict(Role.DEVICE, call)
        return verdict

    # -- options -----------------------------------------------------------------------------------

    def _option(self, value: Value, call: Node, name: str) -> Verdict:
        """A keyword of ``add_argument`` and its like."""
        if name == "choices":
            return self._choice(value, call)
        if name not in ("default", "const", "flag_value"):
            return TEXT
        return self._of_option(value, call)

    def _of_option(self, value: Value, call: Node) -> Verdict:
        """What an option's value is used as: by its name, or by the attribute that it is stored in."""
        names = _option_names(call)
        uses = [self._flow.variables.uses_of_option(name, value) for name in names]
        return self._flow.variables.combined(value, names, uses, exported=True)

    def _choice(self, value: Value, call: Node) -> Verdict:
        """``choices=[...]``, or ``click.Choice([...])`` inside an option."""
        if value.mixed:
            return TEXT
        option = _enclosing_option(call)
        if option is None:
            return Verdict(Role.CHOICE, value.node, certain=False)
        role = self._of_option(value.unboxed(value.node), option).role
        if role is Role.FOREIGN:
            return TEXT
        if role is not Role.DEVICE and "gpu" in value.others:
            return TEXT  # the accelerators of Lightning
        return Verdict(Role.CHOICE, value.node, certain=role is Role.DEVICE)

    def _flag(self, value: Value, call: Node, position: int) -> Verdict:
        """``flags.DEFINE_string('device', 'cuda', ...)``."""
        if position == 1:
            return self._of_option(value, call)
        return self._choice(value, call) if position == 2 and value.boxed else TEXT

    def _measured(self, value: Value, call: Node) -> Verdict:
        """``device[len('cuda:'):]``: what is cut off a device's name."""
        item = enclosing(call, "subscript")
        cut = field(item, "value") if item is not None else None
        if cut is not None and self._flow.comparisons.is_device(cut):
            return Verdict(Role.TEST, cut)
        return NEUTRAL

    def _parametrized(self, value: Value, call: Node) -> Verdict:
        """``parametrize('device', ['cpu', 'cuda'])``."""
        names = arguments_of(call).at(0)
        if names is None or not value.boxed or value.mixed:
            return TEXT
        named = is_device_name(templates.plain_text(names.value) or "")
        return Verdict(Role.DEVICE, call) if named else UNKNOWN

    # -- sinks -------------------------------------------------------------------------------------

    def _sink(self, call: Node) -> _Sink | None:
        name = self._qualified(call)
        return _sinks().get(name) if name is not None else None

    def _into(self, sink: _Sink, value: Value, call: Node) -> Verdict:
        """A sink; a text given to it directly in a version that has no NPU there is another rule's."""
        too_old = sink.since is not None and self._flow.ctx.version < sink.since
        if too_old and value.node.type == "string":
            return TEXT
        return Verdict(Role.DEVICE, call)

    def _qualified(self, call: Node) -> str | None:
        resolution = self._flow.ctx.source.names.qualified_name(_applied(call))
        return resolution.qualified_name if resolution is not None else None


def _applied(call: Node) -> Node:
    """What a call applies its keywords to: its callee, or the first argument of ``partial``."""
    first = arguments_of(call).at(0) if last_name(call) == "partial" else None
    function = first.value if first is not None else field(call, "function")
    return function if function is not None else call


def _option_names(call: Node) -> tuple[str, ...]:
    """The names of an option: its flags without hyphens, its ``dest``, or a flag's name."""
    arguments = arguments_of(call)
    positional = [templates.plain_text(item.value) or "" for item in arguments.positional]
    if last_name(call) in _FLAGS:
        positional = positional[:1]
    dest = arguments.keyword("dest")
    named = [templates.plain_text(dest.value) or ""] if dest is not None else []
    names = (text.partition("/")[0].lstrip("-").replace("-", "_") for text in (*named, *positional))
    return tuple(name for name in names if name)


def _enclosing_option(call: Node) -> Node | None:
    """The call of ``add_argument`` and its like that a call is, or that it is an argument of."""
    node: Node | None = call
    for _ in range(4):
        if node is None:
            return None
        if node.type == "call" and (last_name(node) in _OPTIONS or last_name(node) in _FLAGS):
            return node
        node = node.parent
    return None
