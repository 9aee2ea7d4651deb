"""The values of YAML stand where they say, and what cannot be read gives none."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.packages.places import Requirement, Style
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.settings import Setting, Unread


def settings(text: str) -> list[tuple[tuple[str, ...], str]]:
    file = kind_file("config.yaml", text)
    assert file is not None
    found = [place for place in file.places() if isinstance(place, Setting)]
    assert all(file.slice(place.start, place.end) == place.value for place in found)
    return [(place.keys, place.value) for place in found if "cuda" in place.value]


@pytest.mark.parametrize(
    ("text", "keys", "value"),
    [
        ("run:\n  device: cuda  # card\n", ("run", "device"), "cuda"),
        ("run: {device: 'cuda:0', n: 1}\n", ("run", "device"), "cuda:0"),
        ('"device": "cuda"\r\n', ("device",), "cuda"),
        ("a: &x\n  device: cuda\nb:\n  <<: *x\n", ("a", "device"), "cuda"),
        ("device: &d cuda\nother: *d\n", ("device",), "cuda"),
        ("runs:\n  - name: ä\n    device: cuda\n", ("runs", "[]", "device"), "cuda"),
        ("a: 1\n---\ndevice: cuda\n", ("device",), "cuda"),
        ("model: !new:x.Y\n  n: 1\ndevice: cuda\n", ("device",), "cuda"),
        ("other: !ref <x>\ndevice: cuda\n", ("device",), "cuda"),
        ("model: !new:x.Y\n  device: cuda\n", ("model", "device"), "cuda"),
        ("run: !!python/tuple [cuda, x]\n", ("run", "[]"), "cuda"),
        ("ä: !new:cuda.Net\n  n: 1\n", ("ä", "_target_"), "cuda.Net"),
    ],
)
def test_a_value_has_its_keys(text: str, keys: tuple[str, ...], value: str) -> None:
    assert settings(text) == [(keys, value)]


@pytest.mark.parametrize(
    "text",
    [
        "device: !ref <cuda>\n",
        "device: !tag cuda\n",
        "# device: cuda\nx: 1\n",
        "text: |\n  device: cuda\n",
        "cuda: 1\n",
    ],
)
def test_what_is_no_plain_value_is_none(text: str) -> None:
    assert settings(text) == []


@pytest.mark.parametrize("text", ["a:\n  device: cuda\n b: [\n", "{% if x %}\ndevice: cuda\n{% endif %}\n"])
def test_a_broken_file_gives_its_first_value_unread(text: str) -> None:
    file = kind_file("config.yaml", text)
    assert file is not None and file.has_syntax_error
    (place,) = file.places()
    assert isinstance(place, Unread) and file.slice(place.start, place.end) == "cuda"


def test_workflows_of_services_are_left_alone() -> None:
    file = kind_file(".github/workflows/test.yml", "device: cuda\n")
    assert file is not None and list(file.places()) == []


ENVIRONMENT = """name: x
channels:
  - pytorch
dependencies:
  - python=3.8
  - pytorch=1.7.0
  - cudatoolkit=11.0  # libraries
  - pip:
      - -f https://x/whl/cu118
      - "torch>=1.7"
"""


def test_an_environment_of_conda_lists_packages() -> None:
    file = kind_file("environment.yaml", ENVIRONMENT)
    assert file is not None
    found = [place for place in file.places() if isinstance(place, Requirement)]
    assert [(place.name, place.versions, place.style) for place in found] == [
        ("python", "=3.8", Style.CONDA),
        ("torch", "=1.7.0", Style.CONDA),
        ("cudatoolkit", "=11.0", Style.CONDA),
        ("torch", ">=1.7", Style.PIP),
    ]
    toolkit, line = found[2], found[2].line
    assert file.slice(toolkit.start, toolkit.end) == "cudatoolkit=11.0"
    assert line is not None and file.slice(*line) == "- cudatoolkit=11.0  # libraries"


@pytest.mark.parametrize("entry", ["python=3.8", "pip:\n    - numpy"])
def test_an_environment_needs_no_name(entry: str) -> None:
    file = kind_file("environment.yaml", f"dependencies:\n  - {entry}\n  - pytorch=1.7.0\n")
    assert file is not None
    assert "torch" in [place.name for place in file.places() if isinstance(place, Requirement)]


@pytest.mark.parametrize(
    "text",
    [
        "run: {device: cuda, n: 1}\n",
        "list: [cpu,cuda]\n",
        "list: ['a', \"cuda\" ]\n",
        "a:\n  - b\n  -   cuda\n",
        "image_url: pytorch/pytorch:2.1.0-cuda12.1-devel\n",
    ],
)
def test_what_may_matter_is_among_the_places_wherever_it_stands(text: str) -> None:
    assert len(settings(text)) == 1


def test_values_without_the_words_asked_for_are_left_out() -> None:
    file = kind_file("config.yaml", "train:\n  seed: 1\nrun:\n  n: 2\n  device: cuda\ngpus: [0, 1]\n")
    assert file is not None
    near = file.places_about((b"cuda", b"gpus"))
    values = [place.value for place in near if isinstance(place, Setting)]
    every = [place.value for place in file.places() if isinstance(place, Setting)]
    assert values == ["cuda", "0", "1"]
    assert every == ["1", "2", "cuda", "0", "1"]
