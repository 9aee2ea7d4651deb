"""Tests of torch.cuda that stay: those that guard a CUDA build, a CUDA-only module, or the CPU arm of a load.

On the NPU's host their answer is right as it is: the other arm works there.
"""

from __future__ import annotations

import enum
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ...engine.context import Context
from ...engine.events import NameRef
from ...facts.packages.third_party import is_absent_on_npu
from ...limits.below import nodes_in
from ...limits.parents import parent_of, parent_type
from ...limits.walks import FORWARD_LIMITS
from ...model.project.decisions import Outcome
from ...text.guards import gives_up
from ...text.scopes import BindingKind
from ...text.syntax import field, is_field, leaves_block, parts_of, same, text_of
from ...text.uses import uses_of_variable
from ..templates import plain_text
from ..words import is_device_text
from .code_searches import MOVES, CodePattern, Span, has_in_code, rest_of_block
from .conditions.checkpoint_loads import chooses_where_to_load, loads_without_place
from .conditions.whole import whole_test
from .imported_uses import uses_of_import
from .kernel_tables import chooses_kernel, is_key_of_kernel
from .needing.needs import needs_of

QUESTIONS = ("is_available", "device_count", "is_initialized")
_EXTENSIONS = "torch.utils.cpp_extension"
_BUILDERS = frozenset({"BuildExtension", "CUDAExtension", "CppExtension", "CUDA_HOME", "include_paths"})
_PACKAGERS = frozenset({"setuptools", "distutils", "skbuild", "poetry_dynamic_versioning"})
_BUILDS = CodePattern(
    re.compile(
        rb"""\b(CUDAExtension|CUDA_HOME|CUDA_PATH|nvcc|FORCE_CUDA|BUILD_CUDA|cuda_sources|extra_cuda_cflags)\b|\.cuh?["']"""
    ),
    (b"CUDA", b"nvcc", b"cuda_sources", b"cuda_cflags", b'.cu"', b".cu'", b".cuh"),
)
_CUDA_MODULE = re.compile(r"(^|_)cuda(_|$)|_cuda\d*$")
_CUDA_ONLY = frozenset({"cupy", "pycuda", "cuda", "cupyx", "nvdiffrast", "pynvml"})
_QUOTED = re.compile(rb"""(?<=["'])[^"'\\\n]+(?=["'])""")
"""What a string may have, if it is a name."""
_PLACES = CodePattern(re.compile(rb"\.to\((?:self\.)?device\b"), (b".to(",))


class Guard(enum.Enum):
    """What the test decides over."""

    CUDA_ONLY = "cuda_only"
    """Over what only CUDA has, and nothing else: its answer for CUDA is the right one."""
    BOTH = "both"
    """Over that and over the device, so that neither answer is right."""


def guard_of_name(ref: NameRef, ctx: Context) -> Guard | None:
    """What a name below torch.cuda guards: in a script that builds extensions all of them serve the build."""
    if is_build_script(ctx):
        return Guard.CUDA_ONLY
    return guard_of(ref.node, ctx) if ref.name.rpartition(".")[2] in QUESTIONS else None


def guard_of(test: Node, ctx: Context) -> Guard | None:
    """What a question to torch.cuda guards, if its answer for CUDA matters; ``None`` for all other tests."""

    def found() -> Guard | None:
        return _guard_of_expression(test, ctx, follow=True) or _of_first(test, ctx)

    return ctx.once(("cuda guard", test.id), found)


def _of_first(test: Node, ctx: Context) -> Guard | None:
    """What keeps the first ``is_cuda`` of a condition keeps the others: ``not x.is_cuda and y.is_cuda``."""
    if test.type != "attribute" or text_of(field(test, "attribute") or test) != "is_cuda":
        return None
    whole, _ = whole_test(test, ctx)
    asked = (
        node for node in nodes_in(whole) if node.type == "attribute" and text_of(node).endswith(".is_cuda")
    )
    first = next(asked, test)
    stays = first.id != test.id and _guard_of_expression(first, ctx, follow=True) is Guard.CUDA_ONLY
    return Guard.CUDA_ONLY if stays else None


def is_word_of_cuda(node: Node, ctx: Context) -> bool:
    """Whether a word of CUDA is written here, or a constant is read that keeps such a word."""
    if node.type != "identifier":
        return node.type == "string" and (plain_text(node) or "").startswith("cuda")
    literal = ctx.source.names.only_value(node)
    decision = ctx.decision(literal) if literal is not None and is_word_of_cuda(literal, ctx) else None
    return decision is not None and decision.outcome is Outcome.STAYS


def guards_of_import(path: str, name: str, ctx: Context) -> Iterator[Guard | None]:
    """What the tests of a file decide over that use a variable of the module that lies at a path."""
    for use in uses_of_import(path, name, ctx):
        yield _guard_of_expression(use, ctx, follow=False)


def is_build_script(ctx: Context) -> bool:
    """Whether a file builds extensions or packages, and asks torch.cuda for the sake of CUDA sources."""
    return ctx.once("is build script", lambda: _is_build_script(ctx))


def _is_build_script(ctx: Context) -> bool:
    for binding in ctx.source.names.imports:
        root, _, below = binding.target.partition(".")
        if root in _PACKAGERS and ctx.source.identifiers("setup"):
            return True
        if root == "torch" and binding.target.startswith(_EXTENSIONS):
            name = below.rpartition(".")[2]
            if name in _BUILDERS - {"CUDA_HOME"}:
                return True
    return False


def _guard_of_expression(test: Node, ctx: Context, *, follow: bool) -> Guard | None:
    whole, negated = whole_test(test, ctx)
    if _asks_of_cuda(test, whole, ctx):
        return Guard.CUDA_ONLY
    parent = parent_of(whole)
    if parent is None:
        return None
    if is_field(whole, "condition"):
        found = _of_if(parent, ctx, negated=negated)
        return found if found is not None or not follow else _of_answer(parent, ctx, negated=negated)
    if parent.type == "conditional_expression":
        parts = parts_of(parent)
        if len(parts) == 3 and same(parts[1], whole):
            if chooses_where_to_load(parent, ctx):
                return Guard.CUDA_ONLY
            return _of_arm(parts[2 if negated else 0], ctx)
    if chooses_kernel(whole, ctx):
        return Guard.CUDA_ONLY
    if parent.type == "case_pattern":
        return _of_case(parent, ctx)
    return _of_kept_answer(whole, parent, ctx) if follow and not negated else None


def _asks_of_cuda(word: Node, whole: Node, ctx: Context) -> bool:
    """Whether a condition asks for what builds CUDA code, or compares a word with what a library answers that
    needs CUDA: with no device of the NPU."""
    if has_in_code(ctx.source, _BUILDS, Span.of(whole)):
        return True
    comparison = parent_of(word)
    if comparison is None or comparison.type != "comparison_operator" or word.type != "string":
        return False
    others = (item for item in comparison.named_children if not same(item, word))
    return any(
        is_absent_on_npu(ctx.source.names.called_in(origin))
        for other in others
        for origin in (*ctx.origins(other), *_unpacked_from(other, ctx))
    )


def _unpacked_from(name: Node, ctx: Context) -> Iterator[Node]:
    """What a name gets an item of: ``kind, index = parse(text)``."""
    if name.type == "identifier":
        for binding in ctx.source.names.bindings_in_scope(text_of(name), name):
            statement = ctx.source.enclosing(binding.node, "assignment")
            right = field(statement, "right")
            if right is not None and binding.kind is BindingKind.ASSIGNMENT:
                yield right


def _of_kept_answer(whole: Node, parent: Node, ctx: Context) -> Guard | None:
    """What a test decides over whose answer a variable keeps, or a function gives."""
    if parent.type == "assignment" and same(field(parent, "right"), whole):
        return _of_variable(field(parent, "left"), ctx)
    return _of_function(parent, ctx) if parent.type == "return_statement" else None


def _of_case(pattern: Node, ctx: Context) -> Guard | None:
    """What ``case 'cuda':`` guards."""
    clause = parent_of(pattern)
    consequence = field(clause, "consequence")
    return _of_arm(consequence, ctx) if consequence is not None else None


def _of_if(choice: Node, ctx: Context, *, negated: bool) -> Guard | None:
    """What an ``if`` guards, by what runs where there is CUDA alone."""
    consequence = field(choice, "consequence")
    if not negated:
        return _of_taken_arm(choice, consequence, ctx) if consequence is not None else None
    return _of_negated(choice, consequence, ctx)


def _of_negated(choice: Node, consequence: Node | None, ctx: Context) -> Guard | None:
    """What runs where there is CUDA alone is behind the arm. An arm that ends in an error is no other way:
    the device decides, and what needs CUDA besides is reported there."""
    holder = parent_of(choice) if choice.type == "elif_clause" else None
    clauses = choice.children
    if holder is not None:
        clauses = [child for child in holder.children if child.start_byte > choice.start_byte]
    following = [child for child in clauses if child.type in ("elif_clause", "else_clause")]
    if len(following) == 1:
        return _of_arm(following[0], ctx)
    if following:
        return _of_spans([Span.of(child) for child in following], ctx)
    if consequence is None or not leaves_block(consequence):
        return None
    found = _of_spans(_spans_after(holder or choice, consequence), ctx)
    return None if gives_up(consequence) and _is_of_device(choice, found) else found


def _is_of_device(choice: Node, found: Guard | None) -> bool:
    """Whether a test is of the device: by what is behind it, or as it compares one beside, as in ``"cuda" in
    where and not torch.cuda.is_available()``."""
    condition = field(choice, "condition")
    nodes = nodes_in(condition) if condition is not None else ()
    return found is Guard.BOTH or any(
        node.type == "string" and is_device_text(plain_text(node) or "") for node in nodes
    )


def _spans_after(choice: Node, left_by: Node) -> list[Span]:
    """What runs after an ``if`` whose arm leaves its block. If that gives up, choices in the rest decide over
    what they need."""
    if not gives_up(left_by):
        return [rest_of_block(choice)]
    after = (item for item in parts_of(parent_of(choice) or choice) if item.start_byte > choice.start_byte)
    return [Span.of(item) for item in after if item.type != "if_statement"]


def _of_taken_arm(choice: Node, arm: Node, ctx: Context) -> Guard | None:
    """What an arm decides over; where nothing takes its place, and it puts what it makes on the device, over
    both."""
    found = _of_arm(arm, ctx)
    others = any(child.type in ("elif_clause", "else_clause") for child in choice.children)
    if found is not Guard.CUDA_ONLY or others or choice.type != "if_statement" or leaves_block(arm):
        return found
    return Guard.BOTH if has_in_code(ctx.source, _PLACES, Span.of(arm)) else found


def _of_answer(choice: Node, ctx: Context, *, negated: bool) -> Guard | None:
    """What a test decides over that its function answers: ``if x.device.type != 'cuda': return False``."""
    consequence = field(choice, "consequence")
    done = parts_of(consequence) if consequence is not None else []
    if not done or done[-1].type != "return_statement":  # an arm that is being written has nothing yet
        return None
    is_answer = text_of(done[-1]).split()[1:] == [str(not negated)]
    return _of_function(done[-1], ctx) if is_answer else None


def _of_arm(arm: Node, ctx: Context) -> Guard | None:
    if is_key_of_kernel(arm, ctx) or _names_registered(arm, ctx):
        return Guard.CUDA_ONLY
    found = _of_spans([Span.of(arm)], ctx)
    return Guard.CUDA_ONLY if found is None and loads_without_place(arm, ctx) else found


def _names_registered(arm: Node, ctx: Context) -> bool:
    """Whether an arm chooses by its name what needs CUDA: it is registered, or taken by ``getattr``."""
    found = _QUOTED.findall(ctx.source.data, arm.start_byte, arm.end_byte)
    texts = {text.decode("utf-8", "surrogatepass") for text in found}
    possible = frozenset(text for text in texts if not is_device_text(text))
    if not possible:
        return False
    keys = {item.key for item in ctx.project.cuda.registered_needs(possible, ctx.options)}
    if any(map(ctx.source.identifiers, ("getattr", "globals"))):
        keys |= possible & needs_of(ctx).method_names
    strings = (node for node in nodes_in(arm) if node.type == "string") if keys else ()
    return any(plain_text(node) in keys for node in strings)


def _of_spans(spans: list[Span], ctx: Context) -> Guard | None:
    if not any(_is_cuda_only(span, ctx) for span in spans):
        return None
    moves = any(has_in_code(ctx.source, MOVES, span) for span in spans)
    return Guard.BOTH if moves else Guard.CUDA_ONLY


def _is_cuda_only(span: Span, ctx: Context) -> bool:
    if needs_of(ctx).is_in(span):
        return True
    imports = ctx.once("imports of CUDA modules", lambda: _imports_of_cuda(ctx))
    first = bisect_left(imports, (span.start,))
    return has_in_code(ctx.source, _BUILDS, span) or any(
        function < span.start for _, function in imports[first : bisect_left(imports, (span.end,))]
    )


def _imports_of_cuda(ctx: Context) -> list[tuple[int, int]]:
    """Where modules are imported that only CUDA has, with where the function or class around each begins."""
    statements = {binding.statement.id: binding.statement for binding in ctx.source.names.imports}
    found: set[tuple[int, int]] = set()
    for statement in statements.values():
        if _names_cuda_module(statement):
            owner = ctx.source.enclosing(statement, "function_definition", "class_definition")
            found.add((statement.start_byte, owner.start_byte if owner is not None else -1))
    return sorted(found)


def _names_cuda_module(statement: Node) -> bool:
    module = field(statement, "module_name")
    of_module = text_of(module).split(".") if module is not None else []
    if of_module and of_module[0] in ("torch", "torch_npu"):
        return False
    for item in statement.children_by_field_name("name"):
        name = field(item, "name") if item.type == "aliased_import" else item
        parts = [*of_module, *text_of(name or item).split(".")]
        if parts[0] == "torch":
            continue
        if parts[0] in _CUDA_ONLY or any(_CUDA_MODULE.search(part) for part in parts):
            return True
    return False


def _of_variable(target: Node | None, ctx: Context) -> Guard | None:
    """What the variable, or the attribute of an object, decides over that keeps an answer."""
    if target is None:
        return None
    is_variable = target.type == "identifier"
    beside = _beside(target, ctx.source.names.scope_of(target), ctx) if is_variable else ()
    return _of_uses(reads_of_kept(target, ctx), ctx, beside)


def reads_of_kept(target: Node, ctx: Context) -> Iterator[Node]:
    """Where a variable, or an attribute that an object has in its class, is read after an assignment; of one
    that any other object is given, as in ``args.cuda``, where the file reads it by the same words."""
    if target.type == "identifier":
        yield from uses_of_variable(target, ctx.source)
        return
    name, owner = field(target, "attribute"), ctx.source.enclosing(target, "class_definition")
    is_own = text_of(field(target, "object") or target) == "self"
    if name is None or (is_own and owner is None):
        return
    words = ctx.source.identifiers_in(text_of(name), owner if is_own and owner else ctx.source.root)
    reads = (parent_of(word) for word in words)
    is_same = (read for read in reads if read is not None and (is_own or text_of(read) == text_of(target)))
    yield from (read for read in is_same if not _is_set(read))


def _is_set(read: Node) -> bool:
    return parent_type(read) == "assignment" and is_field(read, "left")


def _beside(name: Node, scope: Node, ctx: Context) -> Iterable[Guard | None]:
    """What tests of other files decide over that use what a name of this module holds or answers."""
    if parent_of(scope) is not None:
        return ()
    return ctx.project.cuda.guards_elsewhere(ctx.source.path, text_of(name), ctx.options)


def _of_function(statement: Node, ctx: Context) -> Guard | None:
    """What a test decides over that a function returns."""
    function = ctx.source.enclosing(statement, "function_definition")
    name = field(function, "name")
    if function is None or name is None:
        return None
    scope = ctx.source.names.scope_of(function)
    if scope.type != "class_definition":
        return _of_uses(ctx.source.names.readers(text_of(name), scope), ctx, _beside(name, scope, ctx))
    reads = (parent_of(word) for word in ctx.source.identifiers_in(text_of(name), scope))
    return _of_uses((read for read in reads if read is not None and read.type == "attribute"), ctx)


def _of_uses(uses: Iterable[Node], ctx: Context, beside: Iterable[Guard | None] = ()) -> Guard | None:
    """What tests decide over, with what is known of others."""
    found: set[Guard | None] = set(beside)
    for count, use in enumerate(uses):
        if count > FORWARD_LIMITS.uses:
            return None
        if not _chooses_text(use, ctx):
            found.add(_guard_of_expression(use, ctx, follow=False))
    if found == {Guard.CUDA_ONLY}:
        return Guard.CUDA_ONLY
    if Guard.BOTH in found or (len(found) > 1 and Guard.CUDA_ONLY in found):
        return Guard.BOTH
    return None


def _chooses_text(use: Node, ctx: Context) -> bool:
    """Whether a test only chooses what is shown: ``f'{"Triton" if use_triton else "torch"} is used'``."""
    choice = parent_of(whole_test(use, ctx)[0])
    if choice is None or choice.type != "conditional_expression":
        return False
    parts = parts_of(choice)
    texts = [arm for arm in (parts[0], parts[-1]) if arm.type == "string"]
    return len(texts) == 2 and parent_type(choice) == "interpolation"
