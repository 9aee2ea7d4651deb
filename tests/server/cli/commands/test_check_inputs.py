"""``check`` of standard input, of notebooks, and of files that are named although they are excluded."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from gpu2ascend.__main__ import main
from tests.server.project.samples import make_tree

from ..conftest import FIXED, TRAIN, Run

V = ("-v", "2.8.0")


class TestStandardInput:
    def call(
        self,
        arguments: list[str],
        data: bytes,
        monkeypatch: pytest.MonkeyPatch,
        capsysbinary: pytest.CaptureFixture[bytes],
    ) -> tuple[int, bytes, bytes]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        code = main(["check", "-", *V, *arguments])
        return code, *capsysbinary.readouterr()

    def test_is_checked(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        code, out, _ = self.call([], TRAIN.encode(), monkeypatch, capsysbinary)
        assert code == 1 and b"\n-:4:1: NPU101 [*] " in out

    def test_may_have_a_name(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        arguments = ["--stdin-filename", "pkg/a.py", "--output-format", "json"]
        code, out, _ = self.call(arguments, TRAIN.encode(), monkeypatch, capsysbinary)
        assert code == 1
        assert {item["filename"] for item in json.loads(out)} == {str(Path("pkg/a.py").absolute())}

    def test_without_a_name_json_says_dash(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        _, out, _ = self.call(["--output-format", "json"], TRAIN.encode(), monkeypatch, capsysbinary)
        assert {item["filename"] for item in json.loads(out)} == {"-"}

    def test_is_decided_as_a_program_of_one_file(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        text = "import torch\ndef put(x, where):\n    assert where in ['cpu', 'cuda']\n    x.to(where)\n"
        text += "put(x, 'cuda')\n"
        _, out, _ = self.call(["--fix"], text.encode(), monkeypatch, capsysbinary)
        assert b"where in ['cpu', 'cuda', 'npu']" in out and b"put(x, 'npu')" in out

    def test_the_words_that_other_files_of_its_project_share_are_left(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        lib = "import torch\ndef put(x, where):\n    x.to(torch.device(where))\n"
        text = "import torch\nx.to('cuda:1')\n"
        shared = "from lib import put\nfrom train import KIND\nput(x, KIND)\nok = KIND == 'cuda'\n"
        make_tree(tmp_path, {"pyproject.toml": "", "lib.py": lib, "other.py": shared})
        arguments = ["--fix", "--stdin-filename", str(tmp_path / "train.py")]
        given = f"{text}KIND = 'cuda'\n"
        _, out, err = self.call(arguments, given.encode(), monkeypatch, capsysbinary)
        assert b"KIND = 'cuda'" in out and b"x.to('npu:1')" in out
        assert b"other.py:4" in err

    def test_fixed_it_goes_to_standard_output_byte_for_byte(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        data = TRAIN.replace("\n", "\r\n").encode() + "# 中\x0c".encode()
        code, out, err = self.call(["--fix"], data, monkeypatch, capsysbinary)
        assert code == 0
        assert out == FIXED.replace("\n", "\r\n").encode() + "# 中\x0c".encode()
        assert err.endswith(b"No problems found.\n")

    def test_what_is_no_text_comes_back_as_it_was(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        code, out, err = self.call(["--fix"], b"\xff\xfe", monkeypatch, capsysbinary)
        assert (code, out) == (1, b"\xff\xfe")
        assert err.startswith(b"gpu2ascend: error: -: ")


class TestNotebooks:
    @pytest.fixture
    def notebook(self, tmp_path: Path) -> Path:
        cells = [
            {"cell_type": "markdown", "metadata": {}, "source": "text"},
            {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["import torch"]},
            {
                "cell_type": "code",
                "metadata": {},
                "outputs": [],
                "source": ["x = 1\n", "torch.cuda.synchronize()"],
            },
        ]
        path = tmp_path / "nb.ipynb"
        document = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        path.write_text(json.dumps(document, indent=1), encoding="utf-8")
        return path

    def test_lines_for_people_name_the_cell(self, run: Run, notebook: Path) -> None:
        assert f"{notebook}:cell 3:2:1: NPU101" in run("check", str(notebook), "-v", "2.8.0").out

    def test_json_counts_in_the_cell_and_says_which(self, run: Run, notebook: Path) -> None:
        (found,) = run("check", str(notebook), "-v", "2.8.0", "--output-format", "json").json
        assert (found["cell"], found["location"]) == (3, {"row": 2, "column": 1})
        assert [edit["cell"] for edit in found["fix"]["edits"]] == [2, 3]

    @pytest.mark.parametrize("output_format", ["sarif", "github"])
    def test_programs_that_know_no_cells_get_lines_of_the_file(
        self, run: Run, notebook: Path, output_format: str
    ) -> None:
        out = run("check", str(notebook), "-v", "2.8.0", "--output-format", output_format).out
        line = 1 + next(
            n for n, text in enumerate(notebook.read_text("utf-8").split("\n")) if "synchronize" in text
        )
        assert f'"startLine": {line}' in out or f"line={line}" in out
        assert "cell 3:2:1" in out


class TestForcedExclusion:
    """What ``exclude`` matches, where a program such as pre-commit names every file that changed."""

    @pytest.mark.parametrize(("flags", "code"), [((), 1), (("--force-exclude",), 0)])
    def test_a_file_that_is_named_is_left_out_on_request(
        self, run: Run, project: Path, flags: tuple[str, ...], code: int
    ) -> None:
        assert run("check", project / "train.py", *V, "--exclude", "train.py", *flags).code == code

    def test_others_are_checked(self, run: Run, project: Path) -> None:
        assert run("check", project / "train.py", *V, "--exclude", "vendor", "--force-exclude").code == 1
