"""CUDA devices: ``'cuda'`` and ``'cuda:0'``, which become devices of torch."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from tree_sitter import Node

from ...data import load_tsv
from ...engine.context import Context
from ...inference.kinds import Kind
from ...limits.parents import parent_of
from ...limits.walks import FORWARD_LIMITS
from ...model.versions import choose_version
from ...text.scopes import BindingKind
from ...text.syntax import field, last_name, same, text_of
from ..subject import SAYS, PlaceKind, Sink, Subject
from ..templates import plain_text
from ..verdicts import Role
from ..word_flow import SubjectFlow, flow_of
from ..words import (
    is_backend_text,
    is_device_name,
    is_device_text,
    is_other_accelerator,
    may_become_device_text,
    may_name_device,
    names_ordinal,
    names_text,
)

_NO_ALTERNATIVES = ("cuda", "default", "auto", "none", "")


@lru_cache(maxsize=1)
def _sinks() -> Mapping[str, Sink]:
    table: dict[str, Sink] = {}
    for row in load_tsv("device_sinks"):
        since = choose_version(row["since"]).version if row["since"] else None
        position = int(row["position"]) if row["position"] else None
        table[row["callable"]] = Sink(position, tuple(row["parameters"].split(",")), since)
    return table


def _canonical(text: str) -> str:
    return "cuda:0" if names_ordinal(text) and not {"%", "{"} & set(text) else text


def _labels(name: str) -> bool:
    return names_text(name) or name == "accelerator"  # Lightning has no NPU accelerator


def _takes_device(name: str, position: int) -> bool:
    return is_device_name(name)


def role_of_keys(keys: Sequence[str | None]) -> Role:
    """A key is a device where the table holds nothing but back ends, another one among them."""
    if not all(key is not None and is_backend_text(key) for key in keys):
        return Role.SHOWN
    return Role.KEY if any(key not in _NO_ALTERNATIVES for key in keys) else Role.SHOWN


_LIBRARIES_OF_GPUS = frozenset(
    {"catboost", "cudf", "cuml", "cupy", "faiss", "lightgbm", "spacy", "thinc", "xgboost"}
)
"""Libraries that find GPUs without torch, and no NPU."""


def _is_handled(node: Node, ctx: Context) -> bool:
    """Whether code asks torch.accelerator for any device already, or names the NPU beside CUDA."""
    if node.type == "identifier":
        # What is compared with a device of any accelerator is a device of this one.
        is_bound = not ctx.source.names.is_reference(node)
        return (is_bound and _is_of_any_accelerator(node, ctx)) or _has_npu_member(node, ctx)
    return _asks_accelerator(node, ctx)


def _is_argument_of_gpu_library(test: Node, ctx: Context) -> bool:
    """Whether a test is an argument by which a library with GPUs of its own uses one."""
    keyword = parent_of(test)
    if keyword is None or keyword.type != "keyword_argument":
        return False
    call = parent_of(parent_of(keyword)) if parent_of(keyword) is not None else None
    function = field(call, "function") if call is not None and call.type == "call" else None
    if function is None:
        return False
    name = ctx.source.names.name_of(function) or text_of(function)
    return name.partition(".")[0] in _LIBRARIES_OF_GPUS or "faiss" in name.rpartition(".")[2].lower()


def _is_of_any_accelerator(variable: Node, ctx: Context) -> bool:
    return bool(_accelerators(ctx)) and any(_asks_accelerator(value, ctx) for value in _values(variable, ctx))


def _values(variable: Node, ctx: Context) -> Iterator[Node]:
    for binding in ctx.source.names.bindings_in_scope(text_of(variable), variable)[: FORWARD_LIMITS.values]:
        if binding.kind is BindingKind.ASSIGNMENT and binding.value is not None:
            yield binding.value


def _asks_accelerator(expression: Node, ctx: Context) -> bool:
    return any(expression.start_byte <= start < expression.end_byte for start in _accelerators(ctx))


def _accelerators(ctx: Context) -> tuple[int, ...]:
    """Where the file asks torch.accelerator."""

    def found() -> tuple[int, ...]:
        return tuple(
            item.start_byte
            for item in ctx.source.identifiers("accelerator")
            if (parent := parent_of(item)) is not None and text_of(parent).endswith("torch.accelerator")
        )

    return ctx.once("uses of torch.accelerator", found)


def _has_npu_member(name: Node, ctx: Context) -> bool:
    """Whether a name is the member ``CUDA`` of a class that has a member ``NPU`` beside it."""
    owner = ctx.source.names.scope_of(name)
    if owner.type != "class_definition":
        return False
    members = ctx.once(("members called NPU", owner.id), lambda: tuple(_members_called_npu(owner)))
    return any(not same(member, name) for member in members)


def _members_called_npu(owner: Node) -> Iterator[Node]:
    body = field(owner, "body")
    for statement in body.named_children if body is not None else ():
        assignment = statement.named_children[0] if statement.named_children else None
        target = field(assignment, "left")
        if target is not None and text_of(target).upper() == "NPU":
            yield target


def tests_npu_too(test: Node, ctx: Context) -> bool:
    """Whether the function around a test tests for the NPU too: it handles both already."""
    function = ctx.source.enclosing(test, "function_definition")
    if function is None:
        return False
    tests = ctx.once("tests for the NPU", lambda: tuple(_npu_tests(ctx)))
    first = bisect_left(tests, function.start_byte)
    return first < len(tests) and tests[first] < function.end_byte


def _npu_tests(ctx: Context) -> Iterator[int]:
    """Where the file tests for the NPU by name, in text order."""
    for offset in ctx.source.find_all(b"npu"):
        node = ctx.source.node_at(offset, offset + 3)
        string = parent_of(node) if node is not None and node.type == "string_content" else None
        if string is not None and _is_npu_test(string):
            yield offset


def _is_npu_test(string: Node) -> bool:
    """Whether a text is exactly the NPU's name, and something is compared with it or searched for it."""
    if plain_text(string) not in ("npu", "npu:"):
        return False
    holder = parent_of(string)
    if holder is not None and holder.type in ("tuple", "list", "set"):
        holder = parent_of(holder)
    if holder is None:
        return False
    call = parent_of(holder) if holder.type == "argument_list" else None
    return holder.type == "comparison_operator" or (call is not None and last_name(call) == "startswith")


def _is_result_handled(call: Node, ctx: Context) -> bool:
    return _is_argument_of_gpu_library(call, ctx) or tests_npu_too(call, ctx)


DEVICES = Subject(
    name="devices",
    is_text=is_device_text,
    may_be_text=may_become_device_text,
    names=is_device_name,
    may_name=may_name_device,
    labels=_labels,
    callee=_takes_device,
    proves=names_ordinal,
    beside=is_backend_text,
    rivals=(b"xpu", b"mps", b"hpu", b"musa", b"mlu"),
    rival=is_other_accelerator,
    spoilers=frozenset({"gpu"}),  # the accelerators of Lightning
    sample="cuda",
    counterpart="npu",
    canonical=_canonical,
    sinks=_sinks,
    for_each=frozenset(name for name in _sinks() if "autocast" in name),
    methods=dict.fromkeys(("to", "cuda", "npu", "pin_memory", "is_pinned", "to_empty"), Sink(0)),
    called={  # the device before the colon of ``f'{device}:{backend},cpu:gloo'``
        "init_process_group": Sink(0, ("backend",)),
        "new_group": Sink(2, ("backend",)),
    },
    modules=("torch.cuda.", "torch_npu.npu."),
    apart=(".nvtx.",),
    callees_apart={
        "torch.autograd.profiler": Role.SHOWN,  # the rules on profilers
        "torch.profiler": Role.SHOWN,
        "torch.library": Role.UNKNOWN,  # an operator's implementation for ``device_types='cuda'`` is CUDA's
    },
    trusts_libraries=False,
    mapped_by="map_location",
    mapped_in=frozenset({"torch.load", "th.load", "torch.jit.load"}),
    attributes=frozenset({"torch.cuda"}),
    kind=Kind.DEVICE,
    makers=frozenset({"device", "current_accelerator"}),
    parts=frozenset({"type"}),
    handled=_is_handled,
    test_handled=_is_argument_of_gpu_library,
    result_handled=_is_result_handled,
    role_of_keys=role_of_keys,
    shown_by=SAYS
    | {
        "echo", "secho", "set_description", "set_postfix", "add_scalar", "add_scalars", "add_text", "fail",
        "xfail", "join", "open", "glob", "encode", "compile", "search", "match", "fullmatch", "sub",
        "isinstance", "issubclass", "hash", "id", "type", "any", "all", "map", "filter", "zip", "max", "min",
        "bool", "int", "float", "next", "vars", "dir", "input", "exit", "import_module", "rprint",
    },
    shown_by_prefix=("register",),
    otherwise={PlaceKind.ELSEWHERE: Role.UNKNOWN},
)  # fmt: skip


def device_flow(ctx: Context) -> SubjectFlow:
    """The flow of the devices of one file, the same object each time."""
    return flow_of(DEVICES, ctx)
