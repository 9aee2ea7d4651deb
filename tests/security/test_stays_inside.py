"""Nothing is written but the output, nothing of the input is changed, and no link leads out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpu2ascend.lsp.documentation.rule_pages import PAGES
from tests.security.sample import COMMANDS, Sample, commands, sample, snapshot
from tests.security.session import Session
from tests.security.watched import TOP, Watch, is_below

__all__ = ["sample"]

pytestmark = pytest.mark.slow

DEVICES = ("/dev/null", "/dev/urandom")


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path / "watch")


def written_elsewhere(watch: Watch, *places: Path) -> list[str]:
    """Every path that was written or removed and lies in none of the places."""
    return [
        f"{event.name} {path}"
        for event in watch.events()
        for path in event.written
        if not is_below(path, (*places, watch.temporary, watch.cache)) and str(path) not in DEVICES
    ]


def own_repository() -> Path:
    """Where git keeps the commits of this checkout, which may be a work tree beside the repository."""
    asked = ["git", "-C", str(TOP), "rev-parse", "--path-format=absolute", "--git-common-dir"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return Path(said) if said else TOP / ".git"


def read_elsewhere(watch: Watch, sample: Sample) -> list[str]:
    """Every path that was opened and belongs neither to the project, nor to Python, us or the system."""
    prefixes = {sys.prefix, sys.base_prefix, sys.base_exec_prefix, str(watch.python.parents[1])}
    own = [sample.project, sample.output, watch.temporary, watch.cache, TOP / "rules", TOP / "server"]
    own += [own_repository()]  # the version of a development build names its commit
    system = [Path(place) for place in ("/proc", "/sys", "/etc", "/dev", "/usr", "/lib", "C:/Windows")]
    known = [*own, *map(Path, prefixes), *system]
    opened = {event.opened for event in watch.events()}
    return [str(path) for path in opened if path is not None and not is_below(path, known)]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_writes_its_output_and_reads_the_project(name: str, watch: Watch, sample: Sample) -> None:
    before = snapshot(sample.project), snapshot(sample.outside)
    done = watch.run(*commands(sample)[name], directory=sample.project)
    assert done.returncode in (0, 1) or "secret.py: a link to" in done.stderr, done.stderr
    assert (snapshot(sample.project), snapshot(sample.outside)) == before
    assert written_elsewhere(watch, sample.output) == []
    assert read_elsewhere(watch, sample) == []
    assert snapshot(watch.temporary) == {}, "what was private is gone"
    assert snapshot(watch.home) == {}, "nothing is kept in the user's home"


def test_fixes_in_place_follow_no_link_out_of_the_project(watch: Watch, sample: Sample) -> None:
    before = snapshot(sample.outside)
    done = watch.run("check", ".", "-v", "2.8.0", "--fix", directory=sample.project)
    assert done.returncode in (0, 1) or "secret.py: a link to" in done.stderr, done.stderr
    assert "torch_npu" in (sample.project / "train.py").read_text("utf-8"), "the fixes were made"
    assert snapshot(sample.outside) == before
    assert written_elsewhere(watch, sample.project) == []
    assert read_elsewhere(watch, sample) == []


def test_a_migrated_link_is_a_link_and_not_the_file_it_leads_to(watch: Watch, sample: Sample) -> None:
    if not (sample.project / "secret.py").is_symlink():
        pytest.skip("this user may not make links")
    watch.run(*commands(sample)["migrate"], directory=sample.project)
    migrated = sample.output / "project_msft"
    assert (migrated / "train.py").is_file()
    assert (migrated / "secret.py").is_symlink() and (migrated / "linked").is_symlink()


def test_the_language_server_writes_what_a_migration_was_asked_for(watch: Watch, sample: Sample) -> None:
    before = snapshot(sample.project), snapshot(sample.outside)
    session = Session(watch, sample.project)
    assert session.open(sample.project / "train.py")
    assert session.open(sample.project / "large.py")
    assert session.command("gpu2ascend.analyzeProject")["status"] == "completed"
    assert written_elsewhere(watch) == [], "nothing was asked for yet"
    options = {"inputPath": str(sample.project), "outputPath": str(sample.output), "version": "2.8.0"}
    assert session.command("gpu2ascend.migrateProject", options=options)["status"] == "completed"
    assert session.end() == 0
    assert (snapshot(sample.project), snapshot(sample.outside)) == before
    assert written_elsewhere(watch, sample.output) == []
    assert read_elsewhere(watch, sample) == []
    assert snapshot(watch.temporary) == {} and snapshot(watch.home) == {}
    assert {path.name for path in watch.cache.rglob("*") if path.is_file()} <= set(PAGES.values())
