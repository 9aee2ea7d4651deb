"""The wheel holds everything that the product needs and nothing else, and works on its own.

It is built and installed as a user would have it: a clean virtual environment, away from this checkout.
"""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpu2ascend import __version__
from gpu2ascend.lsp.documentation.rule_pages import PAGES, page
from tests.sampling import BEYOND_SAMPLE

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "examples" / "shapes_classifier"
SKILL = ROOT / "skills" / "gpu2ascend"
RULE_PAGES = {f"gpu2ascend/lsp/documentation/{name}": language for language, name in PAGES.items()}
"""Made when the wheel is built; no source of it."""
COMMIT = subprocess.run(
    ["git", "-C", str(ROOT), "show", "--no-patch", "--format=%h, %cs", "HEAD"],
    capture_output=True, text=True, check=False,
).stdout.strip() if "dev" in __version__ and (ROOT / ".git").exists() else ""  # fmt: skip
"""Which a build of no release names."""
PACKAGES = {
    "gpu2ascend_rules": ROOT / "rules",
    "gpu2ascend_mindspore": ROOT / "rules",
    "gpu2ascend": ROOT / "server",
    "gpu2ascend_simulator": ROOT / "server",
}

pytestmark = [pytest.mark.slow, pytest.mark.network]


def run(command: Sequence[str | Path], cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that sees nothing of this checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def run_well(command: Sequence[str | Path], cwd: Path) -> str:
    done = run(command, cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("wheel")


@pytest.fixture(scope="module")
def wheel(scratch: Path) -> Path:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    probe = run([*pip, "download", "--no-deps", "--dest", scratch / "probe", "hatchling"], scratch)
    if probe.returncode:
        pytest.skip(f"no package index gives the build backend: {probe.stderr.strip()[-300:]}")
    run_well([*pip, "wheel", "--no-deps", "--wheel-dir", scratch / "dist", ROOT], scratch)
    (built,) = (scratch / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def contents(wheel: Path) -> frozenset[str]:
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


@pytest.fixture(scope="module")
def installed(wheel: Path, scratch: Path) -> Path:
    """The ``bin`` folder of an environment with nothing but the wheel and what it depends on."""
    environment = scratch / "environment"
    venv.create(environment, with_pip=True)
    binaries = environment / "bin"
    run_well([binaries / "python", "-m", "pip", "--disable-pip-version-check", "install", wheel], scratch)
    return binaries


@pytest.fixture(scope="module")
def migrated(installed: Path, scratch: Path) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The migration of the sample project, and the folder that it made."""
    output = scratch / "migrated"
    done = run([installed / "gpu2ascend", "migrate", "-i", SAMPLE, "-o", output, "-v", "2.8.0"], scratch)
    return done, output / "shapes_classifier_msft"


def shipped_skill() -> frozenset[str]:
    """Every file of the skill for coding agents as it should be named in the wheel."""
    files = (path.relative_to(SKILL).as_posix() for path in SKILL.rglob("*.md"))
    return frozenset(f"gpu2ascend/agents/skill/{name}" for name in files)


def shipped_sources() -> frozenset[str]:
    """Every file of the packages as it should be named in the wheel."""
    return shipped_skill() | frozenset(
        path.relative_to(root).as_posix()
        for package, root in PACKAGES.items()
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def test_holds_every_file_of_the_packages_and_nothing_else(contents: frozenset[str]) -> None:
    written = {"gpu2ascend/revision.txt"} if COMMIT else set()
    shipped = {name for name in contents if ".dist-info/" not in name}
    assert shipped == shipped_sources() | RULE_PAGES.keys() | written


@BEYOND_SAMPLE
def test_names_the_commit_of_a_development_build_and_its_day(installed: Path, scratch: Path) -> None:
    said = run_well([installed / "gpu2ascend", "--version"], scratch)
    assert said == f"gpu2ascend {__version__}{f' ({COMMIT})' if COMMIT else ''}\n"


def test_copies_the_skill(installed: Path, scratch: Path) -> None:
    run_well([installed / "gpu2ascend", "mcp", "--skill", scratch / "skills"], scratch)
    copied = {path.name for path in (scratch / "skills" / "gpu2ascend").rglob("*.md")}
    assert copied == {path.name for path in SKILL.rglob("*.md")} and "SKILL.md" in copied


def test_holds_the_pages_of_all_rules(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        pages = {name: archive.read(name).decode("utf-8") for name in RULE_PAGES}
    assert pages == {name: page(language) for name, language in RULE_PAGES.items()}


def test_links_lead_into_the_installed_package(installed: Path, scratch: Path) -> None:
    show = "from gpu2ascend.lsp.documentation.rule_pages import link; print(link('NPU101', 'en'))"
    address = run_well([installed / "python", "-c", show], scratch)
    assert (
        address.startswith(scratch.as_uri())
        and "/site-packages/gpu2ascend/lsp/documentation/rules.md#L" in address
    )


def test_holds_the_licence_and_says_that_it_is_typed(contents: frozenset[str]) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in contents)
    assert {f"{package}/py.typed" for package in PACKAGES} <= contents


def test_runs_from_where_it_is_installed(installed: Path, scratch: Path) -> None:
    show = "import gpu2ascend, gpu2ascend_rules; print(gpu2ascend.__file__, gpu2ascend_rules.__file__)"
    for path in run_well([installed / "python", "-c", show], scratch).split():
        assert Path(path).is_relative_to(scratch)


def test_brings_no_torch(installed: Path, scratch: Path) -> None:
    find = "import importlib.util as u; print(u.find_spec('torch'), u.find_spec('torch_npu'))"
    assert run_well([installed / "python", "-c", find], scratch).split() == ["None", "None"]


def test_reports_the_version_of_the_wheel(installed: Path, wheel: Path, scratch: Path) -> None:
    version = wheel.name.split("-")[1]
    said = run_well([installed / "gpu2ascend", "--version"], scratch)
    assert re.fullmatch(rf"gpu2ascend {re.escape(version)} \([0-9a-f]{{7,}}, \d{{4}}-\d\d-\d\d\)\n", said)


def test_runs_as_a_module_too(installed: Path, scratch: Path) -> None:
    by_command = run_well([installed / "gpu2ascend", "--version"], scratch)
    assert run_well([installed / "python", "-m", "gpu2ascend", "--version"], scratch) == by_command


def test_migrates_the_sample_and_says_that_something_is_left(
    migrated: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    done, _ = migrated
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_the_migrated_sample_is_for_the_npu(migrated: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, project = migrated
    train = (project / "train.py").read_text(encoding="utf-8")
    assert "import torch\nimport torch_npu\n" in train
    assert '"--device", default="npu"' in train
    assert '"--dist-backend", default="hccl"' in train


def test_files_that_nothing_is_to_change_in_arrive_as_they_were(
    migrated: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    _, project = migrated
    for name in ("README.md", "config/default.yaml"):
        assert (project / name).read_bytes() == (SAMPLE / name).read_bytes()


def test_the_grammars_and_tables_for_other_files_come_with_the_wheel(
    migrated: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    _, project = migrated
    assert "torch-npu==2.8.0" in (project / "requirements.txt").read_text(encoding="utf-8")
    assert "--dist-backend hccl" in (project / "scripts" / "train_ddp.sh").read_text(encoding="utf-8")
    assert (project / "report.html").is_file() and (project / "env.sh").is_file()


def test_the_reports_tell_what_was_changed_and_what_is_left(
    migrated: tuple[subprocess.CompletedProcess[str], Path],
) -> None:
    _, project = migrated
    changed = {row["File"] for row in rows(project / "change_list.csv")}
    left = " ".join(str(row) for row in rows(project / "unsupported_api.csv"))
    assert {"train.py", "shapes/engine.py", "shapes/utils/distributed.py"} <= changed
    assert "torch.cuda.nvtx" in left


def test_checks_the_sample(installed: Path, scratch: Path) -> None:
    command = [installed / "gpu2ascend", "check", SAMPLE, "-v", "2.8.0", "--output-format", "json"]
    done = run(command, scratch)
    assert done.returncode == 1, done.stderr
    assert {"code", "message", "filename", "location"} <= json.loads(done.stdout)[0].keys()


def test_finds_a_target_by_its_entry_point(installed: Path, scratch: Path) -> None:
    assert (
        "torch.lobpcg"
        in run([installed / "gpu2ascend", "explain", "torch.lobpcg", "--target", "mindspore"], scratch).stdout
    )
    assert run([installed / "gpu2ascend", "explain", "MS002"], scratch).returncode == 0
