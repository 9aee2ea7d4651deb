"""Questions about receivers, answered with jedi.

jedi reports what a value *may* be, as far as it can follow it. To a question whether something is a fact it
answers too much (see :mod:`gpu2ascend_rules.inference.followed`). So every value of a name must be known, all
of one class, and of a class of the project every base must be known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jedi
import jedi.settings
from jedi.api.environment import InterpreterEnvironment
from jedi.inference.helpers import infer_call_of_leaf

from gpu2ascend_rules.hosting import follows, is_class
from gpu2ascend_rules.model.type_oracle import Question, Spot

from .jedi_places import JediPlaces

_SOURCES = "src"


class SealedEnvironment(InterpreterEnvironment):  # type: ignore[misc]
    """This very process, with no directory from which jedi could import an extension module."""

    def get_sys_path(self) -> list[str]:
        """No directories."""
        return []


class Answers:
    """Answers about one project."""

    def __init__(self, root: str, stubs: Path, cache: Path) -> None:
        _configure(cache)
        self._root = Path(root)
        self._stubs = stubs
        self._environment = SealedEnvironment()

    def class_of(self, question: Question) -> str | None:
        """See :meth:`gpu2ascend_rules.model.type_oracle.TypeOracle.class_of`."""
        places = JediPlaces(self._script_of(question.path))
        receiver = places.receiver(*question.member)
        if receiver is None or not follows(places, receiver):
            return None
        found = {
            self._one_class(_defined_at(self._script_of(question.path), spot), question.name)
            for spot in question.bindings
        }
        values = _receiver_of(self._script_of(question.path), question.member)
        found.add(self._one_class(values, question.name))
        return found.pop() if len(found) == 1 else None

    def _script_of(self, path: str) -> Any:
        """A file as jedi sees it, anew for each look: what jedi counts and remembers, so as to come to an
        end, would make an answer depend on what was asked before."""
        file = self._root / path
        project = jedi.Project(
            self._root,
            sys_path=[str(folder) for folder in self._import_folders(file)],
            smart_sys_path=False,
            load_unsafe_extensions=False,
        )
        return jedi.Script(path=file, project=project, environment=self._environment)

    def _import_folders(self, file: Path) -> Iterator[Path]:
        """Where an import of that file finds the project's modules: as ``ProjectFiles`` looks for them."""
        yield self._stubs
        for folder in file.parents:
            yield folder
            if folder == self._root:
                break
        yield self._root / _SOURCES

    def _one_class(self, values: Iterable[Any], member: str) -> str | None:
        """The one class of PyTorch that all values are instances of; None unless there is exactly one.

        The value None has no members that anybody asks about: what is one class or None is that class.
        """
        classes = {self._class_of_value(value, member) for value in values if not _is_none(value)}
        return classes.pop() if len(classes) == 1 else None

    def _class_of_value(self, value: Any, member: str) -> str | None:
        if not value.is_instance():
            return None
        for base in value.py__class__().py__mro__():
            if self._is_stub(base):
                name = ".".join((*base.get_root_context().string_names, base.py__name__()))
                return name if is_class(name) else None
            if not _is_fully_known(base):
                return None
            if any(True for _ in next(iter(base.get_filters(is_instance=False))).get(member)):
                return ""
        return None

    def _is_stub(self, value: Any) -> bool:
        path = value.get_root_context().py__file__()
        return path is not None and self._stubs in Path(path).parents


def _configure(cache: Path) -> None:
    """Only what the text says: no guesses from the calls of a function, nothing imported, nothing kept."""
    settings = jedi.settings
    settings.cache_directory = str(cache)
    settings.auto_import_modules = []
    settings.dynamic_params = False
    settings.dynamic_params_for_other_modules = False
    settings.dynamic_array_additions = False


def _receiver_of(script: Any, member: Spot) -> Iterable[Any]:
    """What the receiver of the member at a spot may be."""
    leaf = script._module_node.get_name_of_position((member.line, member.column))
    if leaf is None or leaf.parent is None or leaf.parent.type != "trailer":
        return ()
    context = script._get_module_context().create_context(leaf)
    return list(infer_call_of_leaf(context, leaf.parent.children[0], cut_own_trailer=True))


def _defined_at(script: Any, spot: Spot) -> Iterable[Any]:
    """What the name that is bound at a spot may be there."""
    leaf = script._module_node.get_name_of_position((spot.line, spot.column))
    if leaf is None:
        return ()
    context = script._get_module_context().create_context(_seen_from(leaf))
    return list(script._inference_state.infer(context, leaf))


def _seen_from(leaf: Any) -> Any:
    """The node in whose context a name is bound: of a parameter that is the body of its function."""
    definition = leaf.get_definition(import_name_always=True)
    if definition is None or definition.type != "param":
        return leaf
    return definition.get_parent_function().children[-1]


def _is_none(value: Any) -> bool:
    return bool(value.is_compiled() and value.py__class__().py__name__() == "NoneType")


def _is_fully_known(value: Any) -> bool:
    """Whether every base of a class of the project was found. An unknown one may define any member."""
    written = value.tree_node.get_super_arglist() if value.tree_node is not None else None
    if written is None:
        return True
    return all(base.infer() for base in value.py__bases__())
