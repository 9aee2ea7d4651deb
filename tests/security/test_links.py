"""A link with the name of a source hides nothing: what it leads to is examined, or said not to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.security.bounded import command
from tests.server.project.samples import PLAIN, STUCK, make_tree

LINKS = [
    pytest.param("train.py", "payload.txt", {"payload.txt": STUCK}, id="to a file of another name"),
    pytest.param("train.py", ".eggs/m.py", {".eggs/m.py": STUCK}, id="into a directory of tools"),
    pytest.param("lib", "node_modules/lib", {"node_modules/lib/a.py": STUCK}, id="to a directory of tools"),
    pytest.param("train.py", "../common/train.py", {"../common/train.py": STUCK}, id="out of the project"),
    pytest.param("run", ".tox/run.py", {".tox/run.py": STUCK}, id="by a name that says nothing"),
    pytest.param("start.sh", "start.txt", {"start.txt": "nvidia-smi\n"}, id="a script"),
    pytest.param("train.py", "venv/t.py", {"venv/t.py": STUCK, "venv/pyvenv.cfg": ""}, id="an environment"),
]


@pytest.fixture
def project(tmp_path: Path, name: str, target: str, files: dict[str, str]) -> Path:
    root = make_tree(tmp_path / "in" / "proj", {"main.py": PLAIN, **files})
    try:
        (root / name).symlink_to(target, target_is_directory=(root / target).is_dir())
    except OSError:
        pytest.skip("links may not be made here")
    return root


@pytest.mark.parametrize(("name", "target", "files"), LINKS)
def test_a_check_says_that_it_is_not_examined(project: Path, name: str, target: str) -> None:
    done = command("check", ".", "-v", "2.8.0", at=project)
    assert done.returncode == 1
    assert f"{name}: a link to `{target}`, which is not examined" in done.stderr
    assert "No problems found" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target", "files"), LINKS)
def test_a_migration_says_so_and_leaves_no_link_to_nowhere(project: Path, name: str, target: str) -> None:
    done = command("migrate", "-i", project, "-o", "../out", "-v", "2.8.0", "--json", at=project)
    document = json.loads(done.stdout)
    assert done.returncode == document["exit_code"] == 1
    problems = {file["path"]: file["problem"] for file in document["files"]}
    assert f"a link to `{target}`, which is not examined" in problems[name]
    output = project.parent / "out" / "proj_msft"
    assert (output / name).is_symlink() and (output / name).exists()
    for page in ("report.html", "msFmkTranspltlog.txt"):
        assert "which is not examined" in (output / page).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "target", "files"),
    [
        pytest.param("train.py", "real/train.py", {"real/train.py": PLAIN}, id="to a source"),
        pytest.param("lib", "real", {"real/train.py": PLAIN}, id="to a directory of sources"),
        pytest.param("weights.bin", ".git/annex/w", {".git/annex/w": "w"}, id="to data that is not copied"),
        pytest.param("a.txt", "../notes.txt", {"../notes.txt": "x"}, id="to data outside"),
        pytest.param("gone.py", "nowhere.py", {}, id="to nothing"),
    ],
)
def test_any_other_link_is_none(project: Path, name: str) -> None:
    done = command("check", ".", "-v", "2.8.0", at=project)
    assert done.returncode == 0 and done.stderr == ""
    done = command("migrate", "-i", project, "-o", "../out", "-v", "2.8.0", at=project)
    assert done.returncode == 0, done.stdout
    assert (project.parent / "out" / "proj_msft" / name).exists() is (project / name).exists()


@pytest.mark.parametrize(
    ("name", "target", "files"),
    [
        pytest.param("data", "../data", {"../data/a.py": STUCK}, id="a directory outside"),
        pytest.param("c.json", "blobs/1", {"blobs/1": '{"device": "cuda"}'}, id="a configuration"),
    ],
)
def test_what_may_be_one_is_named(project: Path, name: str) -> None:
    """Of what lies outside nothing is read, and a configuration is as often data."""
    done = command("check", ".", "-v", "2.8.0", at=project)
    assert done.returncode == 0 and f"not examined (1): {name}" in done.stderr
