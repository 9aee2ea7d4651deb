"""The parameters of commands and custom requests: any JSON, looked at before it is used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from gpu2ascend_rules.model.finding import Message

from ...project.errors import ProjectError
from ...project.paths import shown
from ..conversion.uris import path_of


class Parameters(NamedTuple):
    """One object of parameters; what is of another type counts as missing."""

    values: Mapping[str, object]

    @classmethod
    def of(cls, *arguments: object) -> Parameters:
        """Those of a request, or the first argument of a command."""
        first = arguments[0] if arguments else None
        return cls(first if isinstance(first, Mapping) else {})

    def text(self, name: str) -> str | None:
        """A text that is not empty."""
        value = self.values.get(name)
        return value if isinstance(value, str) and value else None

    def mapping(self, name: str) -> Mapping[str, object]:
        """An object, or an empty one."""
        value = self.values.get(name)
        return value if isinstance(value, Mapping) else {}

    def path(self, name: str) -> Path | None:
        """A file or folder by path or URI; None when none was given.
        Raises ProjectError: what was given is neither."""
        value = self.values.get(name)
        if value is None:
            return None
        path = location_of(value)
        if path is None:
            raise ProjectError(Message.of("lsp.bad_location", value=shown(repr(value)[:200])))
        return path

    def paths(self, name: str) -> list[Path]:
        """Files and folders, as :meth:`path`; an empty list when none was given.
        Raises ProjectError: one of them is neither."""
        given = self.values.get(name)
        items = given if isinstance(given, list) else []
        return [path for item in items if (path := Parameters({name: item}).path(name)) is not None]

    @property
    def token(self) -> object:
        """The client's own token of progress, if it gave one."""
        return self.values.get("workDoneToken")


def location_of(value: object) -> Path | None:
    """The absolute path that a client means by a path or a URI; None for what is neither."""
    if not isinstance(value, str) or "\0" in value:
        return None
    path = path_of(value) if value.startswith("file:") else Path(value)
    return path if path is not None and path.is_absolute() else None
