"""The environment is made once, in a private folder; later runs need no network and start nothing."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.verify.environment import private
from gpu2ascend.verify.environment.pip import REACHES
from gpu2ascend.verify.environment.private import NoWheelError, interpreter_in, private_environment
from gpu2ascend.verify.environment.requirements import Wanted
from gpu2ascend.verify.running.programs import Done, Hearing
from gpu2ascend_rules.model.finding import Message

WANTED = Wanted(("torch==2.13.0", "numpy", "tqdm>=4"), ("flash-attn",))


class Programs:
    """Stands for venv and pip: makes an empty interpreter, and remembers what was started."""

    def __init__(
        self, code: int = 0, said: str = "", *, missing: str = "", resolved: str = "[]", reaches: bool = True
    ) -> None:
        self.commands: list[list[str]] = []
        self.variables: Mapping[str, str] = {}
        """Of the last program."""
        self._reaches = reaches
        self._pip = Done(code, said)
        self._missing = missing
        self._resolved = resolved

    def __call__(
        self,
        command: Sequence[str],
        *,
        seconds: float,
        hearing: Hearing,
        variables: Mapping[str, str] = MappingProxyType({}),
    ) -> Done:
        if REACHES in command:
            return Done(0 if self._reaches else 1, "")
        self.variables = variables
        self.commands.append(list(command))
        hearing.heard(Path(command[0]).name)
        if "-c" in command:
            return Done(0, json.dumps([3_000_000, 200_000_000]))
        if "--report" in command:
            Path(command[command.index("--report") + 1]).write_text(f'{{"install": {self._resolved}}}')
        if self._missing and self._missing in command:
            return Done(1, f"ERROR: No matching distribution found for {self._missing}\n")
        if "venv" not in command:
            return self._pip
        python = interpreter_in(Path(command[-1]))
        python.parent.mkdir()
        python.touch()
        return Done(0, "")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's."""
    monkeypatch.setenv("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def make(monkeypatch: pytest.MonkeyPatch, programs: Programs, **given: str) -> tuple[Path, list[Message]]:
    """The interpreter, and what was said."""
    monkeypatch.setattr(private, "run_to_end", programs)
    told: list[Message] = []
    made = private_environment(WANTED, given.get("index"), given.get("torch_index"), told.append)
    return made, told


def test_it_says_what_it_installs_and_what_it_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    _, told = make(monkeypatch, Programs())
    assert [message.id for message in told] == ["verify.installs", "verify.leaves-out"]
    assert dict(told[0].arguments)["packages"] == "torch==2.13.0, numpy, tqdm>=4"


def test_what_venv_and_pip_print_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "run_to_end", Programs())
    heard: list[str] = []
    private_environment(WANTED, None, None, lambda message: None, Hearing(heard.append))
    assert heard == [Path(sys.executable).name, *2 * [interpreter_in(Path()).name]]


def test_pip_gets_the_index_of_cpu_builds_or_those_that_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    usual, other = Programs(), Programs()
    make(monkeypatch, usual)
    monkeypatch.setattr(private, "_existing", lambda folder: None)
    make(monkeypatch, other, index="https://a.example", torch_index="https://b.example")
    assert usual.commands[2][-6:] == ["--extra-index-url", private.TORCH_INDEX, "--", *WANTED.specifiers]
    assert other.commands[2][-8:-4] == [
        "--index-url",
        "https://a.example",
        "--extra-index-url",
        "https://b.example",
    ]
    assert all(command[1] == "-I" for command in (*usual.commands, *other.commands))


def test_an_index_that_does_not_answer_is_not_asked_for_every_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs = Programs(reaches=False)
    _, told = make(monkeypatch, programs, index="https://a.example")
    assert "verify.out-of-reach" in [message.id for message in told]
    assert programs.commands and not any(private.TORCH_INDEX in command for command in programs.commands)
    assert "https://a.example" in programs.commands[-1]


def test_the_index_that_the_user_names_is_asked_in_any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs(reaches=False)
    _, told = make(monkeypatch, programs, torch_index="https://b.example")
    assert "verify.out-of-reach" not in [message.id for message in told]
    assert "https://b.example" in programs.commands[-1]


@pytest.mark.parametrize(("proxy", "code"), [("", 1), ("http://127.0.0.1:1", 0)])
def test_whether_an_index_answers_is_asked_without_a_proxy_only(proxy: str, code: int) -> None:
    kept = {name: value for name, value in os.environ.items() if "proxy" not in name.lower()}
    env = kept | ({"https_proxy": proxy} if proxy else {})
    command = [sys.executable, "-I", "-c", REACHES, "https://127.0.0.1:1/simple"]
    assert subprocess.run(command, env=env, capture_output=True, check=False).returncode == code


def test_an_index_that_answers_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"https://127.0.0.1:{server.getsockname()[1]}/simple"
        command = [sys.executable, "-I", "-c", REACHES, address]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0


def test_a_pin_that_cannot_be_had_is_given_up_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs(missing="tqdm>=4")
    _, told = make(monkeypatch, programs)
    assert programs.commands[-1][-3:] == ["torch==2.13.0", "numpy", "tqdm"]
    (said,) = (dict(message.arguments) for message in told if message.id == "verify.relaxes")
    assert (said["packages"], said["why"]) == ("tqdm>=4", Message.of("verify.pip.missing", said="tqdm>=4"))


def test_a_frozen_list_of_another_time_loses_the_pins_that_belong_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs = Programs(missing="pandas==0.24.1")
    monkeypatch.setattr(private, "run_to_end", programs)
    pins = ("cycler==0.10.0", "pandas==0.24.1", "scipy==1.2.0", "gym==0.21.0")
    wanted = WANTED._replace(specifiers=(*WANTED.specifiers[:2], *pins))
    private_environment(wanted, None, None, lambda message: None)
    assert programs.commands[-1][-4:] == ["cycler<1", "pandas<1", "scipy<2", "gym==0.21.0"]


def test_a_package_that_cannot_be_had_at_all_is_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs(missing="tqdm")
    monkeypatch.setattr(private, "run_to_end", programs)
    told: list[Message] = []
    private_environment(WANTED._replace(specifiers=(*WANTED.specifiers[:2], "tqdm")), None, None, told.append)
    assert programs.commands[-1][-3:] == ["--", "torch==2.13.0", "numpy"]
    (said,) = (dict(message.arguments) for message in told if message.id == "verify.drops")
    assert (said["packages"], said["why"]) == ("tqdm", Message.of("verify.pip.missing", said="tqdm"))


def test_old_releases_of_compiled_packages_are_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs()
    make(monkeypatch, programs)
    for command in (command for command in programs.commands if "install" in command):
        assert {"numpy", "pandas"} <= set(command[command.index("--only-binary") + 1].split(","))
        assert command.index("--only-binary") < command.index("--")


def test_packages_are_built_with_tools_of_their_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PIP_CONSTRAINT", "own.txt")
    programs = Programs()
    make(monkeypatch, programs)
    of_user, ours = programs.variables["PIP_CONSTRAINT"].split()
    assert (of_user, programs.variables["PIP_BUILD_CONSTRAINT"]) == ("own.txt", ours)
    (file,) = tmp_path.rglob("constraints.txt")
    assert (file.as_uri(), file.read_text()) == (ours, "setuptools<81\n")


def test_torch_itself_is_never_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"the index has no torch==2\.13\.0"):
        make(monkeypatch, Programs(missing="torch==2.13.0"))


def report(**versions: str) -> str:
    """What pip reports that it would install."""
    return json.dumps(
        [
            {
                "metadata": {"name": name, "version": version},
                "download_info": {"url": f"https://index.example/{name}.whl"},
            }
            for name, version in versions.items()
        ]
    )


RESOLVED = report(tqdm="4.67", torch="2.13.0+cpu")


def test_what_was_resolved_is_installed_and_its_size_is_said_before(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs(resolved=RESOLVED)
    _, told = make(monkeypatch, programs)
    assert programs.commands[-1][-4:] == ["--no-deps", "--", "tqdm==4.67", "torch==2.13.0+cpu"]
    said = dict(told[-1].arguments)
    assert (said["count"], said["size"], said["large"]) == ("2", "203.0 MB", "torch 2.13.0+cpu 200.0 MB")


def test_the_next_time_nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = make(monkeypatch, Programs())
    programs = Programs()
    second, told = make(monkeypatch, programs)
    assert (second, told, programs.commands) == (first, [], [])


def test_the_folder_is_private(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    made, _ = make(monkeypatch, Programs())
    folders = [path for path in made.parents if path.is_relative_to(cache / "gpu2ascend")]
    assert len(folders) >= 3
    assert sys.platform == "win32" or all(path.stat().st_mode & 0o022 == 0 for path in folders)


def test_when_pip_fails_its_errors_are_shown_and_nothing_is_left(
    monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    said = "Collecting tqdm\nERROR: No matching distribution found for tqdm\n"
    with pytest.raises(InputError, match=r"the index has no tqdm for this Python.*--index-url"):
        make(monkeypatch, Programs(1, said))
    assert list(cache.rglob("env-*")) == []
    programs = Programs()
    make(monkeypatch, programs)
    assert programs.commands


def test_what_is_not_handed_to_pip_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(private, "run_to_end", Programs())
    told: list[Message] = []
    wanted = WANTED._replace(left_out=(), refused=("-i http://x",), unusable=("-t /x", "?"))
    private_environment(wanted, None, None, told.append)
    said = {message.id: dict(message.arguments).get("entries") for message in told}
    assert said == {"verify.installs": None, "verify.refuses": "-i http://x", "verify.unusable": "-t /x, ?"}


def test_the_index_of_the_user_comes_after_those_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs()
    monkeypatch.setattr(private, "run_to_end", programs)
    wanted = WANTED._replace(options=("--index-url=https://project.example",))
    private_environment(wanted, "https://user.example", None, lambda message: None)
    command = programs.commands[1]
    assert command.index("https://user.example") > command.index("--index-url=https://project.example")


def test_an_environment_is_that_of_its_indexes_too(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for options in ((), ("--extra-index-url=https://a.example",)):
        monkeypatch.setattr(private, "run_to_end", Programs())
        made.append(private_environment(WANTED._replace(options=options), None, None, lambda message: None))
    assert len(set(made)) == 2


WITH_WHEEL = WANTED._replace(specifiers=("torch==2.1.0", "numpy<2", "torch-npu==2.1.0.*"))


NO_WHEEL = "ERROR: No matching distribution found for torch-npu==2.1.0.*\n"
CUDA_BUILD_ALONE = (
    "ERROR: Cannot install torch-npu==2.1.0, torch-npu==2.1.0.post12 and torch==2.1.0 because these package "
    "versions have conflicting dependencies.\n"
)
"""Where PyTorch's own index is out of reach: other indexes have the same version for CUDA only."""
NOT_THE_BUILD = (
    "ERROR: Cannot install torch==2.1.0+cpu because these package versions have conflicting dependencies.\n"
)
"""The same where the user constrains torch."""


@pytest.mark.parametrize("said", [NO_WHEEL, CUDA_BUILD_ALONE, NOT_THE_BUILD])
def test_that_there_is_no_torch_npu_is_remembered_for_a_day(
    monkeypatch: pytest.MonkeyPatch, cache: Path, said: str
) -> None:
    monkeypatch.setattr(private, "run_to_end", Programs(1, said))
    with pytest.raises(NoWheelError):
        private_environment(WITH_WHEEL, None, None, lambda message: None)
    later = Programs()
    monkeypatch.setattr(private, "run_to_end", later)
    with pytest.raises(NoWheelError, match="torch-npu"):
        private_environment(WITH_WHEEL, None, None, lambda message: None)
    assert later.commands == []
    (mark,) = cache.rglob("absent")
    os.utime(mark, (0, 0))
    assert private_environment(WITH_WHEEL, None, None, lambda message: None) and later.commands


@pytest.mark.parametrize("said", [CUDA_BUILD_ALONE.replace("torch-npu", "timm"), CUDA_BUILD_ALONE])
def test_a_conflict_is_one_of_torch_npu_only_where_it_is_in_it(
    monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(private, "run_to_end", Programs(1, said))
    with pytest.raises(InputError) as raised:
        private_environment(WITH_WHEEL, None, None, lambda message: None)
    assert isinstance(raised.value, NoWheelError) == (said == CUDA_BUILD_ALONE)


def test_what_an_index_out_of_reach_does_not_have_is_looked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(private, "run_to_end", Programs(1, NO_WHEEL, reaches=False))
    with pytest.raises(NoWheelError):
        private_environment(WITH_WHEEL, None, None, lambda message: None)
    later = Programs()
    monkeypatch.setattr(private, "run_to_end", later)
    assert private_environment(WITH_WHEEL, None, None, lambda message: None) and later.commands


CPU_BUILD = WITH_WHEEL._replace(
    specifiers=("torch==2.1.0+cpu", "numpy<2", "torch-npu==2.1.0.*", "tqdm"), of_torch=3
)


def test_where_no_index_has_the_cpu_build_another_is_taken_without_cuda(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The torch_npu of such releases asks for the CPU build, so it is installed for itself."""
    found = {"torch": "2.1.0", "tqdm": "4.67", "nvidia-cublas-cu12": "12.1", "triton": "2.1.0"}
    programs = Programs(missing="torch==2.1.0+cpu", resolved=report(**found))
    monkeypatch.setattr(private, "run_to_end", programs)
    told: list[Message] = []
    private_environment(CPU_BUILD, None, None, told.append)
    of_wheel, of_others = (command for command in programs.commands[2:4])
    assert of_wheel[-3:] == ["--no-deps", "--", "torch-npu==2.1.0.*"]
    assert of_others[-4:] == ["--", "torch==2.1.0", "numpy<2", "tqdm"]
    assert set(programs.commands[-1][-4:]) == {"torch==2.1.0", "tqdm==4.67"}
    assert [said for said in told if said.id == "verify.any-build"] == [
        Message.of("verify.any-build", torch="torch==2.1.0+cpu")
    ]


def test_beside_a_package_of_a_repository_the_packages_of_cuda_are_left_out_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    of_index = report(torch="2.1.0", **{"nvidia-cublas-cu12": "12.1"})
    of_place = report(models="1.0").replace("{", '{"is_direct": true, ', 1)
    programs = Programs(resolved=f"{of_index[:-1]}, {of_place[1:]}")
    monkeypatch.setattr(private, "run_to_end", programs)
    place = "models @ git+https://host.example/models"
    private_environment(
        CPU_BUILD._replace(specifiers=(*CPU_BUILD.specifiers, place)), None, None, lambda _: None
    )
    assert programs.commands[-1][-4:] == ["--no-deps", "--", "torch==2.1.0", place]


def test_where_there_is_no_torch_npu_either_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    programs = Programs(1, NO_WHEEL, missing="torch==2.1.0+cpu")
    monkeypatch.setattr(private, "run_to_end", programs)
    with pytest.raises(NoWheelError):
        private_environment(CPU_BUILD, None, None, lambda message: None)
    assert all("--dry-run" in command for command in programs.commands if "install" in command)


def test_a_package_that_does_not_fit_the_cpu_build_is_no_reason_for_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    programs = Programs(missing="tqdm")
    monkeypatch.setattr(private, "run_to_end", programs)
    private_environment(CPU_BUILD, None, None, lambda message: None)
    assert not any("torch==2.1.0" in command for command in programs.commands)


def test_what_is_there_in_any_case_is_not_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A migrated project lists torch, torch-npu and the index of CPU builds, which it gets."""
    monkeypatch.setattr(private, "run_to_end", Programs())
    told: list[Message] = []
    own = f"--extra-index-url {private.TORCH_INDEX}"
    wanted = WANTED._replace(left_out=("torch", "apex", "torch-npu"), refused=(own, "-i http://x"))
    private_environment(wanted, None, None, told.append)
    said = [
        dict(message.arguments) for message in told if message.id in ("verify.leaves-out", "verify.refuses")
    ]
    assert said == [{"packages": "apex"}, {"entries": "-i http://x"}]


def test_another_package_that_is_missing_says_nothing_of_torch_npu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        private, "run_to_end", Programs(1, "ERROR: No matching distribution found for tqdm\n")
    )
    with pytest.raises(InputError) as raised:
        private_environment(WITH_WHEEL, None, None, lambda message: None)
    assert not isinstance(raised.value, NoWheelError)
