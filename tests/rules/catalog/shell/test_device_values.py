"""``cuda`` among the arguments of programs: a device, or the name of something else."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from tests.rules.catalog.saying import said


class Project(Standalone):
    """A project of one program."""

    def __init__(self, text: str) -> None:
        self._text = text

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return ("run.py", self._text) if module == "run" else None


def is_reported(line: str, program: str = "") -> bool:
    """Whether a device is reported in a line of a script, beside ``run.py`` with a text."""
    options = options_from({"version": "2.8.0", "select": ["NPU1012"]})
    return bool(check(text_file(f"{line}\n", "train.sh"), options, Project(program)))


@pytest.mark.parametrize(
    "line",
    [
        "python setup.py build cuda",
        "python3 -m pip install cuda",
        "python -m unittest cuda",
        "python -m pytest cuda",
        "python -m build cuda",
    ],
)
def test_tools_are_given_names_of_packages_and_tests(line: str) -> None:
    assert not is_reported(line)
    assert is_reported("python train.py cuda")


def test_a_program_without_torch_is_given_another_name() -> None:
    assert not is_reported("python run.py cuda", "import sys, urllib\nprint(sys.argv[1])\n")
    assert is_reported("python run.py cuda", "import sys, torch\ntorch.zeros(2).to(sys.argv[1])\n")


def test_a_program_that_hands_a_device_on_is_given_one() -> None:
    assert is_reported("python run.py cuda", "from project import main\nmain(device=argv[1])\n")


def test_the_number_of_a_card_shows_a_device_whatever_the_program_is() -> None:
    assert is_reported("python run.py cuda:0", "import sys\nprint(sys.argv[1])\n")


@pytest.mark.parametrize(
    "code",
    [
        "for d in cuda:0; do CARD=$d ./run.sh; done",
        "for device in cuda; do export DEVICE=$device; done",
        "for d in cuda; do python a.py $d; done",
        "one() { python a.py $1; }\none cuda:0",
        "./other.sh cuda:0",
        "python a.py model.device=cuda",
    ],
)
def test_a_device_that_the_script_hands_on(code: str) -> None:
    assert is_reported(code)


@pytest.mark.parametrize(
    "code",
    [
        "for d in cuda:0; do echo $d; done",
        "for d in cuda; do make $d; done",
        "for d in cuda:0; do python a.py --device $d; done",  # NPU1009 says it
        "./other.sh --name cuda:0",
        "other cuda:0",
        "python a.py model.name=cuda",
    ],
)
def test_words_that_are_no_device_or_that_another_rule_reports(code: str) -> None:
    assert not is_reported(code)
    assert is_reported("for d in cuda:0; do CARD=$d ./run.sh; done")


LOOP = "DEVICES=({items})\nfor d in ${{DEVICES[@]}}; do python train.py --device $d; done\n"


@pytest.mark.parametrize(
    ("items", "devices"),
    [
        ("cuda:0\n# cuda:9\ncuda:1", ["cuda:0", "cuda:1"]),
        ("cuda:0 # cuda:9\n", ["cuda:0"]),
        ("cuda:0 cuda:1", ["cuda:0", "cuda:1"]),
        ("# cuda:9\n", []),
    ],
)
def test_a_comment_in_a_list_holds_no_device(items: str, devices: list[str]) -> None:
    found = said("NPU1009", LOOP.format(items=items), "run.sh")
    assert [text.partition(": ")[2] for text in found] == devices


def test_a_comment_among_options_in_a_list_gives_no_device() -> None:
    text = "ARGS=(--device cuda:0\n# --device cuda:9\n--lr 1)\npython train.py ${ARGS[@]}\n"
    assert [one.partition(": ")[2] for one in said("NPU1009", text, "run.sh")] == ["cuda:0"]
