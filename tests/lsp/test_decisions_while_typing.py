"""What is shown of an open file follows the edits of the others that share its words, as ``check`` has it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.lines import ColumnUnit
from tests.server.lsp.editor import Editor, editing
from tests.server.project.samples import make_tree

pytestmark = pytest.mark.slow

LIB = "import torch\ndef put(x, where):\n    return x.to(torch.device(where))\n"
TRAIN = "from lib import put\nput(x, 'cuda')\n"
PROJECT = {"lib.py": LIB, "train.py": TRAIN}
EDITS = {
    "what takes the word goes away": {"lib.py": "import torch\ndef put(x, where):\n    print(where)\n"},
    "a library without NPUs takes it too": {
        "lib.py": "import torch, xgboost\ndef put(x, where):\n    xgboost.train({}, x, device=where)\n"
        "    return x.to(torch.device(where))\n"
    },
    "it is tested for the word of the NPU": {
        "lib.py": LIB.replace("    return", "    assert where in ('cuda', 'npu')\n    return")
    },
    "a line comes before all": {"lib.py": "# a comment\n" + LIB.replace("where)", "where='cuda')", 1)},
    "the other file passes it in another way": {
        "train.py": "from lib import put\nkind = str('cuda')\nput(x, where=kind)\n"
    },
    "a file that is not open passes it to a library": {
        "other.py": "import xgboost\nfrom train import KIND\nxgboost.train({}, x, device=KIND)\n",
        "train.py": "from lib import put\nKIND = 'cuda'\nput(x, KIND)\n",
    },
}
Found = list[tuple[str, int, int, str]]
"""The rule, the place, and what may be done."""


def shown(editor: Editor, uri: str) -> Found:
    """What is shown of a document."""
    found = []
    for item in editor.diagnostics.get(uri, []):
        start = item.range.start
        found.append((str(item.code), start.line, start.character, str((item.data or {})["applicability"])))
    return sorted(found)


def checked(root: Path, texts: Mapping[str, str]) -> dict[str, Found]:
    """What ``check`` says of the same texts."""
    make_tree(root, dict(texts))
    found = {}
    for file in check_paths([root], options_from({"version": "2.8.0"}), jobs=1):
        assert file.source is not None
        position = file.source.lines.position
        found[Path(file.path).name] = sorted(
            (item.code, *position(item.start, ColumnUnit.UTF16), item.applicability.value)
            for item in file.findings
        )
    return found


@pytest.mark.parametrize("name", EDITS)
async def test_both_files_show_what_check_says_of_the_texts(name: str, tmp_path: Path) -> None:
    root = make_tree(tmp_path / "project", PROJECT)
    after = {**PROJECT, **EDITS[name]}
    before, expected = checked(tmp_path / "before", PROJECT), checked(tmp_path / "after", after)

    async with editing(root, command=None) as editor:
        uris = {path: editor.open(root / path, text) for path, text in PROJECT.items()}

        def shows(wanted: Mapping[str, Found]) -> bool:
            return all(shown(editor, uri) == wanted[path] for path, uri in uris.items())

        await editor.until(lambda: editor.ended_progress == 1 and shows(before))
        for path, text in EDITS[name].items():
            if path in uris:
                editor.change(uris[path], text, 2)
            else:
                (root / path).write_text(text)
                editor.files_changed(root / path)
        await editor.until(lambda: shows(expected))
    assert before != expected
