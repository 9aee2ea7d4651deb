"""Calls that declare options of a command line, as ``argparse`` has them, and containers of their values."""

from __future__ import annotations

from tree_sitter import Node

from ....text.syntax import arguments_of, last_name
from ...templates import plain_text

OPTIONS = frozenset({"add_argument", "add_option", "option", "add_arg"})
FLAGS = frozenset({"DEFINE_string", "DEFINE_enum"})
HOLDS_VALUES = frozenset(
    {
        "AttrDict", "Box", "ConfigDict", "DictConfig", "EasyDict", "FrozenConfigDict", "HParams", "Munch",
        "Namespace", "SimpleNamespace", "edict",
    }
)  # fmt: skip
"""Containers whose constructors take values by name, which are read as attributes, like those of options."""


def declares_by_add(call: Node) -> bool:
    """``parser.add('--device', default='cuda')`` of configargparse."""
    first = arguments_of(call).at(0)
    return first is not None and (plain_text(first.value) or "").startswith("-")


def option_names(call: Node) -> tuple[str, ...]:
    """The names of an option: its flags without hyphens, its ``dest``, or a flag's name."""
    arguments = arguments_of(call)
    # The place of a flag's name counts; those of an option are all that has no keyword.
    given = arguments.positional[:1] if last_name(call) in FLAGS else arguments.unnamed
    flags = [plain_text(item.value) or "" for item in given]
    dest = arguments.keyword("dest")
    named = [plain_text(dest.value) or ""] if dest is not None else []
    names = (text.partition("/")[0].lstrip("-").replace("-", "_") for text in (*named, *flags))
    return tuple(name for name in names if name)


def option_before(element: Node) -> str | None:
    """The option that an element follows: ``['train.py', '--device', 'cuda']``."""
    before = element.prev_named_sibling
    text = plain_text(before) if before is not None else None
    return text if text is not None and text.startswith("-") else None
