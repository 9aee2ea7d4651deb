"""The range of torch is judged over all lists that are installed together."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gpu2ascend_rules.model.finding import Applicability
from tests.rules.catalog.dependencies.project import after, findings

MONAI = {
    "requirements.txt": "torch>=2.4.1, <2.7.0\nnumpy\n",
    "requirements-dev.txt": "-r requirements-min.txt\ntorchvision\n",
    "requirements-min.txt": "torch>=2.4.1\n",
    "setup.py": "from setuptools import setup\nsetup(install_requires=['torch>=2.4.1'])\n",
    "pyproject.toml": '[project]\ndependencies = ["torch>=2"]\n',
    "environment-dev.yml": "name: m\ndependencies:\n  - pip\n  - pip:\n    - torch>=2\n    - x\n",
}


@pytest.mark.parametrize("path", [path for path in MONAI if path != "requirements.txt"])
def test_what_one_list_excludes_is_unsafe_in_each(path: str) -> None:
    code = "NPU1106" if path == "setup.py" else "NPU1101"
    (finding,) = findings(MONAI, path, code)
    assert finding.applicability is Applicability.UNSAFE
    assert after(MONAI, path, code) == MONAI[path]


@pytest.mark.parametrize("path", ["requirements-dev.txt", "requirements-min.txt"])
def test_the_message_names_the_list_that_excludes_it(path: str) -> None:
    (finding,) = findings(MONAI, path, "NPU1101")
    assert finding.message.id == "NPU1101.apart"
    assert dict(finding.message.arguments)["path"] == "requirements.txt"


@pytest.mark.parametrize(
    ("files", "path"),
    [
        pytest.param({"a.requirements.txt": "torch\n-c pins.txt\n", "pins.txt": "torch<2.7\n"},
                     "a.requirements.txt", id="a constraint that is included"),
        pytest.param({"requirements/dev.txt": "torch\n-r base.txt\n", "requirements/base.txt": "torch<2\n"},
                     "requirements/dev.txt", id="beside, in a folder for lists"),
        pytest.param({"requirements/dev.txt": "torch\n", "setup.py": "setup(x=['torch==1.7.1'])"},
                     "requirements/dev.txt", id="the setup script above"),
        pytest.param({"requirements.txt": "torch\n", "requirements/dev.txt": "torch<2\n"},
                     "requirements.txt", id="in a folder for lists"),
        pytest.param({"examples/a/requirements.txt": "torchvision\n", "setup.cfg":
                      "[options]\ninstall_requires =\n    torch<2\n"},
                     "examples/a/requirements.txt", id="above an example"),
        pytest.param({"requirements.txt": "torch\n", "pyproject.toml":
                      '[tool.poetry.dependencies]\ntorch = "^1.7"\n'}, "requirements.txt", id="poetry"),
        pytest.param({"requirements.txt": "torch\n", "environment.yml":
                      "name: m\ndependencies:\n  - pytorch=1.7.0\n"}, "requirements.txt", id="conda"),
        pytest.param({"requirements.txt": "torch\ntorchvision<0.10\n"}, "requirements.txt",
                     id="a companion of another torch"),
        pytest.param({"requirements.txt": "torch\n--requirement=more/x.in\n", "more/x.in": "-r y.in\n",
                      "more/y.in": "torch==1.7.1\n"}, "requirements.txt", id="included by what is included"),
    ],
)  # fmt: skip
def test_is_excluded_elsewhere(files: Mapping[str, str], path: str) -> None:
    assert after(files, path, "NPU1101") == files[path]
    assert findings(files, path, "NPU1101") != []


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"requirements-dev.txt": "torch>=2.1\n"}, id="a range that allows it"),
        pytest.param({"examples/b/requirements.txt": "torch==1.4\n"}, id="an example of its own"),
        pytest.param({"docs/requirements.txt": "torch==1.4\n"}, id="what builds the documents"),
        pytest.param({"requirements-mac.txt": "torch<2; os_name == 'nt'\n"}, id="for other machines"),
        pytest.param({"notes.txt": "torch<2\n"}, id="no list"),
        pytest.param({"setup.py": "raise SystemExit('torch<2 is too old')\n"}, id="a text about torch"),
        pytest.param({"requirements-dev.txt": "-r ../../x.txt\n-r https://a.org/r.txt\n-r\n-c"}, id="odd"),
        pytest.param({"requirements-dev.txt": "-r requirements.txt\n"}, id="a circle"),
    ],
)
def test_allows_it(other: Mapping[str, str]) -> None:
    files = {"requirements.txt": "torch>=2\n", **other}
    assert after(files, "requirements.txt", "NPU1101") == "torch==2.8.0\ntorch-npu==2.8.0.post5\n"


@pytest.mark.parametrize("path", ["/srv/project/requirements.txt", "//requirements.txt"])
def test_a_path_from_the_root_ends_there(path: str) -> None:
    """An editor may name a file so that belongs to no project; going up from it has an end."""
    (finding,) = findings({path: "torch==1.8.0+cu111\n"}, path, "NPU1101")
    assert finding.start == 0


@pytest.mark.parametrize(
    ("others", "added"),
    [
        ({}, "torch-npu==2.8.0.post5\n"),
        ({"setup.py": "setup(install_requires=['torch'])\n"}, ""),
        ({"requirements-base.txt": "torch>=2\n"}, ""),
        ({"README.md": "needs torch\n"}, "torch-npu==2.8.0.post5\n"),
    ],
)
def test_a_package_that_needs_torch_brings_it_where_no_list_names_it(
    others: Mapping[str, str], added: str
) -> None:
    files = {"requirements.txt": "torchaudio\ntorchvision\n", **others}
    expected = f"torchaudio==2.8.0\n{added}torchvision==0.23.0\n"
    assert after(files, "requirements.txt", "NPU1101") == expected
