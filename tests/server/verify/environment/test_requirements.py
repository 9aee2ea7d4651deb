"""What an environment gets: torch's CPU build, and of the project's list what does not need CUDA."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.verify.environment.requirements import REFERENCE, Wanted, wanted_packages
from gpu2ascend_rules.model.versions import Version

ALWAYS = (f"torch=={REFERENCE}", "numpy")


def specifiers(project: Path, name: str, text: str) -> tuple[str, ...]:
    """What is installed beside what always is, for a project with one list."""
    (project / name).write_text(text, "utf-8")
    wanted = wanted_packages(project)
    assert wanted.specifiers[:2] == ALWAYS
    return wanted.specifiers[2:]


def test_without_a_list_there_is_torch_and_numpy(tmp_path: Path) -> None:
    assert wanted_packages(tmp_path) == Wanted(ALWAYS, ())


def test_what_files_import_and_no_list_has_is_wanted_too(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import torchvision, yaml as y\nfrom PIL import Image\nimport tqdm\n")
    (tmp_path / "requirements.txt").write_text("tqdm==4.60\n")
    wanted = wanted_packages(tmp_path, release=Version(2, 8, 0))
    own = wanted.specifiers[wanted.of_torch :]
    assert own == ("tqdm==4.60", "pillow", "torchvision==0.23.0")  # pyyaml is there for torch_npu
    assert wanted.unlisted == ("pillow", "torchvision", "pyyaml")


@pytest.mark.parametrize(
    ("listed", "found"),
    [
        ("gym\n", ("gym", "numpy<2")),
        ("gym\nnumpy>=2\n", ("gym", "numpy>=2")),
        ("transformers==4.30\n", ("transformers==4.30", "accelerate", "sentencepiece")),
    ],
)
def test_a_package_gets_what_it_does_not_ask_for(tmp_path: Path, listed: str, found: tuple[str, ...]) -> None:
    assert specifiers(tmp_path, "requirements.txt", listed) == found


@pytest.mark.parametrize(
    ("listed", "line", "found"),
    [
        ("", "state, reward, is_over, _ = env.step(action)", ("gym", "numpy<2", "gym<0.26")),
        ("", "state, reward, ends, is_cut, _ = env.step(action)", ("gym", "numpy<2")),
        ("gym\n", "self.state, r, d, _ = self.env.step(a)", ("gym", "numpy<2", "gym<0.26")),
        ("gym==0.26.2\n", "state, reward, is_over, _ = env.step(action)", ("gym==0.26.2", "numpy<2")),
    ],
)
def test_gym_is_older_where_the_code_takes_four_values_of_a_step(
    tmp_path: Path, listed: str, line: str, found: tuple[str, ...]
) -> None:
    (tmp_path / "train.py").write_text(f"import gym\n\ndef run(env, action):\n    {line}\n")
    assert specifiers(tmp_path, "requirements.txt", listed) == found


def test_older_releases_that_a_run_needs_count_more_than_the_list(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("pandas==3.0\n")
    wanted = wanted_packages(tmp_path, older=("pandas<3.0",))
    assert wanted.specifiers[: wanted.of_torch] == (*ALWAYS, "pandas<3.0")


@pytest.mark.parametrize(("machine", "torch"), [("x86_64", "torch==2.8.0+cpu"), ("aarch64", "torch==2.8.0")])
def test_torch_npu_itself_gets_the_cpu_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, machine: str, torch: str
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert wanted_packages(tmp_path, release=Version(2, 8, 0)).specifiers[0] == torch


def test_versions_extras_and_markers_stay(tmp_path: Path) -> None:
    text = 'tqdm>=4.60\nfsspec[http]==2024.2.0 ; python_version >= "3.8"  # files\n'
    found = specifiers(tmp_path, "requirements.txt", text)
    assert found == ("tqdm>=4.60", 'fsspec[http]==2024.2.0; python_version >= "3.8"')


@pytest.mark.parametrize("name", ["torch", "torch-npu", "torch_npu", "triton", "apex"])
def test_what_belongs_to_another_torch_is_left_out_and_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "requirements.txt").write_text(f"{name}\ntqdm\n")
    wanted = wanted_packages(tmp_path)
    assert wanted.specifiers[2:] == ("tqdm",)
    assert wanted.left_out == (name.replace("_", "-"),)


@pytest.mark.parametrize("name", ["flash-attn", "nvidia-cublas-cu12", "cupy-cuda12x"])
def test_what_needs_cuda_is_left_out(tmp_path: Path, name: str) -> None:
    assert specifiers(tmp_path, "requirements.txt", f"{name}==1.0\n") == ()


def test_a_companion_is_that_of_the_reference(tmp_path: Path) -> None:
    found = specifiers(tmp_path, "requirements.txt", "torchvision==0.15.2\n")
    assert len(found) == 1 and found[0].startswith("torchvision==") and found != ("torchvision==0.15.2",)


def test_only_what_the_project_itself_needs_of_pyproject_toml(tmp_path: Path) -> None:
    text = (
        '[project]\nname = "x"\ndependencies = ["tqdm>=4", "torch==2.1.0"]\n'
        '[project.optional-dependencies]\ndev = ["pytest"]\n'
    )
    assert specifiers(tmp_path, "pyproject.toml", text) == ("tqdm>=4",)


def test_entries_of_poetry_have_no_carets(tmp_path: Path) -> None:
    text = '[tool.poetry.dependencies]\npython = "^3.10"\ntqdm = "^4.60"\n'
    assert specifiers(tmp_path, "pyproject.toml", text) == ("tqdm",)


def test_the_first_list_counts(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\ndependencies = ["pyyaml"]\n')
    assert specifiers(tmp_path, "requirements.txt", "tqdm\n") == ("tqdm",)


def test_nothing_is_installed_from_an_address(tmp_path: Path) -> None:
    assert specifiers(tmp_path, "requirements.txt", "x @ https://example.com/x.tar.gz\ntqdm\n") == ("tqdm",)


def test_a_link_out_of_the_project_is_not_read(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret.txt").write_text("tqdm\n")
    (project / "requirements.txt").symlink_to(tmp_path / "secret.txt")
    assert "tqdm" not in wanted_packages(project).specifiers
