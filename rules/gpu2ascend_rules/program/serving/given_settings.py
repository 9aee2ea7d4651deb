"""What the files of a project give a setting: an option, a parameter, a field, a key of a configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from ...flow.guards.settings import METHOD, OFF, ON, UNKNOWN, constant_of, default_of_declaration, plain_name
from ...flow.names.files import ProjectFilesView
from ...flow.templates import plain_text
from ...kinds.shell.words import SCRIPT_SUFFIXES
from ...limits.parents import parent_of
from ...text.source_file import SourceFile
from ...text.syntax import (
    OWN_SCOPES,
    ancestors,
    arguments_of,
    chain_of,
    enclosing,
    field,
    is_field,
    same,
    text_of,
)

_SETTINGS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".gin")
_COMMANDS = (*SCRIPT_SUFFIXES, ".mk", "Makefile", "makefile", "justfile")
_FOLDERS = ("", "scripts", "script", "configs", "config", "conf", "cfgs", "experiments", "exp", "options")
"""Where configurations and scripts lie beside the folders of the modules."""
_LOOK_UPS = frozenset({"identifier", "attribute", "call", "subscript"})
_COMMENT = re.compile(r"^\s*#.*$", re.M)
_MOST_FILES = 400
_GIVEN = r"(?=['\"]|[\s\\]*(?:\#|:|=(?!=)))"
"""Behind a name that code may give a value: the end of a string, or what an assignment or parameter has."""


def given_values(name: str, project: ProjectFilesView, modules: Sequence[str]) -> Iterator[str]:
    """The values that a setting is given by configurations, scripts and modules, as :func:`constant_of` has
    them."""
    for value, chosen_by in _given(name, project, modules):
        others = (_given(other, project, modules) for other in chosen_by)
        if not any({value for value, _ in other} == {OFF} for other in others):
            yield value


def _given(
    name: str, project: ProjectFilesView, modules: Sequence[str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The values of a setting, each with the settings without which it is not given."""
    plain = plain_name(name)
    spelled = re.compile(re.escape(plain).replace("_", "[-_]"), re.I)
    word = max(plain.split("_"), key=len)
    for path in settings_beside(modules, project):
        text = project.text_at(path) or ""
        if _may_have(word, text):
            yield from ((value, ()) for value in _in_text(spelled, text, path))
    may_give = re.compile(spelled.pattern + _GIVEN, re.I)
    for path in modules:
        text = project.text_at(path) or ""
        if (
            _may_have(word, text)
            and may_give.search(text)
            and (source := project.python_at(path)) is not None
        ):
            yield from _in_python(spelled, source)


def _may_have(word: str, text: str) -> bool:
    """Whether a text may have a word in any case: a plain search takes a tenth of the time of a pattern."""
    return not text.isascii() or word in text.lower()


def _in_python(spelled: re.Pattern[str], source: SourceFile) -> Iterator[tuple[str, Sequence[str]]]:
    for match in re.finditer(spelled.pattern.encode(), source.data, re.IGNORECASE):
        node = source.node_at(match.start(), match.end())
        if node is not None and node.type == "string_content":
            node = parent_of(node)
        if node is None:
            continue
        if node.type == "string" and plain_name(plain_text(node) or "") == plain_name(match[0].decode()):
            yield from ((value, ()) for value in _by_string(node))
        elif node.type == "identifier" and len(match[0]) == node.end_byte - node.start_byte:
            yield from ((value, tuple(_switches_above(node))) for value in _by_name(node))


def _switches_above(name: Node) -> Iterator[str]:
    """The settings that choose what a name is part of: ``if args.export: name = ...``."""
    inner = name
    for parent in ancestors(name):
        if parent.type in OWN_SCOPES:
            return
        condition = field(parent, "condition") if parent.type == "if_statement" else None
        chain = chain_of(condition) if condition is not None else None
        if chain is not None and same(field(parent, "consequence"), inner):
            yield (text_of(chain.root), *chain.attributes)[-1]
        inner = parent


def _by_string(string: Node) -> Iterator[str]:
    """``table['name'] = value``, ``{'name': value}``, ``add_argument('--name', ...)``, ``setattr``."""
    parent = parent_of(string)
    call = parent_of(parent) if parent is not None and parent.type == "argument_list" else None
    if parent is not None and parent.type == "pair" and same(field(parent, "key"), string):
        yield from _value(field(parent, "value"), text_of(string))
    elif parent is not None and parent.type == "subscript":
        yield from _assigned(parent, text_of(string))
    elif call is not None and text_of(string).strip("'\"").startswith("-"):
        yield default_of_declaration(call)
    elif call is not None and text_of(field(call, "function") or call) == "setattr":
        yield UNKNOWN


def _by_name(name: Node) -> Iterator[str]:
    parent = parent_of(name)
    if parent is None:
        return
    if parent.type in ("keyword_argument", "default_parameter", "typed_default_parameter"):
        if same(field(parent, "name"), name):
            yield from _value(field(parent, "value"), text_of(name))
    elif parent.type == "attribute" and same(field(parent, "attribute"), name):
        yield from _assigned(parent, text_of(name))
    else:
        yield from _assigned(name, text_of(name))


def _assigned(target: Node, name: str) -> Iterator[str]:
    statement = parent_of(target)
    is_given = statement is not None and statement.type == "assignment"
    if is_given and same(field(statement, "left"), target) and not _is_passed_on(statement, name):
        yield from _value(field(statement, "right"), name)


def _is_passed_on(statement: Node | None, name: str) -> bool:
    """``if args.name: config.NAME = True``: what another setting of the same name says."""
    for parent in ancestors(statement) if statement is not None else ():
        if parent.type in OWN_SCOPES:
            return False
        condition = field(parent, "condition") if parent.type == "if_statement" else None
        if condition is not None and condition.type != "not_operator" and _names(condition, name):
            arm = field(parent, "consequence")
            return (
                arm is not None
                and statement is not None
                and arm.start_byte <= statement.start_byte < arm.end_byte
            )
    return False


def _names(expression: Node, name: str) -> bool:
    return plain_name(name.strip("'\"")) in map(plain_name, re.findall(r"\w+", text_of(expression)))


def _value(value: Node | None, name: str) -> Iterator[str]:
    """A value, but for one that is the setting itself under the same name: ``name=args.name``."""
    if value is None:
        return
    if value.type not in _LOOK_UPS or not _names(value, name):
        yield constant_of(value)
    elif value.type == "identifier" and _is_required(value):
        yield UNKNOWN  # what the calls of another function give it


def _is_required(name: Node) -> bool:
    """Whether a name is a parameter without a default."""
    holder = field(enclosing(name, "function_definition"), "parameters")
    for item in holder.named_children if holder is not None else ():
        named = item.named_children[0] if item.type == "typed_parameter" else item
        if named.type == "identifier" and text_of(named) == text_of(name):
            return True
    return False


def given_in_place(
    name: str, callee: str, place: int, project: ProjectFilesView, modules: Sequence[str]
) -> Iterator[str]:
    """The values that the calls of a function or class give a parameter by its place."""
    is_method, callee = callee.startswith(METHOD), callee.removeprefix(METHOD)
    for path in modules:
        source = project.python_at(path) if callee in (project.text_at(path) or "") else None
        for identifier in source.identifiers(callee) if source is not None else ():
            is_of_object = is_field(identifier, "attribute")
            called = parent_of(identifier) if is_of_object else identifier
            call = parent_of(called) if called is not None and is_field(called, "function") else None
            if call is None or (is_method and not is_of_object):
                continue
            arguments = arguments_of(call)
            given = arguments.at(place)
            if given is not None:
                yield from _value(given.value, name)
            elif len(arguments.positional) < len(arguments.unnamed):
                yield UNKNOWN


def settings_beside(modules: Sequence[str], project: ProjectFilesView) -> Iterator[str]:
    """The configurations and scripts beside modules, and in the folders where projects have theirs."""
    folders = {path.rpartition("/")[0] for path in modules}.union(_FOLDERS)
    folders |= {folder.rpartition("/")[0] for folder in folders}
    count = 0
    for folder in sorted(folders):
        for name in project.names_in(folder):
            if name.endswith(_SETTINGS + _COMMANDS):
                count += 1
                yield f"{folder}/{name}" if folder else name
            if count > _MOST_FILES:
                return


def _in_text(spelled: re.Pattern[str], text: str, path: str) -> Iterator[str]:
    if path.endswith(_SETTINGS):
        pattern = rf"(?<![\w-]){spelled.pattern}[\"']?\s*[:=]\s*[\"']?([\w./-]+)"
    else:
        pattern = rf"(?:--|(?<![\w-])){spelled.pattern}(?![\w-])(?:[= ]+[\"']?(?!-)(\w[\w./-]*))?"
    for match in re.finditer(pattern, _COMMENT.sub("", text), re.I):
        word = (match[1] or "").lower()
        is_switch = not word and match[0].startswith("--")
        if is_switch or word in ("true", "1", "yes", "on"):
            yield ON
        elif word:
            yield OFF if word in ("false", "0", "no", "off", "null", "none") else word
