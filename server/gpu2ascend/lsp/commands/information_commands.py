"""The commands that only return information: options, their errors, and what rules and APIs are about."""

from __future__ import annotations

from pathlib import Path

import attrs
from lsprotocol import types

from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import MigrationOptions, OptionError, options_from
from gpu2ascend_rules.options.schema import option_values

from ...project.errors import ProjectError
from ...project.files.places import output_name
from ...project.migrate.request import checked_request, options_document, proposals
from ...project.options.layers import Layered
from ...project.options.version_detect import version_for, version_to_read
from ...project.paths import is_directory
from ...project.processes.threads import in_thread
from ..documentation.explanation import explanation
from ..documentation.plain_text import plain_text
from ..documentation.rule_pages import link
from ..server import Server
from .answering import field_errors
from .parameters import Parameters, location_of
from .results.finding_data import JsonObject

_LONGEST_SHOWN = 1_000
"""Characters of an explanation in a message box."""


@attrs.frozen
class InformationCommands:
    """The commands of one server."""

    server: Server

    async def options(self, *arguments: object) -> JsonObject:
        """The options of a migration, and how the settings leave them for a folder."""
        language = self.server.settings.language
        parameters = Parameters.of(*arguments)
        document = options_document(language)
        try:
            folder = parameters.path("folder")
        except ProjectError as error:
            return {**document, **_nothing(), "problem": render(error.message, language, in_form=True)}
        if folder is None:
            folder = next(iter(self.server.settings.folders), None)
        layered = self.server.settings.of_project(folder)
        return {
            **document,
            "folder": str(folder) if folder is not None else None,
            "values": option_values(layered.options),
            "detected": _detected(layered, language),
            "proposedVersion": await in_thread(lambda: _proposed_version(layered, folder, language)),
            "outputName": _output_name(folder, layered.options) if folder is not None else None,
            "problem": "\n".join(render(problem, language, in_form=True) for problem in layered.problems)
            or None,
        }

    async def validate(self, *arguments: object) -> JsonObject:
        """What is wrong with each field of a migration's parameters."""
        values = Parameters.of(*arguments).mapping("options")
        language = self.server.settings.language
        layered = self.server.settings.of_project(location_of(values.get("inputPath")))
        checked = await in_thread(lambda: checked_request(values, layered.options, language))
        return {
            "errors": field_errors(checked.errors, language),
            "notices": [render(notice, language, in_form=True) for notice in checked.notices],
            "target": str(checked.target) if checked.target is not None else None,
            "detected": _detected(layered, language),
            "proposedVersion": await in_thread(
                lambda: _proposed_version(layered, location_of(values.get("inputPath")), language)
            ),
            "proposals": await in_thread(lambda: proposals(checked)),
        }

    async def explain(self, *arguments: object) -> JsonObject:
        """What a rule or an API is about, as Markdown."""
        parameters = Parameters.of(*arguments)
        language = self.server.settings.language
        name = (parameters.text("name") or "").strip()
        given = {option: parameters.text(option) for option in ("target", "version", "hardware")}
        folder = next(iter(self.server.settings.folders), None)
        try:
            options = options_from(given, self.server.settings.at(folder).options)
        except OptionError as error:
            message = Message.of("project.setting", name=error.option, reason=error.reason)
            return {"name": name, "kind": None, "markdown": render(message, language), "close": []}
        version, hardware, route = options.require_version(), options.hardware, options.route
        page = await in_thread(lambda: explanation(name, version, hardware, language, route))
        if parameters.values.get("show") is True:
            await self._show(name, page.markdown, language)
        return {"name": name, "kind": page.kind, "markdown": page.markdown, "close": list(page.close)}

    async def _show(self, name: str, markdown: str, language: str) -> None:
        """Let a client show an explanation that does nothing with a command's result itself."""
        address = await in_thread(lambda: link(name, language))
        window = self.server.client_capabilities.window
        if address is not None and window is not None and window.show_document is not None:
            file, _, line = address.partition("#L")
            start = types.Position(int(line) - 1, 0)
            wanted = types.ShowDocumentParams(file, take_focus=True, selection=types.Range(start, start))
            shown = await self.server.window_show_document_async(wanted)
            if shown.success:
                return
        self.server.show(types.MessageType.Info, plain_text(markdown)[:_LONGEST_SHOWN])


def _detected(layered: Layered, language: str) -> JsonObject | None:
    if layered.detected is None:
        return None
    found = layered.detected
    message = render(found.notice, language, in_form=True)
    return {"version": str(found.version), "message": message, "isTaken": layered.takes_detected}


def _proposed_version(layered: Layered, folder: Path | None, language: str) -> JsonObject | None:
    """The version that a form preselects, with the reason."""
    if folder is None or not is_directory(folder):
        return _detected(layered, language)
    options = layered.options
    found = layered.detected or version_to_read(folder, options.hardware)
    if found.version not in options.target.versions:
        found = version_for(options.target, folder, options.hardware)
    return {"version": str(found.version), "message": render(found.notice, language, in_form=True)}


def _output_name(folder: Path, options: MigrationOptions) -> str:
    return output_name(folder, distributed=options.distributed, route=options.route)


def _nothing() -> JsonObject:
    nothing = dict.fromkeys(("folder", "detected", "proposedVersion", "outputName"))
    return {**nothing, "values": option_values(options_from({}))}
