"""A file of a project is parsed once, however many look into it. Counts, no seconds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.project import examine
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend.project.inspect.previews.preview import PreviewRequest, previewed
from gpu2ascend_rules import fixing
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import MigrationOptions
from gpu2ascend_rules.program.serving import recent
from gpu2ascend_rules.program.serving.recent import RecentSources
from gpu2ascend_rules.text import parsed_text
from gpu2ascend_rules.text.plain.text_file import TextFile
from gpu2ascend_rules.text.source_file import SourceFile

FILES = {
    "options.py": "import argparse\n\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--device', default='cuda', choices=['cuda', 'cpu'])\n"
    "parser.add_argument('--other', choices=['cuda', 'npu'])\n",
    "settings.py": "class Settings:\n    def __init__(self, device):\n        self.device = device\n\n\n"
    "settings = Settings('cuda')\n",
    "kernels.py": "import torch\nfrom flash_attn import flash_attn_func\n\n\ndef attend(q):\n"
    "    return flash_attn_func(q, q, q)\n",
    "train.py": "import torch\nfrom kernels import attend\nfrom options import parser\n"
    "from settings import settings\n\nargs = parser.parse_args()\n"
    "model = torch.nn.Linear(2, 2).to(args.device)\nx = torch.ones(2).to(settings.device)\n"
    "if torch.cuda.is_available():\n    x = attend(x)\n",
}


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each text is parsed."""
    count: Counter[str] = Counter()
    parse = vars(parsed_text)["parse"]

    def counted(data: bytes, *arguments: object, **named: object) -> object:
        count[data.decode()] += 1
        return parse(data, *arguments, **named)

    monkeypatch.setattr(parsed_text, "parse", counted)
    return count


@pytest.mark.parametrize("shares", [True, False])
def test_each_file_is_parsed_once(
    tmp_path: Path, parsed: Counter[str], monkeypatch: pytest.MonkeyPatch, shares: bool
) -> None:
    if not shares:
        monkeypatch.setattr(ProjectFiles, "module", lambda _, path, text: SourceFile(text, path))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    found = [
        item
        for done in check_paths([tmp_path], MigrationOptions(version="2.8.0"), jobs=1)
        for item in done.findings
    ]
    assert {item.code for item in found} >= {"NPU201"}
    names = {text: name for name, text in FILES.items()}
    counts = {names.get(text, text): count for text, count in parsed.items()}
    assert sorted(counts) == sorted(FILES)
    assert (max(counts.values()) == 1) is shares


def test_a_module_is_found_again_as_long_as_somebody_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "_MOST_BYTES", 10)
    sources = RecentSources()
    held = sources.get("a", lambda: SourceFile("a = 1234\n"))
    sources.get("b", lambda: SourceFile("b = 1234\n"))
    assert sources.get("a", lambda: pytest.fail("made again")) is held
    del held
    assert sources.known("a") is None
    assert sources.known("b") is not None


def test_a_preview_looks_at_a_text_once_before_and_once_after_its_fixes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[str] = []
    for module in (fixing, examine):
        check = vars(module)["check"]

        def counted(source: TextFile, *arguments: object, check: Any = check) -> object:
            seen.append(source.text)
            return check(source, *arguments)

        monkeypatch.setattr(module, "check", counted)
    text = "import torch\ntorch.ones(2).cuda()\ntorch.cuda.nvtx.mark('a')\n"
    options = MigrationOptions(version="2.8.0", unsafe_fixes=True)
    file, changes = previewed("a.py", text, STANDALONE, PreviewRequest(root=Path(), options=options))
    assert len(changes) > 1 and len(file.edits) == len(changes)
    assert (seen.count(text), len(seen)) == (1, 2)
