"""Values of a matrix are looked at where they stand, as what uses them."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.packages.places import Index, Requirement
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.settings import Setting
from gpu2ascend_rules.kinds.shell.places import Command
from gpu2ascend_rules.kinds.workflow import WorkflowFile
from gpu2ascend_rules.options.options import options_from

GITHUB = """\
jobs:
  a:
    strategy:
      matrix:
        device: [cuda, "cpu"]
        exclude:
          - device: xpu
        include:
          - image: nvidia/cuda:12
            torch: "torch==1.9.1+cu111 -f https://download.pytorch.org/whl/torch_stable.html"
        config:
          - {mode: fast}
    container: ${{ matrix.image }}
    env:
      MODE: ${{ matrix.config.mode }}
    steps:
      - run: |
          pip install ${{ matrix.torch }}
          python train.py --device=${{ matrix.device }} --mode $MODE
  b:
    steps:
      - run: python other.py ${{ matrix.device }}
"""
GITLAB = """\
image: $IMAGE
variables:
  DEVICE: cpu
test:
  parallel:
    matrix:
      - IMAGE: nvidia/cuda:12
        GPU: [cuda]
  script: [python train.py --device $GPU $DEVICE]
"""
CIRCLE = """\
jobs:
  test:
    parameters: {device: {type: string}}
    steps:
      - run: python train.py << parameters.device >>
workflows:
  all:
    jobs:
      - test: {matrix: {parameters: {device: [cuda]}}}
"""
AZURE = """\
strategy:
  matrix:
    gpu: {DEVICE: cuda}
steps:
  - bash: python train.py $(DEVICE)
"""


def workflow(text: str, path: str = ".github/workflows/a.yml") -> WorkflowFile:
    file = kind_file(path, text)
    assert isinstance(file, WorkflowFile) and not file.has_syntax_error
    return file


def commands(file: WorkflowFile) -> list[list[str | None]]:
    return [[word.text for word in place.words] for place in file.places() if isinstance(place, Command)]


def test_options_take_each_value() -> None:
    found = commands(workflow(GITHUB))
    assert ["python", "train.py", "--device", "cuda", "--mode", None] in found
    assert ["python", "train.py", "--device", "cpu", "--mode", None] in found
    assert not any("xpu" in words for words in found)


def test_a_variable_may_lead_to_a_value() -> None:
    assert any(words[-2:] == ["--mode", "fast"] for words in commands(workflow(GITHUB)))


def test_another_job_has_other_values() -> None:
    assert [words for words in commands(workflow(GITHUB)) if "other.py" in words] == [
        ["python", "other.py", None]
    ]


def test_values_keep_their_places() -> None:
    file = workflow(GITHUB)
    spans = {
        file.slice(word.start, word.end)
        for place in file.places() if isinstance(place, Command)
        for word in place.words if word.text in ("cuda", "cpu", "fast")
    }  # fmt: skip
    assert spans == {"cuda", "cpu", "fast"}


def test_what_values_install_stands_in_them() -> None:
    file = workflow(GITHUB)
    found = [place for place in file.places() if isinstance(place, Requirement | Index)]
    texts = {file.slice(place.start, place.end) for place in found}
    assert {"torch==1.9.1+cu111", "https://download.pytorch.org/whl/torch_stable.html"} <= texts
    assert [place.is_plain for place in found if isinstance(place, Requirement) and place.versions] == [False]


@pytest.mark.parametrize(("text", "path"), [(GITHUB, ".github/workflows/a.yml"), (GITLAB, ".gitlab-ci.yml")])
def test_images_are_those_of_the_values(text: str, path: str) -> None:
    file = workflow(text, path)
    images = [place for place in file.places() if isinstance(place, Setting)]
    assert [(place.value, file.slice(place.start, place.end)) for place in images] == [
        ("nvidia/cuda:12",) * 2
    ]


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        (GITLAB, ".gitlab-ci.yml", ["python", "train.py", "--device", "cuda", None]),
        (GITLAB, ".gitlab-ci.yml", ["python", "train.py", "--device", None, "cpu"]),
        (CIRCLE, ".circleci/config.yml", ["python", "train.py", "cuda"]),
        (AZURE, "azure-pipelines.yml", ["python", "train.py", "cuda"]),
    ],
)
def test_other_services(text: str, path: str, expected: list[str | None]) -> None:
    assert expected in commands(workflow(text, path))


def test_nothing_but_values_is_changed() -> None:
    image = "quay.io/ascend/cann:9.0.0"
    options = options_from({"version": "2.8.0", "unsafe_fixes": True, "image": image})
    page = "-f https://download.pytorch.org/whl/torch_stable.html"
    expected = GITHUB.replace("[cuda,", "[npu,").replace("nvidia/cuda:12", image)
    expected = expected.replace(page, "--extra-index-url https://download.pytorch.org/whl/cpu")
    assert apply_fixes(workflow(GITHUB), options).text == expected


def test_a_name_that_leads_to_itself_ends() -> None:
    text = "jobs:\n  a:\n    env: {A: $B, B: $A}\n    steps:\n      - run: python a.py $A\n"
    assert commands(workflow(text)) == [["python", "a.py", None]]
    assert check(workflow(text), options_from({"version": "2.8.0"})) == ()
