"""NPU1107: which machines get builds for CUDA from the package index, and which lists can name another."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.rules.catalog.dependencies.project import after, findings

FLAG = "--extra-index-url https://download.pytorch.org/whl/cpu"


def ids(files: Mapping[str, str], path: str = "requirements.txt", version: str = "2.8.0") -> list[str]:
    return [finding.message.id for finding in findings(files, path, "NPU1107", version)]


@pytest.mark.parametrize(
    ("version", "marker", "expected"),
    [
        ("2.8.0", "", ["NPU1107.x86_added"]),
        ("2.10.0", "; platform_machine == 'aarch64'", []),
        ("2.11.0", "; platform_machine == 'aarch64'", ["NPU1107.either_added"]),
        ("2.8.0", "; platform_machine == 'x86_64'", ["NPU1107.x86_added"]),
        ("2.12.0", "", ["NPU1107.either_added"]),
        ("1.11.0", "", []),
    ],
)
def test_the_wheels_for_arm_need_cuda_from_2_11_on(version: str, marker: str, expected: list[str]) -> None:
    assert ids({"requirements.txt": f"torch{marker}\n"}, version=version) == expected


def test_one_index_is_enough() -> None:
    text = "torch>=2; python_version < '3.12'\ntorch>=2.1; python_version >= '3.12'\n"
    assert after({"requirements.txt": text}, "requirements.txt", "NPU1107") == f"{FLAG}\n{text}"


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        pytest.param(
            "Dockerfile",
            "FROM python:3.11\nRUN pip install torch\nRUN pip install -U torch torchvision\n",
            f"FROM python:3.11\nRUN pip install {FLAG} torch\nRUN pip install -U {FLAG} torch torchvision\n",
            id="container",
        ),
        pytest.param(
            "install.sh",
            f"pip install {FLAG} torch\npip install torch numpy && pip install torch torch\n",
            f"pip install {FLAG} torch\npip install {FLAG} torch numpy && pip install {FLAG} torch torch\n",
            id="script",
        ),
        pytest.param(
            "install.sh",
            "bash -c 'pip install torch; pip install torch numpy'\n",
            f"bash -c 'pip install {FLAG} torch; pip install {FLAG} torch numpy'\n",
            id="text of a shell",
        ),
        pytest.param(
            "Makefile",
            "a:\n\tpip install torch\nb:\n\tpip install torch numpy\n",
            f"a:\n\tpip install {FLAG} torch\nb:\n\tpip install {FLAG} torch numpy\n",
            id="makefile",
        ),
    ],
)
def test_each_command_needs_an_index_of_its_own(path: str, text: str, expected: str) -> None:
    assert after({path: text}, path, "NPU1107") == expected


def test_a_variable_sets_the_index_of_all_commands() -> None:
    commands = "pip install torch\npip install -U torch\n"
    files = {"install.sh": f"export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu\n{commands}"}
    assert ids(files, "install.sh") == []
    assert ids({"install.sh": commands}, "install.sh") == ["NPU1107.x86_added"] * 2


def test_a_command_takes_the_index_of_a_list_that_it_reads() -> None:
    files = {"requirements.txt": f"{FLAG}\nnumpy\n", "install.sh": "pip install -r requirements.txt torch\n"}
    assert ids(files, "install.sh") == []
    assert ids({**files, "install.sh": "pip install torch\n"}, "install.sh") == ["NPU1107.x86_added"]


def test_margins_and_line_ends_stay() -> None:
    files = {"requirements.txt": "numpy\r\n  torch\r\n"}
    assert after(files, "requirements.txt", "NPU1107") == f"numpy\r\n  {FLAG}\r\n  torch\r\n"


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"base.requirements.txt": FLAG + "\n"}, id="beside"),
        pytest.param(
            {"requirements-gpu.txt": "--index-url https://download.pytorch.org/whl/cu118\n"}, id="of CUDA"
        ),
    ],
)
def test_an_index_of_another_list_is_enough(other: Mapping[str, str]) -> None:
    assert ids({"requirements.txt": "torch\n", **other}) == []


@pytest.mark.parametrize(
    "other",
    [
        {"setup.py": "setup(install_requires=open('requirements.txt').read().splitlines())\n"},
        {"setup.py": "setup(install_requires=parse_requirements(f'requirements{x}'))\n"},
        {"pyproject.toml": '[tool.setuptools.dynamic]\ndependencies = {file = ["requirements.txt"]}\n'},
        {"setup.cfg": "[options]\ninstall_requires = file: requirements.txt\n"},
    ],
)
def test_what_a_setup_script_reads_gets_no_option_of_pip(other: Mapping[str, str]) -> None:
    files = {"requirements.txt": "torch>=2\n", **other}
    assert after(files, "requirements.txt", "NPU1107") == files["requirements.txt"]
    assert ids(files) == ["NPU1107.x86_by_hand"]


def test_a_range_that_excludes_the_version_is_decided_on_first() -> None:
    assert ids({"requirements.txt": "torch<2\n"}) == []
    assert ids({"requirements.txt": "torch\n", "constraints.txt": "torch<2\n"}) == []
