"""The commands that list what there is: the rules, for a form to choose from, and the state of the server."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

import attrs

from gpu2ascend_rules import Rule, all_rules
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.options.schema import option_values

from ... import __version__
from ...project.processes.threads import in_thread
from ...texts.catalogue import Texts
from ...texts.rule_title import title_of
from ..server import Server
from .results.finding_data import JsonObject


@attrs.frozen
class StateCommands:
    """The commands of one server."""

    server: Server

    async def rules(self, *arguments: object) -> JsonObject:
        """Every rule with its code, name and what it does, in the server's language."""
        language = self.server.settings.language
        return {"rules": await in_thread(lambda: rule_list(language))}

    async def status(self, *arguments: object) -> JsonObject:
        """What runs, and what each folder is checked by: for a report of a problem."""
        folders = [self._folder(folder) for folder in self.server.settings.folders]
        return {
            "version": __version__,
            "python": platform.python_version(),
            "executable": sys.executable,
            "system": platform.platform(),
            "documents": sum(1 for _ in self.server.documents),
            "folders": folders,
        }

    def _folder(self, folder: Path) -> JsonObject:
        settings = self.server.settings.at(folder)
        usual = option_values(MigrationOptions())
        values = option_values(settings.options)
        return {
            "folder": str(folder),
            "enabled": settings.is_enabled,
            "indexed": self.server.projects.at(folder).is_complete,
            "options": {name: value for name, value in values.items() if value != usual[name]},
        }


def rule_list(language: str) -> list[JsonObject]:
    """The rules as a list to choose from, by code; those of the usual target first."""
    texts = Texts(language)
    return [
        {"code": rule.code, "name": rule.name, "family": rule.family.value, "summary": title_of(rule, texts)}
        for rule in sorted(all_rules(), key=_place)
    ]


def _place(rule: Rule) -> tuple[bool, str, int, str]:
    family = rule.code[:3]
    return family != "NPU", family, len(rule.code), rule.code
