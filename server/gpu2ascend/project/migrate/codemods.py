"""Codemods of a project: they look at the program behind an entry script, before the files are migrated.

They see it as the user's own rules leave it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gpu2ascend_rules.codemods.amp.on_request import AmpTransplant
from gpu2ascend_rules.codemods.codemod import around_program, changed_by
from gpu2ascend_rules.fixing import custom_change
from gpu2ascend_rules.limits.checkpoints import SECONDS_PER_FILE, TimeLimitError, time_limit
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.model.outcome import FileChange
from gpu2ascend_rules.options.options import MigrationOptions, option_name
from gpu2ascend_rules.text.source_file import SourceFile

from ..entries import main_files
from ..entries.chosen import entry_script
from ..errors import InputError
from ..files.content.encoding import NotTextError, decode
from ..files.content.soundness import is_python
from ..files.content.syntax import syntax_problem
from ..index.view import ProjectFiles
from ..paths import shown
from ..regular_files import read_inside

_NO_SUCH_MODEL = frozenset({"amp.transplant.declined.no-model", "amp.transplant.declined.other-model"})
SECONDS_PER_PROGRAM = 6 * SECONDS_PER_FILE
"""Processor seconds for what is found out about all the files of a program before the first is migrated."""


def planned_codemods(
    root: Path, options: MigrationOptions, project: ProjectFiles | None = None
) -> Mapping[str, FileChange]:
    """What the codemods that the options ask for make of files of the project, by path.

    Args:
        project: How the rules see the project, if that is known already.

    Raises:
        InputError: the entry script is missing, lies elsewhere or cannot be read, has no such model, or
            belongs to a program that takes too long.
    """
    if not options.distributed:
        return {}
    entry = entry_script(root, options.main_script)
    if options.route.starts_by_msrun:
        return {}
    from gpu2ascend_rules.codemods.distributed import ModelNotFoundError, distribute

    program = _Program(root, options, project or ProjectFiles(root))
    try:
        with time_limit(SECONDS_PER_PROGRAM):
            return distribute(program.prepared(_source(root, entry)), options, program).files
    except TimeLimitError as error:
        raise InputError(
            Message.of("project.program-time-limit", path=shown(entry), seconds=int(SECONDS_PER_PROGRAM))
        ) from error
    except ModelNotFoundError as error:
        target = option_name("target_model")
        raise InputError(
            Message.of("project.model-not-found", name=error.name, path=shown(entry), target=target)
        ) from error


def proposed_models(root: Path, options: MigrationOptions) -> tuple[str, ...]:
    """The variables that likely hold models in the program behind the main file; none if unreadable."""
    from gpu2ascend_rules.codemods.distributed.model.candidates import model_candidates

    if options.route.starts_by_msrun:
        return ()
    try:
        entry = entry_script(root, options.main_script)
        with time_limit(SECONDS_PER_FILE):
            return model_candidates(_source(root, entry), options, ProjectFiles(root))
    except (InputError, TimeLimitError):
        return ()


def amp_model_problem(root: Path, options: MigrationOptions) -> Message | None:
    """Why AMP transplant cannot use the model variable of the options: no file that it changes has it."""
    missing: Message | None = None
    for path in main_files.python_files(root, options.unexamined):
        try:
            with time_limit(SECONDS_PER_FILE):
                if not _uses_amp(root, path):
                    continue
                change = AmpTransplant().apply(_source(root, path), options)
        except (InputError, TimeLimitError):
            continue
        if change is None:
            continue
        found = [reason for finding in change.findings for reason in _reasons(finding.message)]
        about_model = next((reason for reason in found if reason.id in _NO_SUCH_MODEL), None)
        if about_model is None:
            return None
        missing = missing or about_model
    return missing


def _reasons(message: Message) -> list[Message]:
    return [value for _, value in message.arguments if isinstance(value, Message)]


def _uses_amp(root: Path, path: str) -> bool:
    try:
        return b"GradScaler" in read_inside(root, root / path)
    except OSError:
        return False


class _Program(ProjectFiles):
    """A project whose modules are as what comes first leaves them: the user's rules and AMP transplant."""

    def __init__(self, root: Path, options: MigrationOptions, project: ProjectFiles) -> None:
        super().__init__(root)
        self._options = options
        self._project = project
        self._prepared: dict[str, str] = {}

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        """The path and the text of a module of the project."""
        found = super().find_module(importer_path, module)
        if found is None:
            return None
        path, text = found
        if path not in self._prepared:
            self._prepared[path] = self.prepared(SourceFile(text, path)).text
        return path, self._prepared[path]

    def prepared(self, source: SourceFile) -> SourceFile:
        """A file of the program as the codemod sees it."""
        own = custom_change(source, self._options, self._project, is_python)
        source = source if own is None else SourceFile(own.text, source.path)
        changes = changed_by(around_program()[0], source, self._options)
        return SourceFile(changes[-1].text, source.path) if changes else source


def _source(root: Path, entry: str) -> SourceFile:
    try:
        source = SourceFile(decode(read_inside(root, root / entry)).text, entry)
        problem = syntax_problem(source)
    except NotTextError as error:
        problem = error.message
    except OSError as error:
        raise InputError(Message.of("project.main-missing", path=shown(entry))) from error
    if problem is not None:
        raise InputError(Message.of("project.main-unparsable", path=shown(entry)))
    return source
