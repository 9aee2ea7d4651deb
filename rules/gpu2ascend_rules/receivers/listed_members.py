"""From ``x.method`` to the API that it is: the one place where a receiver's class meets the support lists."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from ..engine.context import Context
from ..engine.events import MemberRef
from ..facts import Facts, SupportStatus
from ..inference.classes.torch_classes import TENSOR, bases_of, is_tensor
from ..inference.instances import Instance, Instances
from ..inference.kinds import Kind
from ..text.source_file import SourceFile
from ..text.syntax import field, text_of
from .evidence import is_assigned, is_checked_tensor


class ListedMember(NamedTuple):
    """A member whose receiver's class is proven."""

    api: str
    status: SupportStatus
    node: Node
    """The attribute's name in the text."""


def member_of(ref: MemberRef, ctx: Context) -> ListedMember | None:
    """The API that an attribute is, with its status; None when its receiver is unresolved or no class of
    PyTorch, and when the file's own class defines it."""
    if is_assigned(ref) or ref.receiver_name is not None:
        return None
    instance = receiver(ref, ctx)
    if instance is None or not instance.class_name:
        return None
    if instance.definition is not None and ctx.instances.classes.method(instance.definition, ref.name):
        return None
    api = api_of_member(instance.class_name, ref.name, ctx.facts)
    return None if api is None else ListedMember(api, ctx.facts.status(api), ref.identifier)


def receiver(ref: MemberRef, ctx: Context) -> Instance | None:
    """What the receiver of a member is an instance of; None when the file does not prove it."""
    known = ctx.instances.of(ref.receiver)
    if known is None and is_checked_tensor(ref.node, ref.receiver):
        return Instance(TENSOR)
    return known


def is_on_tensor(ref: MemberRef, ctx: Context) -> bool:
    """Whether a member's receiver is likely a tensor, or certainly."""
    if ctx.kind(ref.receiver) is Kind.TENSOR:
        return True
    found = receiver(ref, ctx)
    return found is not None and is_tensor(found.class_name)


def api_of_member(class_name: str, member: str, facts: Facts) -> str | None:
    """The qualified name by which a list has a member of a class, inherited ones included.

    A method of tensors that no list has goes by its plain name.
    """
    for base in bases_of(class_name):
        api = f"{base}.{member}"
        if facts.status(api) is not SupportStatus.UNKNOWN or facts.row(api) is not None:
            return api
    api = f"{TENSOR}.{member}"
    is_method = bases_of(class_name)[-1] == TENSOR and api in facts.members_with(SupportStatus.UNKNOWN)
    return api if is_method else None


def api_at(attribute: Node, source: SourceFile, facts: Facts) -> str | None:
    """The API that an attribute is by the class of its receiver; None where the file does not prove one, or
    where its own class defines it."""
    receiver, name = field(attribute, "object"), field(attribute, "attribute")
    if receiver is None or name is None:
        return None
    instances = Instances(source)
    instance = instances.of(receiver)
    if instance is None and is_checked_tensor(attribute, receiver):
        instance = Instance(TENSOR)
    if instance is None or not instance.class_name:
        return None
    member = text_of(name)
    if instance.definition is not None and instances.classes.method(instance.definition, member):
        return None
    return api_of_member(instance.class_name, member, facts)
