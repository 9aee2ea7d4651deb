"""Files that are not as they should be: reported, kept byte for byte, and never the end of the migration."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.project.fixing import Transform
from gpu2ascend.project.index import survey
from gpu2ascend.project.migrate import run as run_module
from gpu2ascend.project.migrate.file_job import FileJob
from gpu2ascend.project.report.result import FileStatus
from tests.server.project import jobs
from tests.server.project.conftest import Migrate
from tests.server.project.samples import CUDA, MIGRATED, Files

Make = Callable[[Files], Path]


def with_defects(monkeypatch: pytest.MonkeyPatch, transform: Transform) -> None:
    """Let a migration use another transform than the engine's."""

    def job(**given: Any) -> FileJob:
        return FileJob(**{**given, "transform": transform})

    monkeypatch.setattr(run_module, "FileJob", job)


def test_an_argument_async_is_renamed_and_the_file_migrated(run: Migrate, make: Make) -> None:
    done = run(make({"train.py": "import torch\nx = x.cuda(async=True)\n"}))
    assert done.read("train.py") == "import torch\nimport torch_npu\nx = x.npu(non_blocking=True)\n"
    assert done.outcomes["train.py"].problem is None


@pytest.mark.parametrize(
    ("data", "status"),
    [
        pytest.param(b"import torch\nprint 'x', torch.cuda\n", FileStatus.UNPARSABLE, id="Python 2"),
        pytest.param(b"import torch\ntorch.cuda.(\n", FileStatus.UNPARSABLE, id="syntax error"),
        pytest.param(b"print 'nothing to do with torch'\n", FileStatus.UNPARSABLE, id="no trigger word"),
        pytest.param(
            CUDA.encode() + b"pool.map(f, async=True)\n", FileStatus.UNPARSABLE, id="async of others"
        ),
        pytest.param(b"x = y.to(async=True)\n", FileStatus.UNPARSABLE, id="async without torch"),
        pytest.param(CUDA.encode() + b"x = '\0'\n", FileStatus.UNPARSABLE, id="NUL byte"),
        pytest.param(CUDA.encode() + b"x = '\xff'\n", FileStatus.UNDECODABLE, id="not UTF-8"),
        pytest.param(CUDA.encode("utf-16"), FileStatus.UNDECODABLE, id="UTF-16"),
        pytest.param(b"# coding: klingon\n" + CUDA.encode(), FileStatus.UNDECODABLE, id="unknown encoding"),
        pytest.param(b"# coding: utf-7\nx = '+AGE-'\n" + CUDA.encode(), FileStatus.UNDECODABLE, id="UTF-7"),
        pytest.param(
            CUDA.encode() + b"x = " + b"(" * 5000 + b"1" + b")" * 5000,
            FileStatus.UNPARSABLE,
            id="deep nesting",
        ),
        pytest.param(b"\xff" * 100_000, FileStatus.UNDECODABLE, id="binary"),
    ],
)
def test_is_copied_as_it_was_and_never_counts_as_success(
    run: Migrate, make: Make, data: bytes, status: FileStatus
) -> None:
    done = run(make({"bad.py": data, "good.py": CUDA}))
    assert done.outcomes["bad.py"].status is status
    assert done.outcomes["bad.py"].problem is not None
    assert (done.output / "bad.py").read_bytes() == data
    assert done.read("good.py") == MIGRATED
    assert (done.summary.troubled_files, done.result.exit_code) == (1, 1)
    assert "bad.py: not migrated: " in (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")


OTHER_KINDS = [
    pytest.param("a.yaml", "device: cuda\n".encode("utf-16"), FileStatus.UNDECODABLE, id="UTF-16 YAML"),
    pytest.param("a.sh", "export CUDA_HOME=/x\n".encode("utf-16"), FileStatus.UNDECODABLE, id="UTF-16 shell"),
    pytest.param("a.yaml", b"device: cuda # \xe9\n", FileStatus.UNDECODABLE, id="Latin-1 YAML"),
    pytest.param("a.ini", b"[run]\ndevice = cuda ; \xe9\n", FileStatus.UNDECODABLE, id="Latin-1 INI"),
    pytest.param("a.sh", b"export CUDA_HOME=/x # \xe9\n", FileStatus.UNDECODABLE, id="Latin-1 shell"),
    pytest.param("requirements.txt", b"torch>=2 # \xe9\n", FileStatus.UNDECODABLE, id="Latin-1 requirements"),
    pytest.param("Dockerfile", b"FROM nvidia/cuda # \xe9\n", FileStatus.UNDECODABLE, id="Latin-1 Dockerfile"),
    pytest.param("a.yaml", b"device: cuda\0\n", FileStatus.UNPARSABLE, id="NUL in YAML"),
    pytest.param("a.json", b'{"device": "cuda"}\0\n', FileStatus.UNPARSABLE, id="NUL in JSON"),
    pytest.param("a.sh", b"export CUDA_HOME=/x\n\0", FileStatus.UNPARSABLE, id="NUL in shell"),
    pytest.param("requirements.txt", b"numpy==1\0\ntorch\n", FileStatus.UNPARSABLE, id="NUL in requirements"),
    pytest.param("a.yaml", b"device: cuda\n x: [\n", FileStatus.UNPARSABLE, id="broken YAML"),
    pytest.param("a.json", b'{"device": "cuda" "x": 1', FileStatus.UNPARSABLE, id="broken JSON"),
    pytest.param("a.toml", b'device = "cuda"\n[[[\n', FileStatus.UNPARSABLE, id="broken TOML"),
    pytest.param(
        "pyproject.toml",
        b'[project]\ndependencies = ["torch==2.0.0+cu118"\n',
        FileStatus.UNPARSABLE,
        id="broken project file",
    ),
    pytest.param("a.yaml", b"device: cuda\nx: " + b"[" * 20_000, FileStatus.UNPARSABLE, id="deep YAML"),
]


@pytest.mark.parametrize(("name", "data", "status"), OTHER_KINDS)
def test_other_kinds_count_as_python_of_the_same_sort_does(
    run: Migrate, make: Make, name: str, data: bytes, status: FileStatus
) -> None:
    done = run(make({name: data, "good.py": CUDA}))
    assert (done.output / name).read_bytes() == data
    assert done.outcomes[name].status is status and done.read("good.py") == MIGRATED
    assert (done.summary.troubled_files, done.result.exit_code) == (1, 1)
    assert f"{name}: not migrated: " in (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "data", "finding"),
    [
        pytest.param("a.yaml", b"{% if x %}\ndevice: cuda\n{% endif %}\n", "NPU1204", id="Jinja in YAML"),
        pytest.param("a.yaml", b"device: cuda\nn: {{ n }}{{ m }}: x\n", "NPU1204", id="Jinja as a value"),
        pytest.param("a.json", b'{"device": "cuda", "n": ${N}}\n', "NPU1204", id="a variable in JSON"),
        pytest.param("a.sh", b"export CUDA_HOME=/x\nif [ x ; then (\n", "NPU1011", id="broken shell"),
        pytest.param("a.sh", b"if x; then\n  nvidia-smi\n", "NPU1011", id="shell without its end"),
        pytest.param("poetry.lock", b'[[package]]\nname = "torch"\nversion = "2"\n', "NPU1105", id="poetry"),
        pytest.param(
            "conda-lock.yml", b"package:\n- name: cudatoolkit\n  version: 11.8\n", "NPU1105", id="conda-lock"
        ),
        pytest.param(
            "requirements.txt",
            b"# This file is autogenerated by pip-compile with Python 3.10\ntorch==2.1.0\n",
            "NPU1105",
            id="pip-compile",
        ),
    ],
)
def test_templates_lock_files_and_what_is_broken_in_part_are_reported_and_kept(
    run: Migrate, make: Make, name: str, data: bytes, finding: str
) -> None:
    done = run(make({name: data, "good.py": CUDA}))
    assert (done.output / name).read_bytes() == data
    assert (done.summary.troubled_files, done.result.exit_code) == (0, 0)
    log = (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")
    assert any(name in line and finding in line for line in log.splitlines())


@pytest.mark.parametrize("name", ["big.yaml", "big.json", "big.sh"])
def test_what_is_over_the_limit_is_copied_as_a_stream(run: Migrate, make: Make, name: str) -> None:
    data = b"device: cuda\n" + b"x: yyyyyyyyyyyy\n" * 3_500_000
    assert len(data) > 50_000_000
    done = run(make({name: data, "good.py": CUDA}))
    assert (done.output / name).read_bytes() == data and done.result.exit_code == 1
    assert name in (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")


def test_links_stay_links_and_what_they_lead_to_is_migrated_where_it_lies(run: Migrate, make: Make) -> None:
    root = make({"real/c.yaml": "distributed_type: MULTI_GPU\nnum_processes: 8\n", "good.py": CUDA})
    try:
        (root / "link.yaml").symlink_to("real/c.yaml")
        (root / "folder").symlink_to("real", target_is_directory=True)
        (root / "nowhere.sh").symlink_to("gone.sh")
    except OSError:
        pytest.skip("links may not be made here")
    done = run(root)
    assert (done.output / "link.yaml").is_symlink() and (done.output / "folder").is_symlink()
    assert (done.output / "nowhere.sh").is_symlink()
    assert (done.output / "link.yaml").read_text() == "distributed_type: MULTI_NPU\nnum_processes: 8\n"
    assert [path for path in done.outcomes if path.endswith(".yaml")] == ["real/c.yaml"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            codecs.BOM_UTF8 + CUDA.encode(), codecs.BOM_UTF8 + MIGRATED.encode(), id="byte order mark"
        ),
        pytest.param(
            CUDA.replace("\n", "\r\n").encode(), MIGRATED.replace("\n", "\r\n").encode(), id="CR LF"
        ),
        pytest.param(CUDA.replace("\n", "\r").encode(), MIGRATED.replace("\n", "\r").encode(), id="CR"),
        pytest.param(
            b"import torch\r\n\ntorch.cuda.empty_cache()\r\nx = 1\r",
            b"import torch\r\nimport torch_npu\r\n\ntorch_npu.npu.empty_cache()\r\nx = 1\r",
            id="mixed line ends",
        ),
        pytest.param(CUDA.rstrip().encode(), MIGRATED.rstrip().encode(), id="no last newline"),
        pytest.param(
            "# coding: gbk\n# 显存\n".encode("gbk") + CUDA.encode(),
            "# coding: gbk\n# 显存\n".encode("gbk") + MIGRATED.encode(),
            id="GBK",
        ),
        pytest.param(
            b"# coding: latin-1\n# \xe9\n" + CUDA.encode(),
            b"# coding: latin-1\n# \xe9\n" + MIGRATED.encode(),
            id="Latin-1",
        ),
        pytest.param(
            CUDA.encode() + b"\x0c\ndef f():\n\treturn 1 \t\n",
            MIGRATED.encode() + b"\x0c\ndef f():\n\treturn 1 \t\n",
            id="form feed, tabs and trailing blanks",
        ),
        pytest.param(
            CUDA.encode() + "s = '\u2028\x85'  # 🚀\n".encode(),
            MIGRATED.encode() + "s = '\u2028\x85'  # 🚀\n".encode(),
            id="separators that are no line ends",
        ),
    ],
)
def test_is_migrated_and_otherwise_kept_byte_for_byte(
    run: Migrate, make: Make, before: bytes, after: bytes
) -> None:
    done = run(make({"a.py": before}))
    assert (done.output / "a.py").read_bytes() == after
    assert done.result.exit_code == 0


@pytest.mark.parametrize(
    "name", ["with space.py", "训练.py", "🚀.py", "latin\udce9.py", "two\nlines.py", "-rf.py", "a,b\"c'.py"]
)
def test_any_name_is_kept_and_reported(run: Migrate, make: Make, name: str) -> None:
    done = run(make({f"dir {name}/{name}": CUDA}))
    assert (done.output / f"dir {name}" / name).read_text() == MIGRATED
    (path,) = done.outcomes
    assert path in (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x = " + "1 + " * 10_000 + "1\n", id="10,000 additions"),
        pytest.param("x = " + "-" * 5_000 + "1\n", id="5,000 signs"),
        pytest.param("x = f" + "(torch.cuda" * 80 + ")" * 80 + "\n", id="80 calls in calls"),
        pytest.param("x = torch" + ".cuda" * 300 + "\n", id="300 attributes"),
        pytest.param("x = torch" + "().cuda" * 200 + "\n", id="200 calls in a chain"),
        pytest.param("if a: pass\n" + "elif torch.cuda.is_available(): pass\n" * 1_000, id="1,000 branches"),
        pytest.param("x = [" + "'cuda', " * 500 + "]\n", id="500 strings"),
        pytest.param("x = 'cuda" + "x" * 1_000_000 + "'\n", id="one megabyte in one line"),
    ],
)
def test_extreme_code_ends_no_process(run: Migrate, make: Make, text: str) -> None:
    done = run(make({"deep.py": CUDA + text, "good.py": CUDA}))
    assert done.read("good.py") == MIGRATED
    assert done.outcomes["deep.py"].status in (FileStatus.CHANGED, FileStatus.UNPARSABLE)


@pytest.mark.slow
def test_long_files_are_migrated_like_short_ones(run: Migrate, make: Make) -> None:
    body = "".join(f"def f{number}(x):\n    return torch.cuda.synchronize(x)\n" for number in range(5_000))
    done = run(make({"long.py": CUDA + body}))
    assert done.read("long.py") == MIGRATED + body.replace("torch.cuda", "torch_npu.npu")
    assert done.summary.edits == 5_002


@pytest.mark.slow
def test_five_megabytes_of_generated_code(run: Migrate, make: Make) -> None:
    row = ", ".join(f"'{number:064x}'" for number in range(10))
    body = "".join(f"TABLE_{number} = [{row}]\n" for number in range(7_500))
    assert len(body) > 5_000_000
    done = run(make({"generated.py": CUDA + body}))
    assert done.read("generated.py") == MIGRATED + body


@pytest.mark.parametrize(
    ("text", "problem"), [("RAISE = 1\n", "project.defect"), ("BREAK = 1\n", "project.broken-edit")]
)
def test_a_defect_of_ours_costs_one_file(
    run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch, text: str, problem: str
) -> None:
    with_defects(monkeypatch, jobs.defective)
    done = run(make({"bad.py": CUDA + text, "good.py": CUDA}))
    outcome = done.outcomes["bad.py"]
    assert outcome.status is FileStatus.FAILED
    assert outcome.problem is not None and outcome.problem.id == problem
    assert done.read("bad.py") == CUDA + text and done.read("good.py") == MIGRATED
    assert done.result.exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_a_defect_of_ours_comes_with_its_traceback_if_asked(
    run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(survey, "_WORTH_A_WORKER", 1)
    with_defects(monkeypatch, jobs.defective)
    project = make({"bad.py": CUDA + "RAISE = 1\n", "good.py": CUDA, "other.py": CUDA})
    monkeypatch.delenv("GPU2ASCEND_DEBUG", raising=False)
    assert run(project, jobs=processes).outcomes["bad.py"].traceback == ""

    monkeypatch.setenv("GPU2ASCEND_DEBUG", "1")
    outcomes = run(project, jobs=processes, force=True).outcomes
    assert "in defective" in outcomes["bad.py"].traceback
    assert "RuntimeError: deliberate" in outcomes["bad.py"].traceback
    assert outcomes["good.py"].traceback == ""


@pytest.mark.slow
def test_a_file_that_kills_its_worker_is_copied_and_the_others_are_migrated(
    run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey, "_WORTH_A_WORKER", 1)
    with_defects(monkeypatch, jobs.killed_by_a_word)
    files = {f"m{number}.py": CUDA for number in range(12)}
    done = run(make({**files, "m5.py": CUDA + "# KILL ME\n"}), jobs=2)
    assert done.outcomes["m5.py"].status is FileStatus.FAILED
    assert done.read("m5.py") == CUDA + "# KILL ME\n"
    assert all(done.read(name) == MIGRATED for name in files if name != "m5.py")
    assert (done.summary.failed, done.summary.changed_files, done.result.exit_code) == (1, 11, 1)


@pytest.mark.slow
def test_many_processes_write_what_one_does(
    run: Migrate, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"p{number % 3}/m{number}.py": CUDA + f"x = {number}\n" for number in range(30)}
    root = make({**files, "p1/bad.py": "print 1\n", "k.cu": "__global__ void k(int a) {}\n", "x.txt": "x"})
    one = run(root, jobs=1, output=tmp_path / "one")
    monkeypatch.setattr(survey, "_WORTH_A_WORKER", 1)
    two = run(root, jobs=2, output=tmp_path / "two")
    assert one.summary == two.summary and list(one.outcomes) == list(two.outcomes)
    for report in ("change_list.csv", "cuda_op_list.csv", "p0/m0.py", "p1/bad.py"):
        assert (one.output / report).read_bytes() == (two.output / report).read_bytes()


def test_of_a_notebook_with_a_fragment_the_log_says_which_cell_stays(run: Migrate, make: Make) -> None:
    cells = [[CUDA], ["if torch.cuda.is_available() ...\n"]]
    notebook = {
        "cells": [{"cell_type": "code", "metadata": {}, "outputs": [], "source": text} for text in cells],
        "metadata": {"language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    done = run(make({"a.ipynb": json.dumps(notebook)}))
    log = (done.output / "msFmkTranspltlog.txt").read_text(encoding="utf-8")
    assert "a.ipynb: migrated, except for one cell: cell 2 is not valid Python 3" in log
    assert "torch_npu" in done.read("a.ipynb")
