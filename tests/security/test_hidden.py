"""Code that runs is examined, however it is written: what we take for a comment is one to its language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.project.examination import Examination
from gpu2ascend.project.examine import Request, examine
from gpu2ascend.project.index.facts.file_facts import facts_below
from gpu2ascend_rules.text.lines import LineIndex
from tests.server.project.samples import OPTIONS

_CUDA = "x = torch.zeros(1).cuda()"


def cells(*sources: str) -> str:
    shown = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": source} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": shown})


def examined(path: str, text: str, *, fix: bool = False) -> Examination:
    return examine(path, text.encode(), Request(options=OPTIONS, fix=fix))


class TestLineEnds:
    """A CR without LF ends a line where the language says so, and nowhere else."""

    @pytest.mark.parametrize(
        ("path", "text", "line"),
        [
            pytest.param("a.py", f"import torch\n# note\r{_CUDA}\n", 3, id="python"),
            pytest.param("a.py", f"import torch # note\r{_CUDA}\r", 2, id="python of an old Mac"),
            pytest.param("a.ipynb", cells(f"import torch\n# note\r{_CUDA}\n"), None, id="notebook"),
            pytest.param("requirements.txt", "# note\rnvidia-cudnn-cu12\n", 2, id="requirements"),
            pytest.param("requirements.txt", "# note\u2028nvidia-cudnn-cu12\n", 1, id="requirements, as pip"),
            pytest.param("c.yaml", "# note\rdevice: cuda\n", 2, id="yaml"),
            pytest.param("c.toml", "# note\rdevice = 'cuda'\n", 2, id="toml"),
            pytest.param("c.ini", "[a]\n# note\rdevice = cuda\n", 3, id="ini"),
            pytest.param(".env", "# note\rCUDA_VISIBLE_DEVICES=0\n", 2, id="env"),
            pytest.param(
                ".github/workflows/ci.yml",
                "jobs:\n  a:\n    steps:\n      # note\r      - run: nvidia-smi\n",
                5,
                id="workflow",
            ),
        ],
    )
    def test_what_follows_a_comment_on_the_next_line_is_examined(
        self, path: str, text: str, line: int | None
    ) -> None:
        done = examined(path, text)
        assert done.findings
        if line is not None:
            lines = LineIndex(text.encode())
            assert {lines.line_of(finding.start) + 1 for finding in done.findings} == {line}

    def test_edits_of_lists_keep_every_other_byte(self) -> None:
        text = "# note\rnvidia-cudnn-cu12\rnumpy\r\n"
        assert examined("requirements.txt", text, fix=True).text == text.replace(
            "nvidia-cudnn-cu12", "# nvidia-cudnn-cu12  # needs CUDA"
        )

    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("a.sh", "# note\rnvidia-smi\n"),
            ("Makefile", "all:\n\techo # note\rnvidia-smi\n"),
            ("Dockerfile", "FROM ubuntu\n# note\rRUN nvidia-smi\n"),
        ],
    )
    def test_a_comment_of_a_shell_and_of_a_builder_goes_on_to_the_lf(self, path: str, text: str) -> None:
        assert not examined(path, text).findings

    @pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
    def test_an_edit_keeps_every_other_byte(self, end: str) -> None:
        """The line ends of the text too, whatever the parser saw in their place."""
        text = f"# note\rimport torch{end}y = '''a\rb'''{end}# more\r{_CUDA}{end}"
        done = examined("a.py", text, fix=True)
        assert done.text is not None
        added = f"import torch\rimport torch_npu{end}"  # behind a line end like that of the first line
        assert done.text == text.replace(f"import torch{end}", added).replace(".cuda()", ".npu()")

    def test_facts_of_other_files_are_read_in_the_same_way(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_bytes(b"# note\rimport torch as th\n")
        assert facts_below(tmp_path).torch_names >= {"th"}


class TestSpelling:
    """Python reads names in their NFKC form, and escapes in strings: what it runs is found."""

    @pytest.mark.parametrize(
        ("text", "fixed"),
        [
            ("import torch\nx = torch.zeros(1).ｃｕｄａ()\n", "x = torch.zeros(1).npu()\n"),
            ("import ｔｏｒｃｈ\nｔｏｒｃｈ.ｃｕｄａ.synchronize()\n", "torch_npu.npu.synchronize()\n"),
            ("import torch\nx = torch.zeros(1, device='c\\x75da')\n", "x = torch.zeros(1, device='npu')\n"),
            ("import torch\nx = torch.zeros(1, device='\\u0063uda')\n", "x = torch.zeros(1, device='npu')\n"),
            (
                "import torch\nx = torch.zeros(1, device='c\\165da:0')\n",
                "x = torch.zeros(1, device='npu:0')\n",
            ),
            ("import torch\nx = torch.zeros(1, device='cu' 'da')\n", "x = torch.zeros(1, device='npu')\n"),
            ("import torch\n# 注释：ｃｕｄａ\nx.ｔｏ('cuda')\n", "# 注释：ｃｕｄａ\nx.to('npu')\n"),
        ],
    )
    def test_what_python_reads_is_found_and_migrated(self, text: str, fixed: str) -> None:
        assert examined("a.py", text).findings
        done = examined("a.py", text, fix=True)
        assert done.text == "import torch\nimport torch_npu\n" + fixed
        assert not done.findings

    @pytest.mark.parametrize(
        "text", ["t = 'ｃｕｄａ'\n", "t = r'c\\x75da'\n", "# ｃｕｄａ\n", "t = '\\x1b[1m'\n"]
    )
    def test_text_that_python_does_not_read_so_stays(self, text: str) -> None:
        done = examined("a.py", text, fix=True)
        assert not done.findings and done.text == text

    def test_a_cell_is_read_in_the_same_way(self) -> None:
        done = examined("a.ipynb", cells("import torch\nx = torch.zeros(1).ｃｕｄａ()\n"), fix=True)
        assert done.text is not None and ".npu()" in done.text
