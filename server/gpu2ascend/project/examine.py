"""The one way for a file: text and path in, one result out.

The terminal, a migration, a preview, an analysis and the language server all call :func:`examine`.
A front end chooses *what* it wants to know (:class:`Request`), never *how* a file is decoded, filtered,
checked, fixed or verified; so the same text in the same project gives the same findings and the same edits
everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import attrs

from gpu2ascend_rules.check import (
    CheckCancelledError,
    ErrorSink,
    check,
    may_find,
    silenced,
)
from gpu2ascend_rules.codemods.codemod import all_codemods
from gpu2ascend_rules.custom.find import matched_rules
from gpu2ascend_rules.engine.places.scan import may_concern_kind
from gpu2ascend_rules.fix import apply_fixes, without_custom
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import kind_file, kind_of_name
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import FileChange, FixOutcome
from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView
from gpu2ascend_rules.notebook.ipynb import NotebookError
from gpu2ascend_rules.options.options import MigrationOptions, OptionError
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.unresolved import UnresolvedMember, unresolved_members

from .encoded import encoded
from .errors import defect, out_of_time, traceback_of
from .examination import Examination
from .files.content.encoding import NotTextError, SourceText, decode
from .files.content.notebooks import NotebookFile, is_notebook, not_a_notebook
from .files.content.soundness import judge_of
from .files.content.syntax import kind_problem, may_be_broken, nesting_problem, syntax_problem
from .fixing import BrokenEditError, Transform, after_all_steps, is_broken, keeps_syntax, made_soundly
from .report.result import FileStatus


@attrs.frozen(kw_only=True)
class Request:
    """What is to be known of the files of a project. Goes to worker processes by pickling."""

    options: MigrationOptions
    fix: bool = False
    """Make the fixes that the options allow; the findings are those that are left."""
    is_lenient: bool = False
    """A text that is not Python 3 is no problem, as an editor's is not while a person types: it is not asked
    what is wrong with it, which costs three parses, and with ``fix`` the parts that parse are fixed."""
    codemods: bool = False
    """With ``fix``: also carry out what a migration does to whole modules, such as AMP transplant."""
    resolves: bool = False
    """Also give the members whose receivers the file leaves unresolved, for the project to resolve."""
    verifies_all: bool = False
    """Report every file that is not Python 3, also where no rule could find anything: it costs a parse."""
    lists_fixes: bool = False
    """With ``fix``: also give the fixes of each pass."""
    counts_silenced: bool = False
    """Also count the findings of the given text that its own comments silence: one more check of a file that
    has such comments."""
    transform: Transform = apply_fixes
    """Makes the fixes where no codemod takes part."""


class Listener(NamedTuple):
    """What an editor receives and answers while a file is examined."""

    on_error: ErrorSink | None = None
    """Receives a rule that failed, which costs its own findings only: a finding says where it failed."""
    is_cancelled: Callable[[], bool] | None = None
    """Asked before each question to a rule."""


def examine(
    path: str,
    content: bytes | str | TextFile,
    request: Request,
    project: ProjectView = STANDALONE,
    change: FileChange | None = None,
    listener: Listener = Listener(),  # noqa: B008 - a constant
) -> Examination:
    """Examine one file.

    Args:
        path: Names the file; within a project relative to its root, with ``/``.
        content: The bytes of a file on disk, the text that an editor has of it, or a source that is already
            parsed (also the composite of a notebook's cells, which is then treated as one module). What is
            of no other kind is Python.
        project: The other files, for what a rule asks about them.
        change: What a codemod of the whole program makes of this file; replaces codemods of one file.

    Raises:
        CheckCancelledError: the listener cancelled.
        OptionError: the options choose no version.
    """
    try:
        with time_limit():
            return _examined(path, content, request, project, change, listener)
    except TimeLimitError:
        given = content.text if isinstance(content, TextFile) else content
        text = given if isinstance(given, str) else None
        return Examination(path=path, status=FileStatus.FAILED, text=text, problem=out_of_time())


def _examined(
    path: str,
    content: bytes | str | TextFile,
    request: Request,
    project: ProjectView,
    change: FileChange | None,
    listener: Listener,
) -> Examination:
    try:
        if isinstance(content, KindFile):
            return _of_kind(path, content, request, project, listener)
        if isinstance(content, TextFile):
            if not isinstance(content, SourceFile):
                raise TypeError(f"cannot examine a {type(content).__name__}")
            return _module(path, content, request, project, change, listener)
        text = _decoded(path, content) if isinstance(content, bytes) else SourceText(content, "utf-8", b"")
        file = kind_file(path, text.text)
        if file is not None:
            done = _of_kind(path, file, request, project, listener)
        elif is_notebook(path):
            done = _notebook(path, text.text, request, project, listener)
        else:
            source = SourceFile(text.text, path)
            done = _module(path, source, request, project, change, listener)
        return encoded(done, text, content) if isinstance(content, bytes) else done
    except NotTextError as error:
        return Examination(path=path, status=FileStatus.UNDECODABLE, problem=error.message)
    except NotebookError as error:
        return Examination(path=path, status=FileStatus.UNPARSABLE, problem=not_a_notebook(error))


def _decoded(path: str, content: bytes) -> SourceText:
    """The text of a file.

    Raises:
        NotTextError: it is none in the encoding that it declares, and that is of account.
    """
    try:
        return decode(content)
    except NotTextError:
        kind = kind_of_name(path)
        if kind is None or not kind.is_searched:
            raise
        return SourceText(content.decode("latin-1"), "latin-1", b"")


def recheck(done: Examination, request: Request, project: ProjectView = STANDALONE) -> Examination:
    """A result after fixes with the findings of the text that is there now.

    For a file that could not be fixed, and for a notebook, where cells that are not Python are checked too.
    """
    if done.text is None or (done.problem is None and not is_notebook(done.path)):
        return done
    again = examine(done.path, done.text, attrs.evolve(request, fix=False), project)
    defects = {(item.code, item.start): item for item in done.findings if is_defect(item)}
    found = tuple(defects.get((item.code, item.start), item) for item in again.findings)
    return attrs.evolve(done, findings=found, problem=done.problem or again.problem)


def _of_kind(
    path: str, file: KindFile, request: Request, project: ProjectView, listener: Listener
) -> Examination:
    """Examine a file of a kind beside Python. The user's own rules are about Python."""
    given = Examination(path=path, text=file.text)
    if not may_concern_kind(file.kind, file.data):
        return attrs.evolve(given, is_relevant=False)
    options = without_custom(request.options)
    try:
        problem = kind_problem(file) if not request.is_lenient else None
        if problem is not None:
            given = attrs.evolve(given, status=FileStatus.UNPARSABLE, problem=problem)
            if request.fix:
                return given
        given = _with_silenced(given, file, options, request, project)
        if not request.fix:
            return _with_findings(given, file, options, project, listener)
        make = partial(request.transform, file, options, project)
        outcome = made_soundly(make, partial(judge_of, file), lambda done: keeps_syntax(file, done))
    except BrokenEditError:
        return attrs.evolve(given, status=FileStatus.FAILED, problem=Message.of("project.broken-edit"))
    except (CheckCancelledError, OptionError):
        raise
    except Exception as error:  # a defect of ours must not cost the user the other files
        return _failed(given, error, listener)
    if outcome.text == file.text:
        return _with_outcome(given, outcome, request)
    changed = attrs.evolve(given, status=FileStatus.CHANGED, text=outcome.text, before=file.text)
    return _with_outcome(changed, outcome, request)


def _is_wanted(source: SourceFile, request: Request, project: ProjectView) -> bool:
    """Whether a file may be changed, or have findings."""
    options = request.options
    return may_find(source, options, project) or (
        request.codemods
        and any(item.is_asked_for(options) and item.may_change(source, options) for item in all_codemods())
    )


def _module(
    path: str,
    source: SourceFile,
    request: Request,
    project: ProjectView,
    change: FileChange | None,
    listener: Listener,
) -> Examination:
    """Examine one module of Python."""
    problem = syntax_problem(source) if request.verifies_all else None
    given = Examination(path=path, text=source.text)
    if problem is None and change is None and not _is_wanted(source, request, project):
        return attrs.evolve(given, is_relevant=False)
    try:
        if not (request.verifies_all or request.is_lenient):
            problem = _syntax_problem(source, request)
        given = attrs.evolve(given, matched=matched_rules(source, request.options))
        given = _with_silenced(given, source, request.options, request, project)
        if problem is not None:
            given = attrs.evolve(given, status=FileStatus.UNPARSABLE, problem=problem)
        if request.fix:
            return given if problem is not None else _fixed(given, source, request, project, change)
        return _checked(given, source, request, project, listener)
    except BrokenEditError:
        return attrs.evolve(given, status=FileStatus.FAILED, problem=Message.of("project.broken-edit"))
    except (CheckCancelledError, OptionError):
        raise
    except Exception as error:  # a defect of ours must not cost the user the other files
        return _failed(given, error, listener)


def _syntax_problem(source: SourceFile, request: Request) -> Message | None:
    """Why a module is not Python 3. A check asks ``ast`` and LibCST only where its tree or words leave that
    open."""
    return syntax_problem(source) if request.fix or may_be_broken(source) else None


def _checked(
    given: Examination, source: SourceFile, request: Request, project: ProjectView, listener: Listener
) -> Examination:
    done = _with_findings(given, source, request.options, project, listener)
    done = attrs.evolve(done, unresolved=_unresolved(source, request, project))
    return _with_nesting(done, source, request)


def _with_findings(
    given: Examination, source: TextFile, options: MigrationOptions, project: ProjectView, listener: Listener
) -> Examination:
    """The result with what is found in a source, where a rule failed too."""
    errors: list[Exception] = []

    def note(code: str, error: Exception) -> None:
        errors.append(error)
        if listener.on_error is not None:
            listener.on_error(code, error)

    found = check(source, options, project, note, listener.is_cancelled)
    return attrs.evolve(given, findings=found, traceback=_traceback(errors))


def _traceback(errors: Sequence[Exception]) -> str:
    """Where the first defect of ours was raised, if the user asked for that."""
    return "".join(map(traceback_of, errors[:1]))


def _fixed(
    given: Examination,
    source: SourceFile,
    request: Request,
    project: ProjectView,
    change: FileChange | None,
) -> Examination:
    options = request.options
    make = partial(after_all_steps, request.transform, source, options, project, change)
    make = partial(make, codemods=request.codemods)
    judge = partial(judge_of, source)
    outcome = made_soundly(make, judge, lambda done: not is_broken(source, done.text, request.is_lenient))
    if outcome.text == source.text:
        done = _with_outcome(given, outcome, request)
    else:
        changed = attrs.evolve(given, status=FileStatus.CHANGED, text=outcome.text, before=source.text)
        done = _with_outcome(changed, outcome, request)
    done = attrs.evolve(done, unresolved=_unresolved(source, request, project))
    return _with_nesting(done, source, request)


def _with_silenced(
    given: Examination, source: TextFile, options: MigrationOptions, request: Request, project: ProjectView
) -> Examination:
    if not request.counts_silenced:
        return given
    return attrs.evolve(given, silenced=silenced(source, options, project))


def _with_nesting(done: Examination, source: SourceFile, request: Request) -> Examination:
    """The result, with the problem that a part of the file nests too deeply to be examined."""
    problem = nesting_problem(source, request.options) if done.problem is None else None
    return done if problem is None else attrs.evolve(done, status=FileStatus.FAILED, problem=problem)


def _unresolved(source: SourceFile, request: Request, project: ProjectView) -> tuple[UnresolvedMember, ...]:
    return unresolved_members(source, request.options, project) if request.resolves else ()


def _failed(given: Examination, error: Exception, listener: Listener) -> Examination:
    if listener.on_error is not None:
        listener.on_error("", error)
    return attrs.evolve(given, status=FileStatus.FAILED, problem=defect(error), traceback=traceback_of(error))


def _notebook(
    path: str, text: str, request: Request, project: ProjectView, listener: Listener
) -> Examination:
    """Examine the cells of a notebook as one module; cells that are not Python stay as they are."""
    file = NotebookFile.sound(text, path) if request.fix else NotebookFile.whole(text, path)
    source = file.composite.source
    status = FileStatus.UNCHANGED if file.problem is None else FileStatus.UNPARSABLE
    given = Examination(path=path, status=status, text=text, problem=file.problem)
    if not may_find(source, request.options, project):
        return attrs.evolve(given, is_relevant=False, matched=matched_rules(source, request.options))
    try:
        given = attrs.evolve(given, matched=matched_rules(source, request.options))
        given = _with_silenced(given, source, request.options, request, project)
        if not request.fix:
            done = _with_findings(given, source, request.options, project, listener)
            return _with_nesting(done, source, request)
        make = partial(request.transform, source, request.options, project)
        outcome = made_soundly(make, lambda: file.is_sound, file.keeps_syntax)
        new_text = file.rewritten(outcome)
    except BrokenEditError:
        return attrs.evolve(given, status=FileStatus.FAILED, problem=Message.of("project.broken-edit"))
    except (CheckCancelledError, OptionError):
        raise
    except Exception as error:  # a defect of ours must not cost the user the other files
        return _failed(given, error, listener)
    if new_text != text:
        status = FileStatus.CHANGED if file.problem is None else given.status
        given = attrs.evolve(given, status=status, text=new_text, before=text)
    located = outcome._replace(applied=file.applied(outcome), remaining=file.remaining(outcome))
    return _with_nesting(_with_outcome(given, located, request), source, request)


def _with_outcome(given: Examination, outcome: FixOutcome, request: Request) -> Examination:
    return attrs.evolve(
        given,
        findings=tuple(item.finding for item in outcome.remaining),
        remaining=outcome.remaining,
        applied=outcome.applied,
        passes=outcome.edits,
        made=outcome.made if request.lists_fixes else (),
        traceback=_traceback(outcome.errors),
        equivalents=outcome.equivalents,
    )
