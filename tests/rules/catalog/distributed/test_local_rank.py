"""The option --local_rank: the launcher that the project's scripts use decides."""

from __future__ import annotations

import pytest

from tests.rules.catalog.dependencies.project import Lists, after, findings

OPTION = "parser.add_argument('--local_rank', type=int, default=-1)\n"
TRAIN = "import os\nimport torch\n" + OPTION
BOTH = TRAIN.replace("'--local_rank'", "'--local_rank', '--local-rank'")
MIGRATED = BOTH.replace("-1", "int(os.environ.get('LOCAL_RANK', -1))")


def said(files: dict[str, str], path: str = "train.py") -> list[str]:
    """Key, applicability and severity of what is found."""
    return [
        f"{item.message.id.removeprefix('NPU412.')} {item.applicability.value} {item.severity.value}"
        for item in findings(files, path, "NPU412")
    ]


NOT_PASSED = "not_passed safe error"
REJECTED = "rejected safe error"
SCRIPTS = {
    "torchrun": ("run.sh", "torchrun --nproc_per_node=8 train.py\n", NOT_PASSED),
    "torch.distributed.run": ("run.sh", "python -m torch.distributed.run train.py\n", NOT_PASSED),
    "accelerate": ("scripts/run.sh", "accelerate launch train.py\n", NOT_PASSED),
    "launch with the environment": (
        "run.sh",
        "python -m torch.distributed.launch --use_env train.py\n",
        NOT_PASSED,
    ),
    "launch": ("Makefile", "train:\n\tpython -m torch.distributed.launch train.py\n", REJECTED),
    "a README": ("README.md", "```\npython -m torch.distributed.launch \\\n  train.py\n```\n", REJECTED),
    "a document": ("docs/START.md", "    python -m torch.distributed.launch ./train.py\n", REJECTED),
    "a launcher in a variable": ("run.sh", 'RUN="torchrun --nnodes 1"\n$RUN train.py\n', NOT_PASSED),
    "a container": ("Dockerfile", 'CMD ["torchrun", "train.py"]\n', NOT_PASSED),
}


@pytest.mark.parametrize(("path", "script", "expected"), SCRIPTS.values(), ids=SCRIPTS)
def test_a_launcher_that_does_not_pass_the_option_makes_it_an_error(
    path: str, script: str, expected: str
) -> None:
    files = {"train.py": TRAIN, path: script}
    assert said(files) == [expected]
    assert after(files, "train.py", "NPU412") == MIGRATED


@pytest.mark.parametrize("script", ["deepspeed train.py\n", 'CMD="deepspeed train.py"\neval $CMD\n'])
def test_the_launcher_of_deepspeed_passes_the_option(script: str) -> None:
    assert said({"train.py": TRAIN, "run.sh": script}) == []


def test_a_script_that_imports_deepspeed_is_started_by_it_unless_a_script_shows_another_launcher() -> None:
    train = "import deepspeed\n" + TRAIN
    assert said({"train.py": train}) == []
    assert said({"train.py": train, "run.sh": "torchrun train.py\n"}) == [NOT_PASSED]


def test_a_file_of_options_is_judged_by_the_launchers_of_the_programs_near_it() -> None:
    files = {"src/options.py": TRAIN, "run.sh": "deepspeed src/train.py\n"}
    assert said(files, "src/options.py") == []
    assert said(files | {"run.sh": "torchrun src/train.py\n"}, "src/options.py") == [NOT_PASSED]


def test_the_launcher_of_another_program_does_not_count_beside_its_own() -> None:
    files = {"train.py": TRAIN, "run.sh": "deepspeed train.py\ntorchrun test.py\n"}
    assert said(files) == []


def test_an_option_that_takes_both_spellings_lacks_the_rank_of_torchrun_only() -> None:
    assert said({"train.py": BOTH, "run.sh": "python -m torch.distributed.launch train.py\n"}) == []
    files = {"train.py": BOTH, "run.sh": "torchrun train.py\n"}
    assert said(files) == [NOT_PASSED]
    assert after(files, "train.py", "NPU412") == MIGRATED


def test_a_script_that_reads_the_variable_itself_is_rejected_by_the_old_launcher_only() -> None:
    reads = TRAIN + "rank = int(os.environ['LOCAL_RANK'])\n"
    assert said({"train.py": reads, "run.sh": "torchrun train.py\n"}) == []
    files = {"train.py": reads, "run.sh": "python -m torch.distributed.launch train.py\n"}
    assert said(files) == [REJECTED]
    assert after(files, "train.py", "NPU412").startswith(BOTH)


def test_without_a_known_launcher_it_is_a_warning() -> None:
    assert said({"train.py": TRAIN}) == ["option safe warning"]
    assert said({"train.py": TRAIN, "run.sh": "python train.py\n"}) == ["option safe warning"]


DEFAULTS = {
    "type=int": "type=int, default=os.environ.get('LOCAL_RANK')",
    "type=int,\n    # the rank\n": "type=int, default=os.environ.get('LOCAL_RANK'),\n    # the rank\n",
    "default=None, type=int": "default=os.environ.get('LOCAL_RANK'), type=int",
    "default=0": "default=int(os.environ.get('LOCAL_RANK', 0))",
    "type=int, default=RANK": "type=int, default=os.environ.get('LOCAL_RANK', RANK)",
}


@pytest.mark.parametrize(("given", "expected"), DEFAULTS.items())
def test_the_old_default_is_kept_for_a_start_without_a_launcher(given: str, expected: str) -> None:
    head = "import os\nimport torch\nparser.add_argument('--local_rank', "
    files = {"train.py": f"{head}{given})\n"}
    expected = f"{head}'--local-rank', {expected})\n"
    assert after(files, "train.py", "NPU412") == expected
    assert findings({"train.py": expected}, "train.py", "NPU412") == []


def test_a_flag_has_no_fix() -> None:
    files = {"train.py": "import torch\nparser.add_argument('--local_rank', action='store_true')\n"}
    assert said(files) == ["option manual warning"]
    assert Lists(files).text_at("train.py") == after(files, "train.py", "NPU412")


@pytest.mark.parametrize("name", ["train.py", '$(dirname "$0")/train.py', "$HERE/train.py"])
def test_the_old_launcher_is_told_where_its_program_does_not_declare_the_option(name: str) -> None:
    script = f"python -m torch.distributed.launch --nproc_per_node=8 {name} --lr 1\n"
    for train in (TRAIN, BOTH, MIGRATED):
        assert findings({"train.py": train, "run.sh": script}, "run.sh", "NPU1020") == []
    files = {"train.py": "import torch\nparser.add_argument('--lr')\n", "run.sh": script}
    assert len(findings(files, "run.sh", "NPU1020")) == 1
    elsewhere = {"train.py": "import torch\nimport options\n", "options.py": TRAIN, "run.sh": script}
    assert findings(elsewhere, "run.sh", "NPU1020") == []
