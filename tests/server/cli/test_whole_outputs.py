"""All that the commands print: of a project as text, of a few findings in every format. Texts are ids."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend import __version__
from tests.golden import agrees, as_json
from tests.server.cli.conftest import Run
from tests.server.few import FEW
from tests.server.project.samples import make_tree
from tests.telling import tell_ids

GOLDENS = Path(__file__).with_name("goldens")
SHAPES = Path(__file__).parents[3] / "examples" / "shapes_classifier"
LOG = """\
step 10 loss 0.31
RuntimeError: NPU out of memory. Tried to allocate 20.00 MiB (NPU 0; 60.97 GiB total capacity)
[ERROR] RUNTIME(1,python):2026-01-01-10:00:00.000.000 EZ9999: Inner Error!
EI0006: Getting socket times out.
ImportError: libhccl.so: cannot open shared object file: No such file or directory
"""
BROKEN = {
    "old.py": "print 'torch.cuda'\ntorch.cuda.synchronize()\n",
    "bytes.py": b"import torch\nx = '\xff'\ntorch.cuda.synchronize()\n",
    "kernel.cu": "__global__ void add(int *x) {}\n",
    "good.py": "import torch\n\ntorch.cuda.synchronize()\n",
}


class Case(NamedTuple):
    """A command line in the folder of the projects, and what comes before it."""

    name: str
    command: str
    before: str = ""

    def __str__(self) -> str:
        return self.name


CASES = (
    Case("check-text", "check shapes -v 2.8.0 --jobs 1"),
    Case("check-json", "check few -v 2.8.0 --jobs 1 --output-format json"),
    Case("check-sarif", "check few -v 2.8.0 --jobs 1 --output-format sarif"),
    Case("check-github", "check few -v 2.8.0 --jobs 1 --output-format github"),
    Case("check-fix", "check shapes -v 2.8.0 --jobs 1 --fix --unsafe"),
    Case("check-diff", "check shapes/train.py shapes/scripts -v 2.8.0 --jobs 1 --diff"),
    Case("check-one", "check shapes/train.py -v 2.1.0 --select NPU1,NPU2 --severity NPU1=hint"),
    Case("check-broken", "check broken -v 2.8.0 --jobs 1"),
    Case("check-missing", "check nowhere -v 2.8.0"),
    Case("check-version", "check shapes -v 9.9.9"),
    Case("check-rule", "check shapes -v 2.8.0 --select NOSUCH"),
    Case("analyze-text", "analyze shapes -v 2.8.0 --jobs 1"),
    Case("analyze-json", "analyze few -v 2.8.0 --jobs 1 --json"),
    Case("analyze-third-party", "analyze shapes -v 2.8.0 --jobs 1 --mode third_party"),
    Case("analyze-affinity", "analyze shapes -v 2.8.0 --jobs 1 --mode affinity_apis"),
    Case("analyze-broken", "analyze broken -v 2.8.0 --jobs 1"),
    Case("explain-renamed-api", "explain torch.cuda.empty_cache"),
    Case("explain-replaced-api", "explain torch.nn.Conv3d -v 2.3.1"),
    Case("explain-api-json", "explain torch.matmul --json"),
    Case("explain-package", "explain flash-attn"),
    Case("explain-package-json", "explain apex --json"),
    Case("explain-device", "explain A2"),
    Case("explain-device-name", "explain 910B3 --json"),
    Case("explain-word", "explain CUDA_VISIBLE_DEVICES"),
    Case("explain-unknown", "explain torch.cuda.emty_cache"),
    Case("explain-nothing", "explain NPU9999"),
    Case("migrate", "migrate -i shapes -o out -v 2.8.0 --jobs 1"),
    Case("migrate-json", "migrate -i few -o out -v 2.8.0 --jobs 1 --json"),
    Case("migrate-diff", "migrate -i shapes -o out -v 2.8.0 --jobs 1 --diff"),
    Case("migrate-again", "migrate -i shapes -o out -v 2.8.0 --jobs 1", "migrate -i shapes -o out -v 2.8.0"),
    Case(
        "migrate-forced",
        "migrate -i shapes -o out -v 2.8.0 --jobs 1 --force",
        "migrate -i shapes -o out -v 2.8.0",
    ),
    Case("migrate-broken", "migrate -i broken -o out -v 2.8.0 --jobs 1"),
    Case(
        "migrate-distributed", "migrate -i shapes -o out -v 2.8.0 --jobs 1 distributed -m train.py -t model"
    ),
    Case("migrate-nowhere", "migrate -i nowhere -o out -v 2.8.0"),
    Case("rank-table", "rank-table --devices 0-1 10.0.0.1"),
    Case("rank-table-wrong", "rank-table --devices 0,x 10.0.0.1"),
    Case("doctor-log", "doctor --log train.log -v 2.8.0"),
    Case("doctor-log-json", "doctor --log train.log -v 2.8.0 --json"),
)


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """The current directory, with projects in it."""
    shutil.copytree(SHAPES, tmp_path / "shapes", ignore=shutil.ignore_patterns("__pycache__"))
    make_tree(tmp_path / "few", FEW)
    make_tree(tmp_path / "broken", BROKEN)
    (tmp_path / "train.log").write_text(LOG)
    return tmp_path


DOCUMENTATION = re.compile(r'("fullDescription": \{\s*"text": ).*')
"""That of a rule, in its module."""
SIZES = re.compile(r"(?<=base\.zip, size=)\d+")
"""What a release of zlib makes of the same content."""
TIMES = re.compile(r"\b\d+(?:\.\d+)? ?(?:s|ms)\b|(?<=seconds=)[\d.]+")
SECONDS = re.compile(r'(?<="seconds": )[\d.]+')
"""What is printed of a run: times as texts, and a number in JSON."""


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_a_command_prints(case: Case, projects: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    tell_ids(monkeypatch)
    if case.before:
        run(*case.before.split())
    done = run(*case.command.split())
    out, err = (without_chance(text.replace(str(projects), "HERE")) for text in (done.out, done.err))
    if re.search("json|sarif", case.command):
        assert done.out == json.dumps(json.loads(done.out), indent=2) + "\n"
        out = as_json(json.loads(out)) + "\n"
    agrees(
        GOLDENS / f"{case.name}.txt",
        f"$ gpu2ascend {case.command}\nexit {done.code}\n-- output\n{out}-- errors\n{err}",
    )


def without_chance(text: str) -> str:
    """What is printed, but for what differs from run to run and from release to release."""
    text = DOCUMENTATION.sub(r'\1"..."', text.replace(f'"{__version__}"', '"VERSION"'))
    text = SIZES.sub("SIZE", text).replace("\r\n", "\n")
    return SECONDS.sub('"TIME"', TIMES.sub("TIME", text))
