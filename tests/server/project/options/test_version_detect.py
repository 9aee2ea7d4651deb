"""Which version a project asks for."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.errors import VersionNotFoundError
from gpu2ascend.project.manifest.marker import Marker, write_marker
from gpu2ascend.project.options.version_detect import detect_version, version_notice, version_to_read
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import NEWEST, UnknownVersionError
from tests.server.project.samples import make_tree


@pytest.mark.parametrize(
    ("name", "text", "version"),
    [
        ("requirements.txt", "numpy\ntorch==2.1.0\n", "2.1.0"),
        ("requirements.txt", "torch==2.1.2+cu121  # the cluster's\n", "2.1.0"),
        ("requirements.txt", "torch == 2.8.*\n", "2.8.0"),
        ("requirements.txt", "torch~=2.3.0\n", "2.3.1"),
        ("requirements.txt", "torch>=2.1,<2.2\n", "2.1.0"),
        ("requirements.txt", "torch[opt-einsum]==2.6.0 ; python_version > '3.8'\n", "2.6.0"),
        (
            "requirements.txt",
            "torch @ https://a.b/whl/cu118/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl\n",
            "2.1.0",
        ),
        ("requirements.txt", "https://a.b/torch-2.5.1-cp311-none-macosx_11_0_arm64.whl\n", "2.5.1"),
        ("requirements-gpu.txt", "torch==2.5.1\n", "2.5.1"),
        ("requirements/base.txt", "torch==2.5.1\n", "2.5.1"),
        ("environment.yml", "dependencies:\n  - pytorch=2.0.1=py3.10_cuda11.8\n", "2.0.1"),
        ("environment.yaml", "dependencies:\n  - pytorch::pytorch==2.4\n  - pytorch-cuda=12.1\n", "2.4.0"),
        ("conda.yml", "dependencies:\n  - pip:\n    - torch==2.7.1\n", "2.7.1"),
        ("setup.cfg", "[options]\ninstall_requires =\n    torch==1.11.0\n", "1.11.0"),
        ("setup.py", "from setuptools import setup\nsetup(install_requires=['torch==1.8.1'])\n", "1.8.1"),
        ("pyproject.toml", "[project]\nname='x'\ndependencies=['torch==2.9.0']\n", "2.9.0"),
        ("pyproject.toml", "[project.optional-dependencies]\ngpu=['torch (==2.9.0)']\n", "2.9.0"),
        ("pyproject.toml", "[dependency-groups]\ndev=['torch==2.10.0']\n", "2.10.0"),
        ("pyproject.toml", "[tool.poetry.dependencies]\ntorch='2.2.0'\n", "2.2.0"),
        ("pyproject.toml", "[tool.poetry.dependencies]\ntorch={version='~2.2', source='x'}\n", "2.2.0"),
    ],
)
def test_a_version_that_a_requirement_names(tmp_path: Path, name: str, text: str, version: str) -> None:
    detected = detect_version(make_tree(tmp_path, {name: text}), Hardware.A2)
    assert str(detected.version) == version
    notice = render(detected.notice)
    assert version in notice and name in notice


@pytest.mark.parametrize(
    "text",
    [
        "numpy==1.26\n",
        "torchvision==0.16.0\n",
        "pytorch-lightning==2.1.0\n",
        "# torch==2.1.0\n",
        "https://a.b/torch_scatter-2.1.0-cp310-cp310-linux_x86_64.whl\n",
        "torch\n",
    ],
)
def test_a_project_that_does_not_speak_of_torch_versions(tmp_path: Path, text: str) -> None:
    with pytest.raises(VersionNotFoundError) as caught:
        detect_version(make_tree(tmp_path, {"requirements.txt": text}), Hardware.A2)
    assert caught.value.message.id == "project.version-missing"
    assert "1.5.0" in str(caught.value) and str(NEWEST) in str(caught.value)


@pytest.mark.parametrize("condition", ["==1.13.1", "==1.13.1+cu117", "~=1.13.0"])
def test_a_release_without_tables_is_refused_with_its_neighbours(tmp_path: Path, condition: str) -> None:
    with pytest.raises(VersionNotFoundError) as caught:
        detect_version(make_tree(tmp_path, {"requirements.txt": f"torch{condition}\n"}), Hardware.A2)
    text = str(caught.value)
    assert caught.value.message.id == "project.version-between"
    assert f"torch{condition} (requirements.txt)" in text
    assert "--version 2.0.1, the next" in text and "--version 1.11.0, the previous" in text


@pytest.mark.parametrize(
    ("condition", "newest"),
    [
        (">=2.1", str(NEWEST)),
        ("<3", str(NEWEST)),
        ("<1.8", "1.5.0"),
        (">1.7,!=2.0.0", str(NEWEST)),
        ("~=2.1", str(NEWEST)),
        (">=2.0,<2.4", "2.3.1"),
        ("==2", str(NEWEST)),  # as people write it who want any of them
    ],
)
def test_a_range_chooses_the_newest_that_it_allows_and_says_why(
    tmp_path: Path, condition: str, newest: str
) -> None:
    found = detect_version(make_tree(tmp_path, {"requirements.txt": f"torch{condition}\n"}), Hardware.A2)
    assert (str(found.version), found.is_exact) == (newest, False)
    notice = render(found.notice)
    assert newest in notice and f"torch{condition} (requirements.txt)" in notice and "--version" in notice


def test_the_marker_of_a_migrated_project_wins(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"requirements.txt": "torch==2.8.0\n"})
    write_marker(root, Marker("0.5", (), torch="2.6.0"))
    found = detect_version(root, Hardware.A2)
    assert (str(found.version), found.notice.id) == ("2.6.0", "project.version-of-marker")
    assert version_to_read(root, Hardware.A2) == found


@pytest.mark.parametrize("condition", ["==99.0.0", ">=99.0", "==99.1", f">{NEWEST.major}.{NEWEST.minor}"])
def test_of_a_release_that_torch_npu_has_no_build_for_yet_the_newest_is_named(
    tmp_path: Path, condition: str
) -> None:
    with pytest.raises(VersionNotFoundError) as caught:
        detect_version(make_tree(tmp_path, {"requirements.txt": f"torch{condition}\n"}), Hardware.A2)
    assert caught.value.message.id == "project.version-ahead"
    assert f"torch{condition} (requirements.txt)" in str(caught.value)
    assert f"--version {NEWEST}" in str(caught.value)


def test_a_bound_beside_a_pin_does_not_matter(tmp_path: Path) -> None:
    files = {"requirements.txt": "torch==2.1.0\n", "setup.py": "setup(install_requires=['torch>=1.7'])\n"}
    assert str(detect_version(make_tree(tmp_path, files), Hardware.A2).version) == "2.1.0"


def test_two_versions_are_a_conflict_that_names_both(tmp_path: Path) -> None:
    files = {"requirements.txt": "torch==2.1.0\n", "environment.yml": "- pytorch=2.0.1\n"}
    with pytest.raises(VersionNotFoundError) as caught:
        detect_version(make_tree(tmp_path, files), Hardware.A2)
    assert "torch==2.1.0 (requirements.txt)" in str(caught.value)
    assert "torch=2.0.1 (environment.yml)" in str(caught.value)


def test_broken_requirement_files_are_passed_over(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "not toml",
        "setup.py": "setup(",
        "requirements.txt": b"\xff\xfe\ntorch==2.1.0\n",
        "environment.yml": "",
    }
    assert str(detect_version(make_tree(tmp_path, files), Hardware.A2).version) == "2.1.0"


def test_nothing_of_the_project_is_run(tmp_path: Path) -> None:
    files = {"setup.py": "open('ran', 'w')\nsetup(install_requires=['torch==2.1.0'])\n"}
    detect_version(make_tree(tmp_path, files), Hardware.A2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["setup.py"]


def test_a_spelling_that_is_not_exact_deserves_a_notice() -> None:
    assert version_notice("2.8.0") is None
    notice = version_notice("2.8.1+cu121")
    assert notice is not None and "2.8.0" in render(notice) and "2.8.1+cu121" in render(notice)
    with pytest.raises(UnknownVersionError):
        version_notice("1.13.0")


@pytest.mark.parametrize(
    ("requirements", "hardware", "version"),
    [
        ("torch==2.1.0\n", Hardware.A2, "2.1.0"),
        ("torch>=1.7,<2.4\n", Hardware.A2, "2.3.1"),
        ("torch<2.4\n", Hardware.A2, "2.3.1"),
        ("torch>=1.7\n", Hardware.A910, "2.1.0"),
        ("numpy\n", Hardware.A910, "2.1.0"),
        ("torch==1.13.1\n", Hardware.A910, "2.1.0"),
        ("torch==2.1.0\ntorch==2.6.0\n", Hardware.A2, "2.6.0"),
    ],
)
def test_reading_never_fails_for_want_of_a_version(
    tmp_path: Path, requirements: str, hardware: Hardware, version: str
) -> None:
    root = make_tree(tmp_path, {"requirements.txt": requirements})
    assert str(version_to_read(root, hardware).version) == version


def test_a_proposed_version_is_said_with_what_asks_for_it(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"requirements.txt": "torch>=1.7,<99\n", "setup.cfg": "torch<2.4\n"})
    notice = render(version_to_read(root, Hardware.A2).notice)
    assert "2.3.1" in notice and "torch>=1.7,<99 (requirements.txt)" in notice and "--version" in notice


@pytest.mark.parametrize(
    ("requirements", "said"),
    [
        ("torch==2.1.0\ntorch==2.6.0\n", "name several"),
        ("torch==1.13.1\n", "no supported version satisfies torch==1.13.1 (requirements.txt)"),
        ("numpy\n", "none found in the requirements"),
    ],
)
def test_where_no_version_satisfies_all_it_says_why_it_is_that_one(
    tmp_path: Path, requirements: str, said: str
) -> None:
    root = make_tree(tmp_path, {"requirements.txt": requirements})
    notice = render(version_to_read(root, Hardware.A2).notice)
    assert said in notice and "--version" in notice


def test_of_several_conditions_all_count(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"requirements.txt": "torch>=1.7\n", "requirements-dev.txt": "torch<2.2\n"})
    assert str(version_to_read(root, Hardware.A2).version) == "2.1.0"
