"""A project can keep what it holds from being examined, but not in secret and not with exit code 0."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.security.bounded import command
from tests.server.project.samples import PLAIN, STUCK, Files, make_tree

_SILENCED = STUCK.replace("\n\n", "\n\n# gpu2ascend: ignore-file\n")
_MARKER = json.dumps(
    {"tool": "gpu2ascend", "format": 2, "version": "0.1.0", "torch": "2.8.0", "options": {"copy": ["a.py"]}}
)


def settings(text: str) -> dict[str, str]:
    return {"pyproject.toml": f"[tool.gpu2ascend]\n{text}\n", "main.py": PLAIN}


PROJECTS = [
    pytest.param({"a.py": _SILENCED, "main.py": PLAIN}, "a.py", id="ignore-file"),
    pytest.param({"a.py": STUCK, **settings("exclude = ['a.py']")}, "a.py", id="exclude"),
    pytest.param({"sub/a.py": STUCK, **settings("exclude = ['sub']")}, "sub", id="exclude a directory"),
    pytest.param({"a.py": STUCK, **settings("copy = ['a.py']")}, "a.py", id="copy"),
    pytest.param({"a.sh": "nvidia-smi\n", **settings("copy = ['*.sh']")}, "a.sh", id="copy a script"),
    pytest.param({"a.py": STUCK, **settings("ignore = ['NPU', 'ADV']")}, "ignore", id="every rule"),
    pytest.param({"a.py": STUCK, "main.py": PLAIN, ".gpu2ascend.json": _MARKER}, "a.py", id="the marker"),
]


@pytest.mark.parametrize(("files", "named"), PROJECTS)
def test_what_a_project_silences_is_named_and_never_ends_with_0(
    tmp_path: Path, files: Files, named: str
) -> None:
    root = make_tree(tmp_path / "proj", files)
    done = command("check", ".", "-v", "2.8.0", at=root)
    assert done.returncode == 1
    last = done.stdout.splitlines()[-1]
    assert last.startswith("silenced by the project itself") and named in last


@pytest.mark.parametrize(("files", "named"), PROJECTS)
def test_a_migration_says_so_in_every_place(tmp_path: Path, files: Files, named: str) -> None:
    root = make_tree(tmp_path / "proj", files)
    done = command("migrate", "-i", root, "-o", "out", "-v", "2.8.0", "--json", at=tmp_path)
    document = json.loads(done.stdout)
    (line,) = [text for text in document["notices"] if text.startswith("silenced by the project itself")]
    assert named in line and document["summary"]["silenced"] == 1
    assert done.returncode == document["exit_code"] == 1
    output = tmp_path / "out" / "proj_msft"
    for name in ("report.html", "msFmkTranspltlog.txt"):
        assert "silenced by the project itself" in (output / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", ["check", "analyze"])
@pytest.mark.parametrize(("files", "named"), PROJECTS)
def test_without_the_project_s_settings_everything_is_found(
    tmp_path: Path, files: Files, named: str, verb: str
) -> None:
    root = make_tree(tmp_path / "proj", files)
    done = command(verb, ".", "-v", "2.8.0", "--no-project-settings", at=root)
    assert done.returncode == 1
    assert "silenced" not in done.stdout + done.stderr
    assert "a.py:" in done.stdout or "a.sh:" in done.stdout


@pytest.mark.parametrize("flags", [("--exclude", "a.py"), ("--copy", "a.py"), ("--ignore", "NPU1")])
def test_settings_of_the_user_silence_nothing_in_secret(tmp_path: Path, flags: tuple[str, str]) -> None:
    """They take the place of the project's, which then have no effect and are not named."""
    name = flags[0].removeprefix("--")
    root = make_tree(tmp_path / "proj", {"a.py": STUCK, **settings(f"{name} = ['{flags[1]}']")})
    done = command("check", ".", "-v", "2.8.0", *flags, at=root)
    assert done.returncode == 0 and "silenced" not in done.stdout + done.stderr


def test_comments_on_lines_are_counted_and_end_with_0(tmp_path: Path) -> None:
    text = STUCK.replace("[0, 1])", "[0, 1])  # gpu2ascend: ignore[NPU101]")
    root = make_tree(tmp_path / "proj", {"a.py": text})
    done = command("check", ".", "-v", "2.8.0", at=root)
    assert done.returncode == 0
    assert "by ignore comments on lines (files: 1, findings: 1): a.py" in done.stdout


@pytest.mark.parametrize("text", ["exclude = ['data', 'missing']", "copy = ['*.txt']"])
def test_what_holds_no_source_is_not_silenced(tmp_path: Path, text: str) -> None:
    root = make_tree(tmp_path / "proj", {"data/a.txt": "x", **settings(text)})
    done = command("check", ".", "-v", "2.8.0", at=root)
    assert done.returncode == 0 and "silenced" not in done.stdout + done.stderr


@pytest.mark.parametrize("output_format", ["text", "json", "sarif", "github"])
def test_every_format_is_beside_the_words(tmp_path: Path, output_format: str) -> None:
    root = make_tree(tmp_path / "proj", {"a.py": _SILENCED})
    done = command("check", ".", "-v", "2.8.0", "--output-format", output_format, at=root)
    assert done.returncode == 1 and "silenced by the project itself" in done.stdout + done.stderr
