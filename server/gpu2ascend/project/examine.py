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

from gpu2ascend_rules.checking import CheckCancelledError, ErrorSink, check, may_find, silenced
from gpu2ascend_rules.fixing import apply_fixes, without_custom
from gpu2ascend_rules.hosting import Judge, NotebookError, all_codemods, matched_rules, may_concern_kind
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import kind_file, kind_of_name
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.model.defects import is_defect
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import FileChange, FixOutcome
from gpu2ascend_rules.model.project.project_view import STANDALONE, ProjectView
from gpu2ascend_rules.options.options import MigrationOptions, OptionError
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.unresolved import unresolved_members

from .encoded import encoded
from .errors import defect, out_of_time, traceback_of
from .examination import Examination
from .files.content.encoding import NotTextError, SourceText, decode
from .files.content.notebooks import NotebookFile, is_notebook, not_a_notebook
from .files.content.soundness import judge_of
from .files.content.syntax import has_only_async, kind_problem, may_be_broken, nesting_problem, syntax_problem
from .fixing import (
    BrokenEditError,
    Keeping,
    Making,
    Transform,
    after_all_steps,
    is_broken,
    keeps_syntax,
    made_soundly,
)
from .index.view import ProjectFiles
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
    """With ``fix``: also give the fixes of each pass, and what was found before them."""
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
        file: TextFile | None
        if isinstance(content, TextFile):
            text, file = SourceText(content.text, "utf-8", b""), content
        else:
            text = SourceText(content, "utf-8", b"") if isinstance(content, str) else _decoded(path, content)
            file = None if is_notebook(path) else source_of(path, text.text, project)
        if isinstance(file, KindFile):
            document = _of_kind(file, request, project)
        elif isinstance(file, SourceFile):
            document = _of_module(file, request, project, change)
        elif file is None:
            document = _of_notebook(path, text.text, request, project)
        else:
            raise TypeError(f"cannot examine a {type(file).__name__}")
        done = _outcome(Examination(path=path, text=text.text), document, request, project, listener)
        return encoded(done, text, content) if isinstance(content, bytes) else done
    except NotTextError as error:
        return Examination(path=path, status=FileStatus.UNDECODABLE, problem=error.message)
    except NotebookError as error:
        return Examination(path=path, status=FileStatus.UNPARSABLE, problem=not_a_notebook(error))


def source_of(path: str, text: str, project: ProjectView) -> TextFile:
    """A text that is no notebook as what it is examined as; a module is parsed once for a project."""
    file = kind_file(path, text)
    if file is not None:
        return file
    return project.module(path, text) if isinstance(project, ProjectFiles) else SourceFile(text, path)


def _decoded(path: str, content: bytes) -> SourceText:
    """The text of a file.
    Raises NotTextError: it is no text in the encoding that it declares, and that matters."""
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


@attrs.frozen(kw_only=True)
class _Document:
    """What the one pipeline examines: a module, the cells of a notebook, or a file of another kind."""

    source: TextFile
    """What rules are asked about."""
    options: MigrationOptions
    is_relevant: bool
    """Whether it may be changed, or have findings, as far as its words decide."""
    problem: Callable[[], Message | None]
    """Why it, or a part of it, cannot be examined."""
    has_sound_parts: bool = False
    """Whether fixes are made in the rest of it where it has a problem."""
    make: Making
    find_judge: Callable[[], Judge | None]
    is_kept: Keeping
    why_not_kept: Callable[[], Message | None] = lambda: None
    """What is wrong with it before any fix, where it is not kept."""
    put_back: Callable[[FixOutcome], tuple[str, FixOutcome]] = lambda outcome: (outcome.text, outcome)
    """The text of the file after fixes, and the outcome with places in the file."""


def _of_kind(file: KindFile, request: Request, project: ProjectView) -> _Document:
    """A file of a kind beside Python. The user's own rules are about Python."""
    options = without_custom(request.options)
    return _Document(
        source=file,
        options=options,
        is_relevant=may_concern_kind(file.kind, file.data, options.route),
        problem=lambda: None if request.is_lenient else kind_problem(file),
        make=partial(request.transform, file, options, project),
        find_judge=partial(judge_of, file),
        is_kept=partial(keeps_syntax, file),
    )


def _of_module(
    source: SourceFile, request: Request, project: ProjectView, change: FileChange | None
) -> _Document:
    """A module of Python, with what a codemod of its whole program makes of it."""
    options = request.options
    problem = _problem_before(source, request) if request.verifies_all else None
    make = partial(after_all_steps, request.transform, source, options, project, change)
    return _Document(
        source=source,
        options=options,
        is_relevant=problem is not None or change is not None or _is_wanted(source, request, project),
        problem=lambda: problem if request.verifies_all else _syntax_problem(source, request),
        make=partial(make, codemods=request.codemods),
        find_judge=partial(judge_of, source),
        is_kept=lambda done: not is_broken(source, done.text, request.is_lenient),
        why_not_kept=lambda: syntax_problem(source),
    )


def _of_notebook(path: str, text: str, request: Request, project: ProjectView) -> _Document:
    """The cells of a notebook as one module; cells that are not Python stay as they are."""
    file = NotebookFile.sound(text, path) if request.fix else NotebookFile.whole(text, path)
    source = file.composite.source
    return _Document(
        source=source,
        options=request.options,
        is_relevant=may_find(source, request.options, project),
        problem=lambda: file.problem,
        has_sound_parts=True,
        make=partial(request.transform, source, request.options, project),
        find_judge=lambda: file.is_sound,
        is_kept=file.keeps_syntax,
        put_back=lambda outcome: (file.rewritten(outcome), file.located(outcome)),
    )


def _is_wanted(source: SourceFile, request: Request, project: ProjectView) -> bool:
    """Whether a module may be changed, or have findings."""
    options = request.options
    return may_find(source, options, project) or (
        request.codemods
        and any(item.is_asked_for(options) and item.may_change(source, options) for item in all_codemods())
    )


def _syntax_problem(source: SourceFile, request: Request) -> Message | None:
    """Why a module is not Python 3. A check asks ``ast`` and LibCST only where the tree shows an error."""
    is_asked = not request.is_lenient and (request.fix or may_be_broken(source))
    return _problem_before(source, request) if is_asked else None


def _problem_before(source: SourceFile, request: Request) -> Message | None:
    """Why fixes cannot be made of a module, or it cannot be checked; none where fixes make Python 3 of it."""
    problem = syntax_problem(source)
    return None if problem is not None and request.fix and has_only_async(source) else problem


def _outcome(
    given: Examination, document: _Document, request: Request, project: ProjectView, listener: Listener
) -> Examination:
    """Examine one document: its words, what is wrong with it, its findings or its fixes."""
    source, options = document.source, document.options
    if not document.is_relevant:
        return attrs.evolve(given, is_relevant=False)
    try:
        problem = document.problem()
        if isinstance(source, SourceFile):
            given = attrs.evolve(given, matched=matched_rules(source, options))
        if request.counts_silenced:
            given = attrs.evolve(given, silenced=silenced(source, options, project))
        if problem is not None:
            given = attrs.evolve(given, status=FileStatus.UNPARSABLE, problem=problem)
        if not request.fix:
            done = _with_findings(given, source, options, project, listener)
        elif problem is not None and not document.has_sound_parts:
            return given
        else:
            outcome = made_soundly(document.make, document.find_judge, document.is_kept)
            done = _with_outcome(given, document, outcome, request)
        return _completed(done, document, request, project)
    except BrokenEditError:
        problem = document.why_not_kept()
        if problem is not None:
            return attrs.evolve(given, status=FileStatus.UNPARSABLE, problem=problem)
        return attrs.evolve(given, status=FileStatus.FAILED, problem=Message.of("project.broken-edit"))
    except (CheckCancelledError, OptionError):
        raise
    except Exception as error:  # a defect of ours must not cost the user the other files
        if listener.on_error is not None:
            listener.on_error("", error)
        problem, trace = defect(error), traceback_of(error)
        return attrs.evolve(given, status=FileStatus.FAILED, problem=problem, traceback=trace)


def _completed(done: Examination, document: _Document, request: Request, project: ProjectView) -> Examination:
    """The result with what only a module leaves open, and what nests too deeply in Python."""
    source = document.source
    if not isinstance(source, SourceFile):
        return done
    if request.resolves and not document.has_sound_parts:
        done = attrs.evolve(done, unresolved=unresolved_members(source, document.options, project))
    problem = nesting_problem(source, document.options) if done.problem is None else None
    return done if problem is None else attrs.evolve(done, status=FileStatus.FAILED, problem=problem)


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


def _with_outcome(
    given: Examination, document: _Document, outcome: FixOutcome, request: Request
) -> Examination:
    text, outcome = document.put_back(outcome)
    if text != given.text:
        status = FileStatus.CHANGED if given.problem is None else given.status
        given = attrs.evolve(given, status=status, text=text, before=given.text)
    return attrs.evolve(
        given,
        findings=tuple(item.finding for item in outcome.remaining),
        remaining=outcome.remaining,
        applied=outcome.applied,
        passes=outcome.edits,
        made=outcome.made if request.lists_fixes else (),
        given=outcome.given if request.lists_fixes else None,
        traceback=_traceback(outcome.errors),
        equivalents=outcome.equivalents,
    )
