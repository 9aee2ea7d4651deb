"""What commands install, and where each part of it stands."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.places.scan import may_concern_kind
from gpu2ascend_rules.kinds.packages.places import Index, Requirement
from gpu2ascend_rules.kinds.registry import kind_called, kind_file


def requirements(text: str, path: str = "install.sh") -> list[Requirement]:
    file = kind_file(path, text)
    assert file is not None
    return [place for place in file.places() if isinstance(place, Requirement)]


def indexes(text: str) -> list[Index]:
    file = kind_file("install.sh", text)
    assert file is not None
    return [place for place in file.places() if isinstance(place, Index)]


@pytest.mark.parametrize(
    "command",
    [
        "pip install torch==2.8.0",
        "sudo -H pip3.10 --quiet install -U torch==2.8.0",
        "$(which python) -m pip install x; /opt/bin/python3 -m pip install --no-deps torch==2.8.0",
        "uv pip install --torch-backend cpu torch==2.8.0",
        "conda run --live-stream -n env python -m pip install torch==2.8.0",
        "poetry run pip install torch==2.8.0",
        "cd /é && pip install -r r.txt \\\n  'torch==2.8.0'",
        "bash -c 'pip install torch==2.8.0'",
        '"$VENV/bin/pip" install torch==2.8.0',
        '"$PYTHON" -m pip install torch==2.8.0',
    ],
)
def test_a_release_of_a_package(command: str) -> None:
    (place,) = (place for place in requirements(command) if place.name == "torch")
    data = command.encode()
    assert data[place.start : place.end] == b"torch==2.8.0" and place.is_plain
    assert data[slice(*place.versions_at)] == b"==2.8.0"
    assert data[place.start : place.name_end] == b"torch"
    assert place.insertion is not None and data[place.insertion.at - 1 : place.insertion.at] in (b"0", b"'")


@pytest.mark.parametrize(
    "command",
    [
        "pip uninstall torch",
        "pip download torch",
        "echo pip install torch",
        "echo -m pip install torch",
        "conda run -n pip install torch",
        "conda run",
        "# pip install torch",
        "apt install torch",
        "pip install --target torch -c torch ./torch torch.whl",
        "pip --version",
        "pip",
    ],
)
def test_what_installs_no_package_of_that_name(command: str) -> None:
    assert [place for place in requirements(command) if place.name == "torch"] == []


def test_a_repository_is_called_like_the_package() -> None:
    (place,) = requirements("pip install git+https://github.com/pytorch/torch")
    assert (place.name, place.is_url) == ("torch", True)


def test_a_release_that_a_variable_holds_is_not_known() -> None:
    (place,) = requirements('pip install "torch==${V}"')
    assert (place.name, place.versions, place.is_plain) == ("torch", "==${V}", False)


def test_what_conda_installs_may_have_its_release_from_a_variable() -> None:
    places = requirements("conda install -y pytorch cudatoolkit=${CUDA} -c pytorch")
    assert [place.name for place in places] == ["torch", "cudatoolkit"]


def test_what_conda_installs_has_its_names() -> None:
    places = requirements("conda install -y -c nvidia pytorch::pytorch=2.1 pytorch-cuda=11.8")
    assert [(place.name, place.versions) for place in places] == [
        ("torch", "=2.1"),
        ("pytorch-cuda", "=11.8"),
    ]


@pytest.mark.parametrize(
    "command",
    [
        "apt-get install -y git cuda-toolkit-12-6",
        "apk add git cuda-toolkit-12-6",
        "sudo yum install git cuda-toolkit-12-6",
    ],
)
def test_of_what_the_system_installs_that_of_cuda_is_named(command: str) -> None:
    assert [place.name for place in requirements(command)] == ["cuda-toolkit-12-6"]


@pytest.mark.parametrize(
    "command", ["apt-get update cuda", "apk install cuda", "add cuda", "apt-get add cuda"]
)
def test_other_commands_of_the_system_install_nothing(command: str) -> None:
    assert requirements(command) == []


def test_what_else_a_command_installs_is_known() -> None:
    first, second = requirements("pip install torch -r r.txt numpy")
    assert first.command is not None and first.command.installs == ("torch", "-r", "numpy")
    assert second.command is not None and second.command.installs == ("torch", "-r", "numpy")


@pytest.mark.parametrize(
    ("command", "flag"),
    [
        ("pip install a --index-url https://x/cu118", "--index-url"),
        ("pip install -f 'https://x/cu118' a", "-f"),
        ("pip install --extra-index-url=https://x/cu118 a", "--extra-index-url"),
    ],
)
def test_where_packages_are_taken_from(command: str, flag: str) -> None:
    (place,) = indexes(command)
    assert (place.url, place.flag) == ("https://x/cu118", flag)
    assert command[place.start : place.end].strip("'") == place.url
    assert command[place.flag_start :].startswith(flag)


def test_a_list_of_words_has_its_own_quotes() -> None:
    text = 'RUN ["pip", "install", "torch>=2"]\n'
    (place,) = requirements(text, "Dockerfile")
    assert text[place.start : place.end] == "torch>=2"
    assert not place.is_plain and place.insertion is None and place.command is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b"pip install xformers\n", True), (b"python xformers.py\n", False), (b"apt install make\n", False)],
)
def test_words_of_packages_count_only_beside_a_command_that_installs(text: bytes, expected: bool) -> None:
    assert may_concern_kind(kind_called("shell"), text) is expected
