"""The manager of paths in a migrated project, with a stand-in for moxing over a directory and without it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.project.adapters.modelarts import modelarts_files
from gpu2ascend_rules.targets.registry import DEFAULT

MOXING = """
import os, shutil, sys, time
ROOT = os.environ["FAKE_OBS"]

def _place(url):
    return os.path.join(ROOT, url[len("obs://"):]) if url.startswith("obs://") else url

def _log(what, url):
    with open(os.path.join(ROOT, "log"), "a") as log:
        log.write(what + " " + (url if url.startswith("obs://") else "local") + "\\n")

class file:
    exists = staticmethod(lambda url: os.path.exists(_place(url)))
    is_directory = staticmethod(lambda url: os.path.isdir(_place(url)))

    @staticmethod
    def get_size(url, recursive=False):
        size = os.environ.get("FAKE_SIZE")
        return int(size) if size else 10

    @staticmethod
    def copy(source, target):
        _log("copy", source)
        os.makedirs(os.path.dirname(_place(target)), exist_ok=True)
        shutil.copyfile(_place(source), _place(target))

    @staticmethod
    def copy_parallel(source, target):
        _log("copy_parallel", source)
        if os.environ.get("FAKE_CRASH") and source.startswith("obs://"):
            os.makedirs(target)
            with open(os.path.join(target, "half"), "w") as half:
                half.write("half")
            os._exit(9)
        if source.startswith("obs://"):
            time.sleep(0.2)
        shutil.copytree(_place(source), _place(target), dirs_exist_ok=True)
"""
CONFIG = """
PATH_MAPPING_CONFIG = {
    "input": {"/data/set": "obs://b/set", "/data/one.txt": "obs://b/one.txt", "rel/in": "obs://b/set"},
    "output": {"/srv/out": "obs://b/out", "results": "obs://b/results"},
}
"""
READS = """
from ascend_modelarts_function import ModelArtsPathManager
get = ModelArtsPathManager().get_path
with open(get("/data/set/a/x.txt")) as file:
    print(file.read())
"""
SHOWS = """
from ascend_modelarts_function import ModelArtsPathManager
print(ModelArtsPathManager().get_path("/data/set"))
"""
WRITES = """
import os
from ascend_modelarts_function import ModelArtsPathManager
get = ModelArtsPathManager().get_path
with open(get("/srv/out/model.pt"), "w") as file:
    file.write("trained by " + os.environ.get("RANK", "none"))
"""


class Job:
    """A project on a host, with its cache, and OBS beside it."""

    def __init__(self, folder: Path, *, with_moxing: bool = True) -> None:
        self.project, self.obs, self.cache = folder / "project", folder / "obs", folder / "cache"
        for path, text in modelarts_files(DEFAULT).items():
            place = self.project / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        (self.project / "ascend_modelarts_function" / "path_mapping_config.py").write_text(CONFIG)
        (self.obs / "b" / "set" / "a").mkdir(parents=True)
        (self.obs / "b" / "set" / "a" / "x.txt").write_text("data")
        (self.obs / "b" / "one.txt").write_text("one")
        if with_moxing:
            (folder / "site").mkdir()
            (folder / "site" / "moxing.py").write_text(MOXING)
        self.site = folder / "site"

    def start(self, script: str, **variables: str) -> subprocess.Popen[str]:
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
        paths = os.pathsep.join(map(str, (self.project, self.site)))
        own = {"PYTHONPATH": paths, "FAKE_OBS": str(self.obs), "ASCEND_MODELARTS_CACHE": str(self.cache)}
        (self.project / "run.py").write_text(script)
        return subprocess.Popen(
            [sys.executable, "-c", script],
            cwd=self.project.parent,
            env={**kept, **own, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, script: str, **variables: str) -> str:
        process = self.start(script, **variables)
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        return out.strip()

    @property
    def copies(self) -> list[str]:
        log = self.obs / "log"
        return log.read_text().splitlines() if log.exists() else []


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(tmp_path)


def test_without_moxing_every_path_stays_and_nothing_else_is_needed(tmp_path: Path) -> None:
    job = Job(tmp_path, with_moxing=False)
    assert job.run(SHOWS) == "/data/set"
    assert not job.cache.exists()
    process = job.start(SHOWS, ASCEND_MODELARTS="1")
    assert "moxing is not installed" in process.communicate(timeout=60)[1]


def test_an_input_is_read_from_a_copy_of_what_obs_has(job: Job) -> None:
    assert job.run(READS) == "data"
    assert job.copies == ["copy_parallel obs://b/set"]
    assert job.run(READS, ASCEND_MODELARTS="1") == "data"
    assert job.copies == ["copy_parallel obs://b/set"]  # once per host


def test_the_switch_leaves_every_path_as_it_is(job: Job) -> None:
    assert job.run(SHOWS, ASCEND_MODELARTS="0") == "/data/set"
    assert str(job.cache) in job.run(SHOWS)


def test_types_are_kept_and_what_is_not_mapped_stays(job: Job) -> None:
    script = """
import io, pathlib
from ascend_modelarts_function import ModelArtsPathManager
get = ModelArtsPathManager().get_path
file = io.BytesIO()
assert get(file) is file and get(3) == 3 and get(b"/data/set") == b"/data/set"
for path in ("/data/settings", "/other/x", "data/set", "rel/in/a", "bert-base", "obs://b/set"):
    assert get(path) == path, path
one = get(pathlib.Path("/data/one.txt"))
assert isinstance(one, pathlib.Path) and one.read_text() == "one"
assert get(str(one)) == str(one)
print(get("results/log.txt"))
"""
    assert job.run(script) == str(job.project / "results" / "log.txt")


def test_two_ranks_download_once_and_the_first_one_uploads(job: Job) -> None:
    ranks = [job.start(READS + WRITES, RANK=str(rank)) for rank in (0, 1)]
    assert [rank.communicate(timeout=60)[0].strip() for rank in ranks] == ["data", "data"]
    assert sorted(job.copies) == ["copy_parallel local", "copy_parallel obs://b/set"]
    assert (job.obs / "b" / "out" / "model.pt").exists()


def test_after_a_crash_in_a_download_the_next_process_downloads_all_of_it(job: Job) -> None:
    crashed = job.start(READS, FAKE_CRASH="1")
    assert crashed.wait(timeout=60) == 9
    script = READS + "import os; print(os.listdir(get('/data/set')))"
    assert job.run(script) == "data\n['a']"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_worker_process_uploads_nothing(job: Job) -> None:
    script = """
import os
from pathlib import Path
if os.fork() == 0:
    raise SystemExit
os.wait()
print((Path(os.environ["FAKE_OBS"]) / "log").exists())
"""
    assert job.run(WRITES + script) == "False"
    assert job.copies == ["copy_parallel local"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends processes without a signal")
def test_a_job_that_is_ended_by_a_signal_uploads_what_it_has(job: Job) -> None:
    process = job.start(WRITES + "import time\nprint('written', flush=True)\ntime.sleep(60)\n", RANK="0")
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGTERM
    assert (job.obs / "b" / "out" / "model.pt").read_text() == "trained by 0"


def test_outputs_can_be_uploaded_at_any_time_also_from_the_project(job: Job) -> None:
    script = """
import os
from ascend_modelarts_function import ModelArtsPathManager
get = ModelArtsPathManager().get_path
os.makedirs(get("results"))
open(get("results/a.txt"), "w").close()
ModelArtsPathManager().upload()
print(os.path.exists(os.environ["FAKE_OBS"] + "/b/results/a.txt"))
"""
    assert job.run(script) == "True"


def test_without_room_both_numbers_are_said(job: Job) -> None:
    errors = job.start(READS, FAKE_SIZE=str(10**18)).communicate(timeout=60)[1]
    assert f"obs://b/set has {10**18} bytes" in errors and "has room for" in errors
    assert job.copies == []
    assert job.run(READS) == "data"


def test_a_relative_input_is_left_out_with_a_warning(job: Job) -> None:
    process = job.start(READS)
    assert "The input path rel/in is not absolute" in process.communicate(timeout=60)[1]
