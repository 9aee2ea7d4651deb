"""What a migration says of files that the training does not reach."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import FileOutcome, MigrationRequest, MigrationResult
from gpu2ascend.project.report.verdict.verdict import State
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import PLAIN, STUCK, make_tree

MAIN = 'if __name__ == "__main__":\n    run()\n'
TRAIN = "import model\nloss.backward()\n" + MAIN
FILES = {"train.py": TRAIN, "model.py": PLAIN, "runtime/serve.py": STUCK + MAIN}


Done = tuple[MigrationResult, dict[str, FileOutcome]]


def done(root: Path, files: dict[str, str], **options: object) -> Done:
    """A migration that writes nothing, and what there is to say of its files."""
    chosen = options_from({"version": "2.8.0", **options})
    request = MigrationRequest(
        input=make_tree(root, files), output=Path(), options=chosen, write=False, jobs=1
    )
    outcomes: dict[str, FileOutcome] = {}
    return migrate(request, on_file=lambda item: outcomes.update({item.path: item})), outcomes


def test_an_error_that_no_training_reaches_is_listed_and_prevents_nothing(tmp_path: Path) -> None:
    result, outcomes = done(tmp_path, FILES)
    assert (result.exit_code, result.verdict.state) == (0, State.MIGRATED)
    assert (result.summary.errors, result.summary.errors_beside) == (1, 1)
    assert outcomes["runtime/serve.py"].way.reached_from == ("runtime/serve.py",)


def test_an_error_in_a_module_that_the_training_imports_counts(tmp_path: Path) -> None:
    result, outcomes = done(tmp_path, {**FILES, "model.py": STUCK})
    assert (result.exit_code, result.verdict.entries) == (1, (("train.py", 1, 0, 0),))
    assert outcomes["model.py"].way.reached_from == ("train.py",)


def test_a_module_of_the_training_that_the_user_leaves_out_is_not_said_to_train(tmp_path: Path) -> None:
    result, _ = done(tmp_path, FILES, exclude="model.py")
    assert (result.exit_code, result.verdict.state) == (0, State.UNDECIDED)


@pytest.mark.parametrize("option", ["entries", "main_file"])
def test_an_entry_that_is_chosen_is_what_counts(tmp_path: Path, option: str) -> None:
    result, _ = done(tmp_path, FILES, **{option: "runtime/serve.py"})
    assert (result.exit_code, result.verdict.entries) == (1, (("runtime/serve.py", 1, 0, 0),))


def test_an_entry_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        done(tmp_path, FILES, entries="none.py")
    assert refused.value.message.id == "project.main-missing"


def test_a_workflow_prevents_nothing(tmp_path: Path) -> None:
    steps = "    steps:\n      - run: pip install torch==1.7.0+cpu\n"
    workflow = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n" + steps
    result, outcomes = done(tmp_path, {"train.py": TRAIN, ".github/workflows/a.yml": workflow})
    assert outcomes[".github/workflows/a.yml"].remaining and result.exit_code == 0


def test_a_file_that_cannot_be_parsed_is_left_wherever_it_is_but_blocks_its_own_way(tmp_path: Path) -> None:
    beside, _ = done(tmp_path, {**FILES, "runtime/broken.py": "print 'x.cuda()'\n"})
    assert (beside.exit_code, beside.verdict.state) == (1, State.MIGRATED)
    on_it, _ = done(tmp_path / "on it", {**FILES, "model.py": "print 'x.cuda()'\n"})
    assert (on_it.exit_code, on_it.verdict.state) == (1, State.BLOCKED)


def test_a_source_that_is_copied_unexamined_on_the_way_is_not_said_to_train(tmp_path: Path) -> None:
    result, _ = done(tmp_path, {**FILES, "model.py": STUCK}, copy="model.py")
    assert (result.exit_code, result.verdict.state) == (0, State.UNDECIDED)


def test_a_library_is_judged_as_a_whole_but_for_its_tests(tmp_path: Path) -> None:
    files = {"lib/__init__.py": "", "lib/a.py": STUCK, "tests/test_a.py": STUCK}
    result, _ = done(tmp_path, files)
    assert (result.verdict.errors, result.verdict.errors_beside) == (1, 1)
    assert result.verdict.is_of_whole
