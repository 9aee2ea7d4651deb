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
    assert (summary["files"], summary["cuda_ops"], summary["unknown"]) == (6, 1, 1)
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
    assert done.code == 1
    assert "bad.py" in done.err


def test_two_paths_are_one_too_many(tree: Path, run: Run) -> None:
    done = run("analyze", tree, tree)
    assert done.code == 2
    assert "gpu2ascend analyze" in done.err


def test_help_is_there_in_both_languages(run: Run) -> None:
    assert run("analyze", "--help").code == 0
    assert "迁移时会报告" in run("--language", "zh", "analyze", "--help").out


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

    @pytest.mark.slow
    def test_says_the_numbers_of_a_migration(self, tree: Path, run: Run, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        run("analyze", tree, "-v", "2.8.0", "--html", page)
        done = run("migrate", "-i", tree, "-o", tmp_path / "out", "-v", "2.8.0", "--json").json["summary"]
        said = words(page.read_text(encoding="utf-8"))
        assert f"{done['edits']} edits made, in {done['changed_files']} files" in said
        assert f"{done['errors']} errors: prevent training" in said

    @pytest.mark.slow
    def test_is_in_the_language_that_was_asked_for(self, tree: Path, run: Run, tmp_path: Path) -> None:
        page = tmp_path / "page.html"
        run("analyze", tree, "-v", "2.8.0", "--html", page, "--language", "zh")
        assert '<html lang="zh-CN">' in page.read_text(encoding="utf-8")

    def test_is_about_a_project(self, tree: Path, run: Run, tmp_path: Path) -> None:
        done = run("analyze", tree / "train.py", "-v", "2.8.0", "--html", tmp_path / "page.html")
        assert done.code == 2 and "--html needs a project" in done.err

    @pytest.mark.slow
    def test_a_place_that_is_none_is_an_error(self, tree: Path, run: Run, tmp_path: Path) -> None:
        done = run("analyze", tree, "-v", "2.8.0", "--html", tmp_path / "none" / "page.html")
        assert done.code == 2 and "none" in done.err


LIBRARY = {
    "lib/__init__.py": "from .ops import f\n",
    "lib/ops.py": "from torch import nn\n\n\ndef f(x):\n    return nn.MaxPool3d(2)(x)\n",
    "lib/norm.py": "import torch\n\n\ndef n(x, eps):\n"
    "    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)\n",
    "requirements.txt": "dgl\nray\n",
}


class TestModes:
    """``--mode``, ``-o`` and ``-api``"""

    @pytest.fixture
    def library(self, tmp_path: Path) -> Path:
        for name, text in LIBRARY.items():
            path = tmp_path / "library" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path / "library"

    def rows(self, tmp_path: Path, name: str) -> list[str]:
        return (tmp_path / "library_analysis" / f"{name}.csv").read_text("utf-8").splitlines()

    def test_the_tables_have_the_names_and_columns_of_the_vendors_tool(
        self, library: Path, run: Run, tmp_path: Path
    ) -> None:
        done = run("analyze", library, "-v", "2.8.0", "-o", tmp_path)
        assert done.out.splitlines()[-1] == f"Tables: {tmp_path / 'library_analysis'}"
        heads = {path.stem: path.read_text("utf-8").splitlines()[0] for path in tmp_path.glob("*_analysis/*")}
        by_api = "Torch API,Affected 3rd-party API"
        api = "File,Start Line,End Line,OP,Tips"
        assert heads == {
            "unsupported_api": api,
            "unknown_api": api,
            "cuda_op_list": "File,Api",
            "kernel_sizes": "File,Start Line,End Line,Kernel,Language,Features,Callers,Guarded,Effort,"
            "Days From,Days To,Way",
            "full_unsupported_results": "File,3rd-party API,Message",
            "framework_unsupported_op": by_api,
            "migration_needed_op": by_api,
            "unknown_op": by_api,
            "cuda_op": "OP Name,Affected 3rd-party API",
            "third_party_packages": "Package,Verdict,Works From,Replacement,Requested,File,Line,Tips",
            "affinity_api_call": "File,Start Line,End Line,Api Type,Api Call Name,Affinity Api Name",
            "api_precision_advice": "File,Start Line,End Line,OP,Tips",
            "api_performance_advice": "File,Start Line,End Line,OP,Tips",
        }

    def test_the_rows_of_a_library(self, library: Path, run: Run, tmp_path: Path) -> None:
        run("analyze", library, "-v", "2.8.0", "-o", tmp_path)
        assert self.rows(tmp_path, "full_unsupported_results")[1:] == [
            'lib/ops.py,lib.f,"lib/ops.py,5,torch.nn.MaxPool3d"',
            'lib/ops.py,lib.ops.f,"lib/ops.py,5,torch.nn.MaxPool3d"',
        ]
        assert self.rows(tmp_path, "framework_unsupported_op")[1:] == [
            'torch.nn.MaxPool3d,"lib.f', 'lib.ops.f"',
        ]  # fmt: skip
        (row,) = self.rows(tmp_path, "affinity_api_call")[1:]
        assert row.startswith("lib/norm.py,5,5,special,") and row.endswith(",torch_npu.npu_rms_norm")
        assert [row.split(",")[0] for row in self.rows(tmp_path, "third_party_packages")[1:]] == [
            "dgl",
            "ray",
        ]

    @pytest.mark.parametrize(
        ("mode", "codes"),
        [
            ("torch_apis", {"NPU001", "NPU1103"}),
            ("affinity_apis", {"NPU611"}),
            ("third_party", set()),
            ("torch_apis,affinity_apis", {"NPU001", "NPU611", "NPU1103"}),
        ],
    )
    def test_a_mode_has_its_findings_only(self, library: Path, run: Run, mode: str, codes: set[str]) -> None:
        document = run("analyze", library, "-v", "2.8.0", "--mode", mode, "--json").json
        assert {item["code"] for item in document["findings"]} == codes
        assert document["modes"] == sorted(mode.split(","))
        assert bool(document["third_party"]["packages"]) == (mode == "third_party")

    def test_functions_and_packages_are_lines_in_that_mode(self, library: Path, run: Run) -> None:
        done = run("analyze", library, "-v", "2.8.0", "--mode", "third_party")
        assert "lib/ops.py:4: `lib.f` reaches torch.nn.MaxPool3d" in done.out.splitlines()
        assert "requirements.txt:1: dgl does not work on the NPU, but has a replacement" in done.out
        assert done.code == 1

    @pytest.mark.parametrize("form", ["full_unsupported_results.csv", "framework_unsupported_op.csv", "json"])
    def test_what_was_found_in_a_library_is_reported_in_a_project(
        self, library: Path, run: Run, tmp_path: Path, form: str
    ) -> None:
        document = run("analyze", library, "-v", "2.8.0", "-o", tmp_path, "--json").out
        file = tmp_path / "library_analysis" / form
        if form == "json":
            file.write_text(document, encoding="utf-8")
        project = tmp_path / "project"
        project.mkdir()
        (project / "use.py").write_text("import lib\n\nlib.f(1)\nlib.other(2)\n", encoding="utf-8")
        done = run("analyze", project, "-v", "2.8.0", "-api", file, "--json")
        (found,) = done.json["findings"]
        assert (found["code"], found["api"], found["location"]["row"]) == ("CUS005", "lib.f", 3)
        assert done.json["summary"]["unsupported"] == 1

    def test_a_file_that_is_no_such_table_is_an_error(self, library: Path, run: Run) -> None:
        done = run("analyze", library, "-v", "2.8.0", "-api", library / "requirements.txt")
        assert done.code == 2 and "3rd-party API" in done.err

    def test_tables_are_replaced_by_force_only_and_never_put_into_the_project(
        self, library: Path, run: Run, tmp_path: Path
    ) -> None:
        arguments = ("analyze", library, "-v", "2.8.0", "--mode", "affinity_apis", "-o", tmp_path)
        assert run(*arguments).code == 1
        assert run(*arguments).code == 2
        assert run(*arguments, "--force").code == 1
        assert run("analyze", library, "-v", "2.8.0", "-o", library / "lib").code == 2
