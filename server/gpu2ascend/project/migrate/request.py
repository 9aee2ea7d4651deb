"""A migration as a form or a client asks for it: plain data in, a request or an error for each field out.

The command line stops at the first thing that is wrong. A form shows all of them, each beside its field, so
everything is looked at separately here; what is refused, and why, is decided where the command line asks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import attrs

from gpu2ascend_rules.model.finding import Message, OptionName
from gpu2ascend_rules.model.versions import NEWEST, SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.options.contradictions import refuse_contradictions
from gpu2ascend_rules.options.option_info import Control, OptionGroup, OptionInfo
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, option_infos, without_project
from gpu2ascend_rules.options.schema import Schema, described, group_titles, object_schema, option_properties
from gpu2ascend_rules.options.spelling import camel_case, snake_case

from ... import __version__
from ..entries.main_files import entry_candidates
from ..errors import InputError, OutputError, ProjectError, RuleFileProblem, VersionNotFoundError
from ..files.discover import EntryKind, walk
from ..files.excludes import Excludes
from ..files.places import (
    DISCARD_CHANGES,
    FORCE,
    input_directory,
    migration_places,
    require_writable,
    target_directory,
)
from ..options.custom_rules import with_custom_rules
from ..options.layers import option_with_rules
from ..options.version_detect import against_requirements, reports_version, version_for, version_notice
from ..paths import shown
from ..report.result import MigrationRequest
from .codemods import amp_model_problem, planned_codemods, proposed_models

_INPUT, _OUTPUT, _FORCE, _DISCARD = "inputPath", "outputPath", "force", "discardChanges"
_VERSION, _CUSTOM_RULE, _MAIN_FILE, _TARGET_MODEL = "version", "customRule", "mainFile", "targetModel"
_ENTRIES = "entries"
_KEPT = 60
"""Seconds for which what the code proposes is kept."""
_AMP_MODEL = "ampModel"
_FIELDS = {
    _INPUT: OptionInfo(
        help_id="request.input_path",
        group=OptionGroup.BASIC,
        control=Control.DIRECTORY,
        flags=("-i", "--input"),
    ),
    _OUTPUT: OptionInfo(
        help_id="request.output_path",
        group=OptionGroup.BASIC,
        control=Control.DIRECTORY,
        flags=("-o", "--output"),
    ),
    _FORCE: FORCE,
    _DISCARD: DISCARD_CHANGES,
}
"""What a migration needs to know beside its options."""
_MAY_BE_NONE = frozenset(name for name in option_infos() if getattr(MigrationOptions(), name) is None) - {
    "version"
}
"""Options that a migration can do without. It cannot without a version: none given is one to be found."""


class FieldError(NamedTuple):
    """Why a field's value cannot be used."""

    field: str
    """Its JSON name, as it was given."""
    message: Message

    @property
    def allowed_by(self) -> str | None:
        """The field that allows what was refused, where the message names one."""
        permissions = {FORCE.name: _FORCE, DISCARD_CHANGES.name: _DISCARD}
        named = (value for _, value in self.message.arguments if isinstance(value, OptionName))
        return next((permissions[name] for name in named if name in permissions), None)


class CheckedRequest(NamedTuple):
    """A request, or the errors for which there is none."""

    request: MigrationRequest | None
    errors: tuple[FieldError, ...]
    notices: tuple[Message, ...]
    """What the user should know: which version was found, or takes the place of the one given."""
    target: Path | None
    """The directory that would be made."""
    options: MigrationOptions
    """The options that can be used, also where other fields are wrong."""
    root: Path | None = None
    """The project, if it can be read."""


def request_schema(language: str = "en") -> Schema:
    """The JSON schema of a migration's parameters: what to read and write, and every option.
    Raises ValueError: there are no texts in that language."""
    path = {"type": "string", "minLength": 1}
    own: dict[str, Schema] = {
        _INPUT: {**path, **described(_FIELDS[_INPUT], language)},
        _OUTPUT: {**path, **described(_FIELDS[_OUTPUT], language)},
    }
    switches: dict[str, Schema] = {
        name: {"type": "boolean", "default": False, **described(_FIELDS[name], language)}
        for name in (_FORCE, _DISCARD)
    }
    options = option_properties(language)
    first = {_VERSION: options.pop(_VERSION)}  # what everything else depends on
    properties = {**first, **own, **options, **switches}
    return object_schema(properties, required=(_INPUT, _OUTPUT))


def options_document(language: str = "en") -> dict[str, Any]:
    """All that a front end can know of a migration's parameters without looking at a project.
    Raises ValueError: there are no texts in that language."""
    return {
        "gpu2ascend": __version__,
        "language": language,
        "versions": [str(version) for version in SUPPORTED_VERSIONS],
        "groups": group_titles(language),
        "schema": request_schema(language),
    }


def checked_request(
    values: Mapping[str, object], base: MigrationOptions | None = None, language: str = "en"
) -> CheckedRequest:
    """Look at every field of a migration's parameters.

    Args:
        values: By JSON name; paths must be absolute. ``None`` means none, also where the settings have one,
            to an option that there need not be; to any other it is the same as leaving the field out.
        base: The options that fields left out take, as the settings have them.
        language: Of the reports.
    """
    check = _Check(values, base or MigrationOptions())
    check.options()
    check.places()
    check.version()
    check.rules()
    check.program()
    check.contradictions()
    request = None
    if not check.errors and check.root is not None and check.output is not None:
        request = MigrationRequest(
            input=check.source,
            output=check.output,
            options=check.chosen,
            force=check.force,
            discard_changes=check.discard_changes,
            language=language,
        )
    errors, notices = tuple(check.errors), tuple(check.notices)
    return CheckedRequest(request, errors, notices, check.target, check.chosen, check.root)


def proposals(checked: CheckedRequest) -> dict[str, list[str]]:
    """What the code proposes for the fields that name a part of it: by JSON name, the likeliest first."""
    if checked.root is None:
        return {}
    moment = int(time.monotonic() // _KEPT)
    scripts, entries = _entry_candidates(checked.root, checked.options.unexamined, moment)
    proposed = {_ENTRIES: list(entries)}
    if checked.options.distributed:
        models = proposed_models(checked.root, checked.options)
        proposed |= {_MAIN_FILE: list(scripts), _TARGET_MODEL: list(models)}
    return proposed


@lru_cache(maxsize=2)
def _entry_candidates(
    root: Path, exclude: tuple[str, ...], moment: int
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A form asks at each of its changes, and need not see those of the project's files at once."""
    return entry_candidates(root, exclude)


@attrs.define
class _Check:
    """The state of one :func:`checked_request`: what is decided so far, and what is wrong."""

    values: Mapping[str, object]
    chosen: MigrationOptions
    errors: list[FieldError] = attrs.field(factory=list)
    notices: list[Message] = attrs.field(factory=list)
    source: Path = attrs.field(factory=Path)
    root: Path | None = None
    output: Path | None = None
    target: Path | None = None
    force: bool = False
    discard_changes: bool = False

    def options(self) -> None:
        """Each option by itself, so that one bad value does not hide another."""
        for field, value in self.values.items():
            if field in _FIELDS:
                continue
            if value is None:
                self._take_away(field)
                continue
            try:
                self.chosen = option_with_rules(field, value, self.chosen)
            except OptionError as error:
                self._refuse(field, error.reason)
        self.chosen = without_project(self.chosen)
        self.force = self._switch(_FORCE)
        self.discard_changes = self._switch(_DISCARD)

    def _switch(self, field: str) -> bool:
        value = self.values.get(field)
        if value is not None and not isinstance(value, bool):
            self._refuse(field, Message.of("option.error.flag", value=repr(value)))
        return value is True

    def places(self) -> None:
        """Both directories, each as far as the other does not matter."""
        self.source = self._path(_INPUT) or Path()
        if not self._is_refused(_INPUT):
            self._look_at_input()
        self.output = self._path(_OUTPUT)
        if self.output is not None:
            self._look_at_output(self.output)

    def version(self) -> None:
        """The version that was given, or that the project asks for."""
        spelling = self.values.get("version")
        if self._is_refused("version"):
            return
        if isinstance(spelling, str):
            notice = version_notice(spelling)
            self.notices += [notice] if notice is not None else []
            self._remark_requirements()
        elif self.chosen.version is None and self.root is not None:
            target = self.chosen.target
            try:
                notice = version_for(target, self.root, self.chosen.hardware).notice
            except VersionNotFoundError as error:
                self._refuse("version", error.message)
            else:
                self.notices += [notice] if reports_version(target) else []

    def _remark_requirements(self) -> None:
        """A version may be chosen against what the project asks for; what is made asks for it."""
        if self.root is not None and self.chosen.version is not None:
            remark = against_requirements(self.root, self.chosen.version)
            self.notices += [remark] if remark is not None else []

    def rules(self) -> None:
        """The file of the user's own rules; a relative path is one below the project."""
        if self._is_refused(_CUSTOM_RULE):
            return
        files = tuple(str((self.root or Path()) / file) for file in self.chosen.api_files)
        self.chosen = attrs.evolve(self.chosen, api_files=files)
        if self.chosen.custom_rule is None and not files:
            self.chosen = attrs.evolve(self.chosen, custom=())  # those of the settings went with their file
            return
        if self.chosen.custom_rule == "":
            self._refuse(_CUSTOM_RULE, Message.of("request.custom_rule.missing"))
            return
        if self.chosen.custom_rule is not None:
            path = (self.root or Path()) / self.chosen.custom_rule
            self.chosen = attrs.evolve(self.chosen, custom_rule=str(path))
        try:
            self.chosen = with_custom_rules(self.chosen)
        except RuleFileProblem as error:
            self._refuse(_CUSTOM_RULE, error.message)

    def program(self) -> None:
        """The script and the model that the distributed rule starts from, and the model of AMP transplant."""
        if self.chosen.amp_transplant and self.root is not None:
            problem = amp_model_problem(self.root, attrs.evolve(self.chosen, version=self._any_version))
            if problem is not None and not self._is_refused(_AMP_MODEL):
                self._refuse(_AMP_MODEL, problem)
        if not self.chosen.distributed or self.root is None:
            return
        try:
            planned_codemods(self.root, attrs.evolve(self.chosen, version=self._any_version))
        except InputError as error:
            field = _TARGET_MODEL if error.message.id == "project.model-not-found" else _MAIN_FILE
            if not self._is_refused(field):
                self._refuse(field, error.message)

    def contradictions(self) -> None:
        """Options that do not go together."""
        try:
            refuse_contradictions(self.chosen)
        except OptionError as error:
            field = camel_case(error.option)
            if not self._is_refused(field):
                self._refuse(field, error.reason)

    def _take_away(self, field: str) -> None:
        """A value that the settings have and that is not wanted here."""
        name = snake_case(field)
        if name in _MAY_BE_NONE:
            changes: dict[str, Any] = {name: None}
            self.chosen = attrs.evolve(self.chosen, **changes)

    @property
    def _any_version(self) -> Version:
        """The version, or one to go on with when that is what is wrong."""
        return self.chosen.version or NEWEST

    def _look_at_input(self) -> None:
        try:
            self.root = input_directory(self.source)
            if not _holds_python(self.root, Excludes(self.chosen.exclude, self.chosen.copy)):
                self._refuse(_INPUT, Message.of("project.input-no-python", path=shown(self.source)))
        except ProjectError as error:
            self._refuse(_INPUT, error.message)

    def _look_at_output(self, output: Path) -> None:
        try:
            if self.root is not None:
                distributed, route = self.chosen.distributed, self.chosen.route
                self.target = target_directory(self.source, output, distributed=distributed, route=route)
                migration_places(
                    self.source,
                    output,
                    force=self.force,
                    discard_changes=self.discard_changes,
                    distributed=distributed,
                    route=route,
                )
            require_writable(output)
        except OutputError as error:
            self._refuse(_OUTPUT, error.message)
        except InputError as error:  # it has just gone
            self._refuse(_INPUT, error.message)

    def _path(self, field: str) -> Path | None:
        """An absolute path, or None with the reason reported. A client's current directory is not ours."""
        value = self.values.get(field)
        if value is None or value == "":
            self._refuse(field, Message.of(f"{_FIELDS[field].help_id}.missing"))
        elif not isinstance(value, str):
            self._refuse(field, Message.of("option.error.text", value=repr(value)))
        elif "\0" in value or not os.path.isabs(value):  # noqa: PTH117
            self._refuse(field, Message.of("request.relative", path=shown(value)))
        else:
            return Path(value)
        return None

    def _refuse(self, field: str, message: Message) -> None:
        self.errors.append(FieldError(field, message))

    def _is_refused(self, field: str) -> bool:
        return any(error.field == field for error in self.errors)


def _holds_python(root: Path, excludes: Excludes) -> bool:
    return any(entry.kind in (EntryKind.PYTHON, EntryKind.EXCLUDED) for entry in walk(root, excludes))
