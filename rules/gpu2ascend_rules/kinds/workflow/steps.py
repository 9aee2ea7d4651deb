"""Which texts of a file of a service are shell code, and which are variables of the environment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tree_sitter import Node

from ...limits.parents import parent_of
from ..settings import Setting, text_of
from ..shell.places import Use, Variable, Word
from ..yaml.values import Scalar, key_of

_COMMANDS = frozenset(
    {
        *("run", "script", "before_script", "after_script", "bash", "command", "commands"),
        *("install", "before_install", "after_install", "before_deploy", "after_success", "after_failure"),
    }
)
_VARIABLES = frozenset({"env", "environment", "variables"})
_INPUTS = frozenset({"with", "inputs", "outputs", "options", "matrix"})
"""What a step gives to a program of the service: its script may be in any language."""
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_DEFAULT = ("defaults", "run", "shell")
_MACHINES = frozenset({"resource_class", "runs-on"})
"""By these a service chooses the machine of a job: CircleCI, GitHub. GitLab does by the tags of a job."""
MACHINE = "machine"
"""The last key but one of what chooses a machine, as CircleCI writes its image."""
_EVENTS = frozenset({"on", "true", "trigger", "pr"})
"""The tags of these start jobs, and are no machines."""
_CONTAINERS = frozenset({"container", "containers", "services"})


def is_code(scalar: Scalar, shells: Mapping[tuple[str, ...], str]) -> bool:
    """Whether a scalar is given to a shell.

    Args:
        shells: See :func:`shells_of`.
    """
    names = [key for key in scalar.keys if key != "[]"]
    if not names or names[-1] not in _COMMANDS or _INPUTS.intersection(names):
        return False
    shell = _sibling_value(scalar.node, "shell")
    for size in range(len(scalar.keys), -1, -1):
        shell = shell or shells.get(scalar.keys[:size], "")
    return not shell or shell.split()[0].rpartition("/")[2] in _SHELLS


def shells_of(scalars: Iterable[Scalar]) -> dict[tuple[str, ...], str]:
    """The shells that run what is below some keys, by these: a default, or that of the machine."""
    found: dict[tuple[str, ...], str] = {}
    for scalar in scalars:
        text = text_of(scalar.node).strip("'\"")
        if scalar.keys[-3:] == _DEFAULT and text:
            found[scalar.keys[:-3]] = text
        elif scalar.keys[-1:] == ("runs-on",) and text.lower().startswith("windows"):
            found.setdefault(scalar.keys[:-1], "pwsh")
    return found


def setting_of(scalar: Scalar) -> Setting | None:
    """What a service gets for a container: its image, and the options that start it; and what chooses a
    machine."""
    names = tuple(key for key in scalar.keys if key != "[]")
    if not names or _INPUTS.intersection(names[:-1]):
        return None
    text = text_of(scalar.node)
    is_quoted = text[:1] in "'\"" and len(text) > 1
    start, end = scalar.node.start_byte + is_quoted, scalar.node.end_byte - is_quoted
    value = text[1:-1] if is_quoted else text
    if _chooses_machine(names):
        return Setting(start, end, (*scalar.keys, MACHINE, names[-1]), value)
    if names[-1] == "container":
        return Setting(start, end, (*scalar.keys, "image"), value)
    if names[-1] == "image" or (names[-1] == "options" and _CONTAINERS.intersection(names)):
        return Setting(start, end, scalar.keys, value)
    return None


def _chooses_machine(names: tuple[str, ...]) -> bool:
    """Whether the machine of a job is chosen below some names; ``tags`` is those of a job itself."""
    if names[-1] == "tags":
        return len(names) - (names[0] == "jobs") == 2 and names[0] not in _EVENTS
    return not _MACHINES.isdisjoint(names[-2:])


def variable_of(scalar: Scalar) -> Variable | None:
    """The variable that a scalar sets for the commands."""
    if len(scalar.keys) < 2 or scalar.keys[-2] not in _VARIABLES or scalar.key is None:
        return None
    name = key_of(scalar.key)
    raw = text_of(scalar.node)
    quoted = raw[:1] in "'\"" and len(raw) > 1
    text = raw[1:-1] if quoted else raw
    is_known = "$" not in raw and "\\" not in raw and "<<" not in raw and scalar.node.type != "block_scalar"
    start = scalar.key.start_byte + (text_of(scalar.key)[:1] in "'\"")
    value = Word(scalar.node.start_byte, scalar.node.end_byte, text if is_known else None, raw)
    return Variable(start, start + len(name.encode()), name, Use.SET, value)


def _sibling_value(node: Node, key: str) -> str:
    """The value of a key in the mapping that holds a node most closely."""
    mapping: Node | None = node
    while mapping is not None and mapping.type not in ("block_mapping", "flow_mapping"):
        mapping = parent_of(mapping)
    for pair in _pairs(mapping):
        name, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
        if name is not None and value is not None and key_of(name) == key:
            return text_of(value).strip("'\"")
    return ""


def _pairs(mapping: Node | None) -> Iterator[Node]:
    if mapping is not None:
        yield from mapping.named_children
