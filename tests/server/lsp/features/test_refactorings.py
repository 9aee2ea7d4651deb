"""A program made distributed from an editor: its files as they are on the disk and in the editor."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from gpu2ascend.lsp.features.refactorings import distributed
from gpu2ascend.lsp.session.documents import Document, DocumentStore
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.model.finding import Message
from gpu2ascend_rules.options.options import options_from
from tests.rules.codemods.distributed.conversion import converted, script

OPTIONS = options_from({"version": "2.8.0"})
ENTRY = "from data import make\n" + script(loader="make(data)")
MODULE = """\
# coding: latin-1
import torch
from torch.utils.data import DataLoader
def make(data):
    # é
    return DataLoader(data, batch_size=4, shuffle=True)
"""


def opened(path: Path, text: str) -> Document:
    """A script in an editor."""
    item = types.TextDocumentItem(path.as_uri(), "python", 1, text)
    return DocumentStore().open(item)


def test_a_module_in_another_encoding_is_changed_too(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch")
    (tmp_path / "train.py").write_text(ENTRY, encoding="utf-8")
    (tmp_path / "data.py").write_bytes(MODULE.encode("latin-1"))
    files = distributed(opened(tmp_path / "train.py", ENTRY), OPTIONS, ())
    changed = {file.uri: apply_edits(file.source.data, file.edits).decode() for file in files}
    expected = converted(ENTRY, data=MODULE).files
    assert changed == {(tmp_path / name).as_uri(): text for name, text in expected.items()}


def test_without_a_model_there_is_nothing_to_distribute_and_the_editor_says_so(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("torch")
    text = "import torch\nx = torch.ones(2)\n"
    (tmp_path / "plain.py").write_text(text)
    found = distributed(opened(tmp_path / "plain.py", text), OPTIONS, ())
    assert found == Message.of("lsp.distributed-no-model")
