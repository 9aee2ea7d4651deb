"""``gpu2ascend analyze``: what a migration would report, and nothing written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.cli.conftest import TRAIN, Run
from tests.server.project.report.html.pages import words

FILES = {
    "train.py": TRAIN,
    "pkg/__init__.py": "",
    "pkg/library.py": "import torch\n\n\ndef make():\n    return torch.zeros(1)\n",
    "use.py": "import torch\nfrom pkg.library import make\n\nmake().to_dense()\n\n\n"
    "def f(x):\n    x.to_dense()\n",
    "csrc/op.cu": "__global__ void add(int *x) {}\n",
    "unlisted.py": "import torch\n\ntorch.linalg.eigh(1)\n",
}

Tree = Callable[[], Path]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "proj" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "proj"


def names(root: Path) -> list[str]:
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))


@pytest.mark.slow
def test_what_only_the_project_proves_is_found_and_the_rest_is_counted(tree: Path, run: Run) -> None:
    document = run("analyze", tree, "-v", "2.8.0", "--json").json
    found = [item for item in document["findings"] if item["code"] == "NPU001"]
    assert [(Path(item["filename"]).name, item["location"]["row"]) for item in found] == [("use.py", 4)]
    (left,) = document["unresolved"]
    assert (left["location"], left["apis"]) == ({"row": 8, "column": 7}, ["torch.Tensor.to_dense"])
    assert left["reason"] == "`x` is a parameter without an annotation"
    assert document["summary"]["unsupported"] == document["summary"]["unresolved"] == 1


def test_nothing_is_written(tree: Path, run: Run) -> None:
    before = names(tree.parent)
    run("analyze", tree, "-v", "2.8.0", "--ignore", "NPU001")
    assert names(tree.parent) == before


def test_the_document_has_what_the_reports_of_a_migration_have(tree: Path, run: Run) -> None:
    done = run("analyze", tree, "-v", "2.8.0", "--json", "--ignore", "NPU001")
    document = done.json
    assert (done.code, document["exit_code"]) == (1, 1)
    assert (document["version"], document["hardware"]) == ("2.8.0", "A2")
    assert [item["names"] for item in document["kernels"]] == [["add"]]
    summary = document["summary"]
    assert (summary["files"], summary["cuda_ops"], summary["unknown"]) == (5, 1, 1)
    assert summary["findings"] == len(document["findings"])
    assert summary["safe_fixes"] + summary["unsafe_fixes"] + summary["manual"] == summary["findings"]


def test_restrictions_are_counted_and_listed_on_request(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.py").write_text("import torch\ny = torch.matmul(x, w)\n", encoding="utf-8")
    done = run("analyze", tmp_path, "-v", "2.8.0", "--json")
    (use,) = done.json["restricted"]
    assert (use["code"], use["location"]["row"]) == ("NPU006", 2)
    assert (done.code, done.json["findings"], done.json["summary"]["restricted"]) == (0, [], 1)
    reported = run("analyze", tmp_path, "-v", "2.8.0", "--json", "--restricted-apis")
    assert [item["code"] for item in reported.json["findings"]] == ["NPU006"]
    assert (reported.code, reported.json["restricted"]) == (1, [])


def test_people_get_lines_and_counts(tree: Path, run: Run) -> None:
    lines = run("analyze", tree / "train.py", "-v", "2.8.0").out.splitlines()
    assert [line.split(": ")[1].split()[0] for line in lines[:2]] == ["NPU110", "NPU101"]
    assert "For PyTorch 2.8.0 on A2:" in lines


def test_a_project_without_a_finding_is_clean(tmp_path: Path, run: Run) -> None:
    (tmp_path / "plain.py").write_text("print(1)\n", encoding="utf-8")
    assert run("analyze", tmp_path, "-v", "2.8.0").code == 0


def test_a_file_that_cannot_be_examined_is_an_error(tmp_path: Path, run: Run) -> None:
    (tmp_path / "bad.py").write_bytes(b"import torch\n\xff\n")
    done = run("analyze", tmp_path, "-v", "2.8.0")
    assert done.code == 2
    assert "bad.py" in done.err


def test_two_paths_are_one_too_many(tree: Path, run: Run) -> None:
    done = run("analyze", tree, tree)
    assert done.code == 2
    assert "gpu2ascend analyze" in done.err


def test_help_is_there_in_both_languages(run: Run) -> None:
    assert run("analyze", "--help").code == 0
    assert "迁移会报告" in run("--language", "zh", "analyze", "--help").out


class TestPage:
    """``--html``"""

    def test_is_written_and_nothing_else(self, tree: Path, run: Run, tmp_path: Path) -> None:
        before = names(tree)
        done = run("analyze", tree, "-v", "2.8.0", "--ignore", "NPU001", "--html", tmp_path / "page.html")
        assert done.out.splitlines()[-1] == f"Report: {tmp_path / 'page.html'}"
        assert names(tree) == before
        assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == ["page.html"]

    def test_says_the_numbers_of_the_document(self, tree: Path, run: Run, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        document = run("analyze", tree, "-v", "2.8.0", "--json", "--ignore", "NPU001", "--html", page).json
        counts, said = document["summary"], page.read_text(encoding="utf-8")
        assert document["html"] == str(page)
        assert f"files {counts['files']}, findings {counts['findings']} (errors {counts['errors']}," in said
        assert f"safe fixes {counts['safe_fixes']}, unsafe {counts['unsafe_fixes']}," in said

    def test_says_the_numbers_of_a_migration(self, tree: Path, run: Run, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        run("analyze", tree, "-v", "2.8.0", "--html", page)
        done = run("migrate", "-i", tree, "-o", tmp_path / "out", "-v", "2.8.0", "--json").json["summary"]
        said = words(page.read_text(encoding="utf-8"))
        assert f"{done['edits']} edits made, in {done['changed_files']} files" in said
        assert f"{done['errors']} errors: block training" in said

    def test_is_in_the_language_that_was_asked_for(self, tree: Path, run: Run, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        run("analyze", tree, "-v", "2.8.0", "--html", page, "--language", "zh")
        assert '<html lang="zh-CN">' in page.read_text(encoding="utf-8")

    def test_is_about_a_project(self, tree: Path, run: Run, tmp_path: Path) -> None:
        done = run("analyze", tree / "train.py", "-v", "2.8.0", "--html", tmp_path / "page.html")
        assert done.code == 2 and "--html is about a project" in done.err

    def test_a_place_that_is_none_is_an_error(self, tree: Path, run: Run, tmp_path: Path) -> None:
        done = run("analyze", tree, "-v", "2.8.0", "--html", tmp_path / "none" / "page.html")
        assert done.code == 2 and "none" in done.err
