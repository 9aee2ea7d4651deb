"""Communication back ends: ``'nccl'``, which chooses what process groups talk through.

Unlike ``'cuda'`` the word has one meaning in code that uses torch, so that little evidence is enough: a
name with *backend* in it, a function that sets process groups up, or a comparison with either. What goes
elsewhere is unknown, and a person is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from ...engine.context import Context
from ...limits.parents import parent_of
from ...text.syntax import text_of
from ..subject import SAYS, PlaceKind, Sink, Subject
from ..templates import plain_text
from ..verdicts import Role, Verdict
from ..word_flow import flow_of
from ..words import is_device_text, is_list_by_device, names_text, words_of

_BACKENDS = frozenset({"gloo", "mpi", "ucc", "ccl", "xccl", "hccl", "nccl", "tcp", "smddp"})
"""The back ends of torch.distributed and of its plugins."""
_BACKEND_WORDS = frozenset({"backend", "backends", "distbackend", "ddpbackend"})
_SETUP_WORDS = frozenset({"distributed", "dist", "ddp", "fsdp", "group", "collective", "comm"})
_SETUPS = ("init_process_group", "new_group", "new_subgroups", "init_distributed", "Backend", "TorchConfig")


def is_backend_name(name: str) -> bool:
    """Whether a name of a variable, parameter, key or function speaks of a back end."""
    return not _BACKEND_WORDS.isdisjoint(words_of(name))


def _sets_groups_up(name: str, position: int) -> bool:
    """Whether a function of that name takes a back end to set process groups up."""
    return is_backend_name(name) or not _SETUP_WORDS.isdisjoint(words_of(name))


def _is_nccl(text: str) -> bool:
    return text in ("nccl", "NCCL")


def _may_be_nccl(text: str) -> bool:
    return _is_nccl(text) or (":nccl" in text and is_list_by_device(text))


def has_hccl_branch(test: Node, ctx: Context) -> bool:
    """Whether a test is a condition of a choice with another condition, which asks for hccl."""
    clause = ctx.source.enclosing(test, "if_statement", "elif_clause")
    head = parent_of(clause) if clause is not None and clause.type == "elif_clause" else clause
    if clause is None or head is None:
        return False
    asking = ctx.once(("clauses that ask for hccl", head.id), lambda: _clauses_for_hccl(head))
    return bool(asking - {clause.id})


def _clauses_for_hccl(choice: Node) -> frozenset[int]:
    """The clauses of an ``if``, itself among them, of which the condition asks for hccl."""
    clauses = (choice, *(child for child in choice.children if child.type == "elif_clause"))
    conditions = ((item.id, item.child_by_field_name("condition")) for item in clauses)
    return frozenset(
        key for key, condition in conditions if condition is not None and "hccl" in text_of(condition).lower()
    )


def _has_hccl_sibling(name: Node, ctx: Context) -> bool:
    """Whether a constant is one of a set of names for back ends that has the NPU's too."""
    scope = ctx.source.names.scope_of(name)
    is_constant = scope.type == "class_definition" or "nccl" in text_of(name).lower()
    return is_constant and ctx.once(("hccl in", scope.id), lambda: "hccl" in text_of(scope).lower())


def _has_hccl_too(node: Node, ctx: Context) -> bool:
    """Whether a name, an option or an alternative has the NPU's back end beside NCCL."""
    if node.type == "identifier":
        return _has_hccl_sibling(node, ctx)
    if node.type == "call":
        return "hccl" in text_of(node).lower()
    return (plain_text(node) or "").lower() == "hccl"


def _role_of_keys(keys: Sequence[str | None]) -> Role:
    return Role.KEY if sum(key in _BACKENDS for key in keys) > 1 else Role.SHOWN


BACKENDS = Subject(
    name="back ends",
    is_text=_is_nccl,
    may_be_text=_may_be_nccl,
    names=is_backend_name,
    labels=names_text,
    callee=_sets_groups_up,
    siblings=_BACKENDS,
    sample="nccl",
    callees_apart={
        # Symmetric memory has back ends of its own: CUDA, NVSHMEM and NCCL's windows.
        "torch.distributed._symmetric_memory.": Role.FOREIGN,
        "torch._C._distributed_c10d._SymmetricMemory.": Role.FOREIGN,
    },
    givers=frozenset({"torch.distributed.get_backend"}),
    trusts_libraries=False,
    called=dict.fromkeys(_SETUPS, Sink(parameters=("backend",), everywhere=True)),
    keeps=frozenset({"lower", "strip", "upper", "cast"}),
    handled=_has_hccl_too,
    test_handled=has_hccl_branch,
    result_handled=has_hccl_branch,
    entry_apart=is_device_text,
    role_of_keys=_role_of_keys,
    shown_by=SAYS | {"join", "Path", "CDLL", "find_library", "fail", "xfail", "import_module"},
    named_list=Role.MEMBER,
    name_first=True,
    test_proves=False,
    alternative_proves=True,
    option_values_apart=True,
    otherwise={
        PlaceKind.COMPARED: Role.UNKNOWN,
        PlaceKind.MEMBERSHIP: Role.UNKNOWN,
        PlaceKind.PATTERN: Role.UNKNOWN,
        PlaceKind.NAME: Role.UNKNOWN,
        PlaceKind.ENTRY: Role.UNKNOWN,
        PlaceKind.NAMED_ENTRY: Role.CONSUMED,
        PlaceKind.LITERAL: Role.MEMBER,
        PlaceKind.NAMED_LITERAL: Role.MEMBER,
    },
)


def backend_role(string: Node, ctx: Context) -> Verdict:
    """What a string literal that names a communication back end is used as."""
    return flow_of(BACKENDS, ctx).role_of_string(string)
