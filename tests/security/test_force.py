"""Only what a migration wrote is deleted: anything else in an output is an error that names it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gpu2ascend.project.errors import OutputError
from gpu2ascend.project.manifest.ledger import Ledger
from gpu2ascend.project.manifest.marker import LIST_NAME, MARKER_NAME, Marker, write_marker
from gpu2ascend.project.migrate import output as output_module
from gpu2ascend.project.migrate.output import OutputTree
from gpu2ascend.project.migrate.staging import new_staging
from gpu2ascend_rules.options.options import options_from
from tests.security.bounded import command
from tests.server.project.conftest import Migrate, make, run
from tests.server.project.samples import CUDA, OPTIONS, Files, make_tree, names, tree

Make = Callable[[Files], Path]
Change = Callable[[Path], object]
__all__ = ["make", "run"]

PROJECT = {"a.py": CUDA, "pkg/b.py": CUDA, "data.bin": b"\0" * 3, "book.ipynb": "{}", "k.cu": "x", "e/x": ""}


def _replaced_by_link(root: Path) -> None:
    (root / "data.bin").unlink()
    (root / "data.bin").symlink_to("a.py")


def _replaced_by_directory(root: Path) -> None:
    (root / "data.bin").unlink()
    (root / "data.bin").mkdir()


CHANGES: dict[str, tuple[str, Change]] = {
    "an unknown file": ("precious.txt", lambda root: (root / "precious.txt").write_text("mine")),
    "an unknown file below": (
        "pkg/precious.txt",
        lambda root: (root / "pkg/precious.txt").write_text("mine"),
    ),
    "a hidden file": ("pkg/.env", lambda root: (root / "pkg/.env").write_text("mine")),
    "a repository": (".git", lambda root: make_tree(root / ".git", {"HEAD": "ref"})),
    "an empty directory": ("empty", lambda root: (root / "empty").mkdir()),
    "bytecode of a result that was run": (
        "pkg/__pycache__",
        lambda root: make_tree(root / "pkg/__pycache__", {"b.cpython-311.pyc": "code"}),
    ),
    "a link": ("link", lambda root: (root / "link").symlink_to("/")),
    "a pipe": ("pipe", lambda root: os.mkfifo(root / "pipe")),
    "a changed source": ("a.py", lambda root: (root / "a.py").write_text("mine")),
    "a changed copy": ("data.bin", lambda root: (root / "data.bin").write_bytes(b"\1" * 3)),
    "a changed report": ("change_list.csv", lambda root: (root / "change_list.csv").write_text("mine")),
    "a file made a link": ("data.bin", _replaced_by_link),
    "a file made a directory": ("data.bin", _replaced_by_directory),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_an_error_that_names_it(run: Migrate, make: Make, what: str) -> None:
    name, change = CHANGES[what]
    root = make(PROJECT)
    target = run(root).output
    change(target)
    before = tree(target)
    with pytest.raises(OutputError) as caught:
        run(root, force=True)
    assert caught.value.message.id == "project.output-changed"
    arguments = dict(caught.value.message.arguments)
    assert (arguments["names"], arguments["count"]) == (name, "1")
    assert "--discard-changes" in str(caught.value)
    assert tree(target) == before and names(target.parent) == ["proj_msft"]


@pytest.mark.parametrize("what", CHANGES)
def test_another_option_is_needed_to_go_on(run: Migrate, make: Make, what: str) -> None:
    root = make(PROJECT)
    first = run(root)
    _, change = CHANGES[what]
    change(first.output)
    with pytest.raises(OutputError):
        run(root, discard_changes=True)  # which does not ask for a replacement
    second = run(root, force=True, discard_changes=True)
    assert tree(second.output).keys() == tree(first.output).keys()
    assert names(second.output.parent) == ["proj_msft"]


def test_many_are_counted_and_some_are_named(run: Migrate, make: Make) -> None:
    root = make(PROJECT)
    target = run(root).output
    for number in range(100):
        (target / f"note{number}").touch()
    with pytest.raises(OutputError) as caught:
        run(root, force=True)
    arguments = dict(caught.value.message.arguments)
    assert arguments["count"] == "100" and str(arguments["names"]).endswith(", …")
    assert len(str(caught.value)) < 1_000


OPTIONS_OF = {
    "plain": {},
    "with equivalents": {"replace_unsupported": True, "unsafe_fixes": True},
    "distributed": {"distributed": True, "main_file": "train.py", "launcher": "spawn"},
}


@pytest.mark.parametrize("how", OPTIONS_OF)
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_result_that_nobody_touched_is_replaced(run: Migrate, make: Make, how: str, jobs: int) -> None:
    train = "import torch\nmodel = torch.nn.Linear(1, 1).cuda()\ntorch.cuda.comm.broadcast(model, [0])\n"
    root = make({**PROJECT, "train.py": train, "训练.py": CUDA, "e/sp ace\n.py": CUDA})
    (root / "up").symlink_to("pkg")
    (root / "out").symlink_to("/etc")
    options = options_from(OPTIONS_OF[how], OPTIONS)
    first = run(root, options=options, jobs=jobs)
    before = tree(first.output).keys()
    second = run(root, options=options, force=True, jobs=jobs)
    assert tree(second.output).keys() == before


def test_what_a_user_deleted_is_no_loss(run: Migrate, make: Make) -> None:
    root = make(PROJECT)
    target = run(root).output
    (target / "a.py").unlink()
    assert (run(root, force=True).output / "a.py").exists()


@pytest.mark.parametrize("kind", ["old format", "no list", "changed list", "changed marker", "forged"])
def test_a_directory_without_an_intact_list_is_not_deleted(
    run: Migrate, make: Make, tmp_path: Path, kind: str
) -> None:
    root = make(PROJECT)
    target = tmp_path / "out" / "proj_msft"
    if kind in ("old format", "forged"):
        extra = {"format": 1, "reports": []} if kind == "old format" else {"format": 2, "list": "0" * 64}
        marker = {"tool": "gpu2ascend", "version": "0.1.0", **extra}
        make_tree(target, {"precious.txt": "mine", ".git/HEAD": "x", MARKER_NAME: json.dumps(marker)})
    else:
        run(root)
    if kind == "no list":
        (target / LIST_NAME).unlink()
    elif kind == "changed list":
        (target / "precious.txt").write_text("mine")
        line = b'["file","' + b"0" * 64 + b'","precious.txt"]\n'
        (target / LIST_NAME).write_bytes((target / LIST_NAME).read_bytes() + line)
    elif kind == "changed marker":
        (target / MARKER_NAME).write_bytes((target / MARKER_NAME).read_bytes() + b"\n")
    before = tree(target)
    with pytest.raises(OutputError) as caught:
        run(root, force=True)
    assert caught.value.message.id == "project.output-unlisted"
    assert tree(target) == before


def test_it_is_refused_before_any_work(run: Migrate, make: Make) -> None:
    root = make(PROJECT)
    (run(root).output / "precious.txt").write_text("mine")
    steps: list[object] = []
    with pytest.raises(OutputError):
        run(root, force=True, progress=steps.append)
    assert steps == []


def test_what_is_written_during_the_migration_is_found(run: Migrate, make: Make) -> None:
    root = make(PROJECT)
    target = run(root).output

    def write(progress: object) -> None:
        (target / "late.txt").write_text("mine")

    with pytest.raises(OutputError) as caught:
        run(root, force=True, progress=write)
    assert caught.value.message.id == "project.output-changed"
    assert (target / "late.txt").read_text() == "mine"


def test_what_is_written_after_the_last_look_is_found(
    run: Migrate, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(PROJECT)
    target = run(root).output
    real = output_module.refuse_existing

    def look(place: Path, **options: bool) -> bytes | None:
        found = real(place, **options)
        (place / "pkg" / "late.txt").write_text("mine")
        return found

    monkeypatch.setattr(output_module, "refuse_existing", look)
    with pytest.raises(OutputError) as caught:
        run(root, force=True)
    assert caught.value.message.id == "project.output-touched"
    assert (target / "pkg" / "late.txt").read_text() == "mine" and names(target.parent) == ["proj_msft"]


@pytest.mark.slow
def test_the_command_names_what_is_in_the_way_and_takes_the_option(make: Make, tmp_path: Path) -> None:
    root = make(PROJECT)
    arguments = ("migrate", "-i", root, "-o", tmp_path / "out", "-v", "2.8.0")
    command(*arguments, at=tmp_path)
    precious = tmp_path / "out" / "proj_msft" / "precious.txt"
    precious.write_text("mine")
    refused = command(*arguments, "--force", at=tmp_path)
    assert refused.returncode == 2 and "precious.txt" in refused.stderr
    assert precious.read_text() == "mine"
    assert command(*arguments, "--force", "--discard-changes", at=tmp_path).returncode in (0, 1)
    assert not precious.exists()


@pytest.mark.parametrize("kind", ["forged", "copied", "added to", "with a repository"])
def test_a_staging_directory_goes_only_if_everything_in_it_is_ours(tmp_path: Path, kind: str) -> None:
    target = tmp_path / "proj_msft"
    left = new_staging(target)
    ledger = Ledger(left.path)
    ledger.plan("a.py")
    ledger.close()
    make_tree(left.path, {"a.py": CUDA})
    left.release()
    place = left.path
    if kind == "forged":
        place = make_tree(tmp_path / ".proj_msft-abcdefgh", {"precious.txt": "mine"})
        place.chmod(0o700)
        write_marker(place, Marker("0.1.0", ()))
    elif kind == "copied":
        place = tmp_path / ".proj_msft-abcdefgh"
        place.mkdir(mode=0o700)
        make_tree(place, tree(left.path))
    elif kind == "added to":
        make_tree(place, {"precious.txt": "mine"})
    else:
        make_tree(place, {".git/HEAD": "mine"})
    before = tree(place)
    building = OutputTree(target, 0o755, force=False)
    building.create()
    building.discard()
    assert tree(place) == before
