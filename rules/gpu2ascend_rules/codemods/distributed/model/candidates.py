"""Which variables of a program may be the model that its user trains: what a form proposes."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from ....inference.kinds import Kind
from ....model.project.project_view import ProjectView
from ....options.options import MigrationOptions
from ....text.source_file import SourceFile
from ....text.syntax import call_of, enclosing, field, text_of
from ..job import Job

PROPOSED = 5
"""So many names are proposed at most."""
_OF_MODULES = frozenset({"parameters", "named_parameters", "state_dict", "load_state_dict"})
"""Methods that are called on a model by what trains it."""
_TRAINED_BY = frozenset({"parameters", "named_parameters", "train", "zero_grad"})


def model_candidates(entry: SourceFile, options: MigrationOptions, project: ProjectView) -> tuple[str, ...]:
    """Names that the program behind a script gives to models, as the option ``target_model`` takes them.

    Those of the script come first, and among the names of a file those that most speaks for.
    """
    job = Job(entry, options, project)
    names: dict[str, None] = {}
    for file in job.program.files:
        scores = _scores(job, file)
        names.update(dict.fromkeys(sorted(scores, key=lambda name: -scores[name])))
        if len(names) >= PROPOSED:
            break
    return tuple(names)[:PROPOSED]


def _scores(job: Job, file: SourceFile) -> dict[str, int]:
    """How much speaks for a variable of a file being a trained model; those without evidence are left out."""
    called = _called_methods(job, file)
    scores: dict[str, int] = {}
    for target, value in _assignments(job, file):
        name = text_of(target)
        methods = called.get(name, frozenset())
        is_module = job.context(file).kind(value) is Kind.MODULE
        if methods & _TRAINED_BY and (is_module or methods & _OF_MODULES):
            scores[name] = max(
                scores.get(name, 0), 2 * is_module + len(methods & (_TRAINED_BY | _OF_MODULES))
            )
    return scores


def _assignments(job: Job, file: SourceFile) -> Iterator[tuple[Node, Node]]:
    """Variables and attributes of ``self`` with what they are given; the parts of a model are left out."""
    for assignment in job.program.nodes(file, "assignment"):
        left, right = field(assignment, "left"), field(assignment, "right")
        if left is None or right is None:
            continue
        is_named = left.type == "identifier" or text_of(left).startswith("self.")
        owner = enclosing(assignment, "class_definition")
        is_part = owner is not None and job.context(file).types.is_module_class(owner)
        if is_named and not is_part and left.type in ("identifier", "attribute"):
            yield left, right


def _called_methods(job: Job, file: SourceFile) -> dict[str, frozenset[str]]:
    """The methods that are called on each expression, by its text."""
    called: dict[str, set[str]] = {}
    for node in job.program.nodes(file, "attribute"):
        holder, name = field(node, "object"), field(node, "attribute")
        if holder is not None and name is not None and call_of(node) is not None:
            called.setdefault(text_of(holder), set()).add(text_of(name))
    return {name: frozenset(methods) for name, methods in called.items()}
