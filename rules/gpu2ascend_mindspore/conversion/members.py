"""Methods and attributes of tensors and of modules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from tree_sitter import Node

from gpu2ascend_rules.engine.scan import scan_members
from gpu2ascend_rules.inference.classes.torch_classes import (
    is_module,
    is_tensor,
    tensor_members,
    tensor_methods,
)
from gpu2ascend_rules.limits.parents import parent_of
from gpu2ascend_rules.text.scopes import BindingKind
from gpu2ascend_rules.text.syntax import (
    Arguments,
    ancestors,
    arguments_of,
    call_of,
    enclosing,
    field,
    is_field,
    last_name,
    same,
    text_of,
)

from ..correspondences.rendering import Slot
from ..correspondences.table import by_hand, entries
from ..helpers import MINDSPORE
from .evidence import Evidence
from .places.in_place import gives_new
from .results import DATASETS
from .table import use_of
from .use import Reason, Use, helped, refused, written
from .values.parameters import is_parameter

TENSOR = "torch.Tensor"
MODULE = "torch.nn.Module"
SEQUENTIAL = "torch.nn.Sequential"

_TAKE_TEXT = frozenset(
    {"align_to", "cpu", "cuda", "new", "norm", "npu", "refine_names", "rename", "rename_", "to", "type"}
)
"""Methods of tensors whose first argument may be a text."""
_RESET = "reset_parameters"
"""What layers of torch have and cells have not: ``hasattr`` would be false, and weights would stay."""
_NEED_ARGUMENTS = frozenset({"split"})
"""Methods of tensors that texts have too, without arguments."""


@cache
def _of_modules() -> frozenset[str]:
    return frozenset(api.rpartition(".")[2] for api in entries() if api.startswith(f"{MODULE}."))


def uses_of_members(evidence: Evidence) -> Iterator[Use]:
    """What becomes of every attribute that may be one of a tensor or of a module."""
    is_own = any(is_field(one, "name") for one in evidence.source.identifiers(_RESET))
    lacking = frozenset() if is_own else {_RESET}
    for ref in scan_members(evidence.source, sorted(tensor_members() | _of_modules() | lacking)):
        if ref.receiver_name is not None or evidence.is_taken_care_of(ref.node) or _is_written(ref.node):
            continue
        look = _reset if ref.name == _RESET else _use
        found = look(evidence, ref.name, ref.node, ref.receiver)
        if found is not None:
            yield found


def _reset(evidence: Evidence, name: str, node: Node, receiver: Node) -> Use | None:
    """A call that draws the weights of a layer anew."""
    is_called = call_of(node) is not None and _owner(evidence, receiver) in (None, MODULE)
    return refused(f"{MODULE}.{name}", node, Reason.NO_TARGET) if is_called else None


def _use(evidence: Evidence, name: str, node: Node, receiver: Node) -> Use | None:
    owner = _owner(evidence, receiver)
    if owner == "" or (name == "requires_grad" and is_parameter(receiver)):
        return None
    if owner != TENSOR and call_of(node) is None and _is_own_attribute(name, node):
        return None
    if owner is None:
        return _use_of_unknown(evidence, name, node, receiver)
    api = f"{owner}.{name}"
    if owner == TENSOR and name in _GUARDS and not _GUARDS[name](node):
        return _of_place(api, name, node, receiver)
    if owner == MODULE and api not in evidence.entries:
        return None  # an attribute of its own, or a layer; what modules have and Cell lacks is listed
    use = use_of(evidence, api, node, call_of(node), receiver)
    return _CHECKS[owner](evidence, use, receiver)


def _with_sequences(evidence: Evidence, use: Use, receiver: Node) -> Use:
    """A use that adds a part by its name: by a helper where a sequence may have to call it."""
    if use.api.rpartition(".")[2] not in ("add_module", "register_module"):
        return use
    found = evidence.instance(receiver)
    holder = enclosing(receiver, "class_definition") if text_of(receiver) == "self" else None
    base = evidence.context.instances.classes.torch_base(holder) if holder is not None else None
    known = base or (found.class_name if found is not None else "")
    if known not in ("", SEQUENTIAL) and (holder is not None or known != MODULE):
        return use
    call = call_of(parent_of(receiver))
    given = [arguments_of(call).get(name, at) for at, name in enumerate(("name", "module"))] if call else []
    parts = [one.value for one in given if one is not None]
    if call is None or len(parts) != 2:
        return use._replace(edits=(), reason=Reason.ARGUMENTS)
    pieces = (
        f"{MINDSPORE.module}.add_module(",
        Slot(receiver),
        *(", ", Slot(parts[0]), ", ", Slot(parts[1])),
        ")",
    )
    return helped(f"{MODULE}.add_module", written(use.api, call, pieces))


def _with_sharing(evidence: Evidence, use: Use, receiver: Node) -> Use:
    """A use that says why a method in place is refused that has a counterpart: another name of the tensor."""
    if use.reason is None and gives_new(evidence, use.api):
        return use._replace(edits=(), reason=_of_update(receiver), detail=text_of(receiver))
    plain = use.api.removesuffix("_")
    is_in_place = plain != use.api and plain in evidence.entries and use.api not in by_hand()
    if use.reason is not Reason.NO_TARGET or not is_in_place:
        return use
    return use._replace(reason=_of_update(receiver), detail=text_of(receiver))


def _of_update(receiver: Node) -> Reason:
    """Why an update in place is refused: what is updated has a name that can get the new value, or none."""
    return Reason.UPDATE_OF_PART if receiver.type == "call" else Reason.UPDATE


def _of_place(api: str, name: str, node: Node, receiver: Node) -> Use:
    """An attribute that has no counterpart where it stands: written data, a computed device."""
    if name == "data":
        return refused(api, node, Reason.UPDATE, text_of(receiver))
    return refused(api, node, Reason.NO_TARGET)


def _use_of_unknown(evidence: Evidence, name: str, node: Node, receiver: Node) -> Use | None:
    """What becomes of a member of what may or may not be a tensor."""
    if _is_called_as_texts_are(name, call_of(node)) or _is_same_anyway(evidence, name):
        return None
    if name == "requires_grad" and _is_of_loop(receiver):
        return None
    if name == "train" and text_of(receiver) == "super()":
        return refused(f"{MODULE}.{name}", node, Reason.MODE_OF_PARTS)
    either = _either(evidence, name, node, receiver)
    return either or refused(f"{TENSOR}.{name}", node, Reason.RECEIVER)


def _is_own_attribute(name: str, node: Node) -> bool:
    """Whether an attribute that is read is of neither a tensor nor a module, which have such a method."""
    parent = parent_of(node)
    is_given = parent is not None and parent.type in ("argument_list", "keyword_argument")
    return name in tensor_methods() | _METHODS and not (is_given and name in _of_modules())


_METHODS = frozenset(
    {"chunk", "index", "item", "max", "median", "min", "mode", "name", "size", "sort", "split", "stride"}
    | {"topk", "type", "unbind"}
)
"""Methods of tensors beside those that give one tensor."""


def _either(evidence: Evidence, name: str, node: Node, receiver: Node) -> Use | None:
    """What becomes of a member of which tensors and modules have one, where that makes no difference."""
    call = call_of(node)
    found = [use_of(evidence, f"{owner}.{name}", node, call, receiver) for owner in (TENSOR, MODULE)]
    agree = all(one.reason is None for one in found) and found[0].edits == found[1].edits
    return found[0] if agree else None


def _is_of_loop(receiver: Node) -> bool:
    """Whether a variable is what a loop goes over: a parameter, which has the flag there, too."""
    if receiver.type != "identifier":
        return False
    for one in ancestors(receiver):
        clauses = [one, *one.named_children] if "comprehension" in one.type else [one]
        for clause in clauses:
            if clause.type in ("for_statement", "for_in_clause"):
                target, over = field(clause, "left"), field(clause, "right")
                names = [target, *target.named_children] if target is not None else []
                if any(text_of(name) == text_of(receiver) for name in names):
                    return over is not None and b"param" in (over.text or b"")
    return False


def _owner(evidence: Evidence, receiver: Node) -> str | None:
    """The class whose member it is; empty for any but tensors and modules, None if that is not proven."""
    found = evidence.instance(receiver)
    if found is None:
        is_other = _is_own_object(evidence, receiver) or evidence.others.made(receiver)
        is_other = is_other or _is_of_array(receiver)
        return "" if is_other else None
    if is_tensor(found.class_name):
        return TENSOR
    if is_module(found.class_name):
        return MODULE
    return ""


def _is_own_object(evidence: Evidence, receiver: Node) -> bool:
    """Whether it is ``self`` in a class without a base, or of data: neither a tensor nor a module."""
    owner = enclosing(receiver, "class_definition") if text_of(receiver) == "self" else None
    if owner is None or not _is_first_parameter(evidence, receiver):
        return False
    bases = field(owner, "superclasses")
    for base in bases.named_children if bases is not None else ():
        if text_of(base) == "object":
            continue
        named = evidence.source.names.qualified_name(base)
        if named is None or not named.qualified_name.startswith(("torch.utils.data.", DATASETS)):
            return False
    return True


def _is_first_parameter(evidence: Evidence, receiver: Node) -> bool:
    """Whether all that gives a name its value is a parameter."""
    bindings = evidence.source.names.bindings_in_scope(text_of(receiver), receiver)
    return bool(bindings) and all(one.kind is BindingKind.PARAMETER for one in bindings)


def _is_called_as_texts_are(name: str, call: Node | None) -> bool:
    """Whether a call has arguments that no tensor takes: ``x.split()``, ``x.split(",")``."""
    if call is None or name in _TAKE_TEXT or name in _of_modules():
        return False
    given = arguments_of(call)
    if given.keyword("key") is not None or _is_given_names_of_images(given):
        return True  # a list, or an image
    if not given.items and not given.unpacked:
        return name in _NEED_ARGUMENTS
    first = given.at(0)
    return first is not None and first.value.type in ("string", "concatenated_string")


def _is_given_names_of_images(given: Arguments) -> bool:
    """``image.resize(size, Image.LANCZOS)``."""
    return any(text_of(one.value).startswith(("Image.", "PIL.")) for one in given.items)


def _is_of_array(receiver: Node) -> bool:
    """Whether an expression is what ``astype`` gives, which only arrays have."""
    return receiver.type == "call" and last_name(receiver) == "astype"


def _is_same_anyway(evidence: Evidence, name: str) -> bool:
    """Whether a member stays as it is, whatever it is called on."""
    return any(
        found and all(one.is_name and one.target_text == name for one in found)
        for found in (evidence.entries.get(f"{owner}.{name}", ()) for owner in (TENSOR, MODULE))
    )


def _is_written(node: Node) -> bool:
    """Whether an attribute is assigned: ``self.data = x``."""
    parent = parent_of(node)
    return parent is not None and parent.type == "assignment" and same(field(parent, "left"), node)


_READERS = frozenset(
    {"argument_list", "keyword_argument", "binary_operator", "assignment", "return_statement"}
    | {"expression_list", "parenthesized_expression", "comparison_operator"}
)


def _is_only_read(node: Node) -> bool:
    """Whether an attribute is a value in an expression, and not changed in part: ``x.data[0] = 1``."""
    parent = parent_of(node)
    if parent is None:
        return False
    if parent.type == "attribute":
        name = field(parent, "attribute")
        is_read = call_of(parent) is not None or _is_only_read(parent)
        return name is not None and not text_of(name).endswith("_") and is_read
    if parent.type == "subscript":
        return not is_field(node, "value") or _is_only_read(parent)
    if parent.type in ("assignment", "augmented_assignment", "for_statement", "for_in_clause"):
        return is_field(node, "right")
    return parent.type in _READ_OR_KEPT


def _is_place(node: Node) -> bool:
    """Whether an attribute is a value that is handed on, or compared with that of another tensor."""
    parent = parent_of(node)
    if parent is None:
        return False
    if parent.type == "comparison_operator":
        return all(text_of(one).endswith(".device") for one in parent.named_children)
    return parent.type in _HANDED_ON


_KEPT = frozenset({"interpolation", "tuple", "list", "pair", "list_comprehension", "generator_expression"})
_READ_OR_KEPT = _READERS | _KEPT
_HANDED_ON = _READERS - {"binary_operator"} | _KEPT
_GUARDS: Mapping[str, Callable[[Node], bool]] = {"data": _is_only_read, "device": _is_place}
"""Attributes of tensors that have a counterpart in some places only."""
_CHECKS: Mapping[str, Callable[[Evidence, Use, Node], Use]] = {TENSOR: _with_sharing, MODULE: _with_sequences}
"""What else must hold of a member, by its owner."""
