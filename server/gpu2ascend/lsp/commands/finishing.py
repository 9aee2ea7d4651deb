"""What is missing after a person has applied a part of a preview: imports, and the package of equivalents."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import attrs
from lsprotocol import types

from gpu2ascend_rules.hosting import WHOLE_MODULE, home_of, import_edits
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.limits.checkpoints import TimeLimitError, time_limit
from gpu2ascend_rules.model.finding import Requirement
from gpu2ascend_rules.text.source_file import SourceFile

from ...project.files.content.encoding import NotTextError, decode
from ...project.files.writing.copying import UnreadableError, read_file
from ...project.inspect.previews.preview import PreviewedEdit, placed
from ...project.processes.threads import in_thread
from ..edits.equivalent_files import package_changes_in
from ..edits.workspace_edits import EditedFile, workspace_edit
from ..server import Server
from ..session.documents import Document
from .found_edits import FoundEdits, Needs
from .parameters import Parameters, location_of
from .results.finding_data import JsonObject


@attrs.define
class Finishing:
    """Knows the last preview: what its changes need can be found in their text alone only in part."""

    server: Server
    _needs: dict[str, Needs] = attrs.field(factory=dict)

    def begin(self, found: FoundEdits) -> None:
        """A preview was made."""
        self._needs = found.needs

    async def finish(self, parameters: Parameters) -> JsonObject:
        """The edit that completes the documents of the last preview that were changed, or null."""
        given = parameters.values.get("uris")
        uris = [uri for uri in given if isinstance(uri, str)] if isinstance(given, list) else []
        files: list[EditedFile] = []
        made: list[types.CreateFile | types.TextDocumentEdit] = []
        for uri in dict.fromkeys(uris):
            needs = self._needs.get(uri)
            document = self.server.documents.examined(uri) or await in_thread(partial(_read, uri))
            if document is not None and needs is not None:
                files += await in_thread(partial(self._completed, document, needs))
                made += await in_thread(partial(self._package, document, needs))
        if not files and not made:
            return {"status": "completed", "edit": None}
        language = self.server.settings.language
        edit = workspace_edit(files, self.server.client_capabilities, language, made)
        return {"status": "completed", "edit": edit}

    def _completed(self, document: Document, needs: Needs) -> list[EditedFile]:
        """The imports that a document misses, by the parts of it that the client knows."""
        source = document.python
        if source is None:
            return []
        try:
            with time_limit():
                edits = import_edits(source, _places(source, needs.requires))
        except TimeLimitError:
            return []
        return [
            EditedFile(part.uri, part.version, placed(map(PreviewedEdit, own), part.source, self.server.unit))
            for part, own in document.edits(edits)
            if own
        ]

    def _package(self, document: Document, needs: Needs) -> list[types.CreateFile | types.TextDocumentEdit]:
        """The package of equivalents, where a document uses it and it is not there."""
        source = document.python
        if source is None or not source.names.references(home_of(needs.equivalents).module):
            return []
        return package_changes_in(needs.folder, needs.equivalents, self.server.settings.language) or []


def _read(uri: str) -> Document | None:
    """A document that is not open, as the file has it."""
    path = location_of(uri)
    if path is None:
        return None
    try:
        text = decode(read_file(str(path)).data).text
    except (UnreadableError, NotTextError):
        return None
    return Document(uri, None, "", text_file(text, path.name))


def _places(source: SourceFile, requires: frozenset[Requirement]) -> Iterator[tuple[Requirement, int]]:
    """Where a text needs what its edits required."""
    for requirement in requires:
        if not requirement.by_name:
            yield requirement, WHOLE_MODULE
            continue
        name = requirement.name or requirement.module.partition(".")[0]
        for node in source.names.references(name):
            yield requirement, node.start_byte
