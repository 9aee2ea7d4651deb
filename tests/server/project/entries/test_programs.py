"""What starts the programs of a project, and which files each of them reaches."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpu2ascend.project.entries.facts.collected import program_facts
from gpu2ascend.project.entries.model import EntryKind
from gpu2ascend.project.entries.programs import Programs
from tests.server.project.entries.found_programs import CLASS, MAIN, STEP, beside, kinds, programs
from tests.server.project.samples import Files, make_tree

TRAIN = "from agent import Agent\n" + MAIN


@pytest.mark.parametrize(
    "code",
    [
        STEP + MAIN,
        STEP + "if '__main__' == __name__:\n    main()\n",
        "@hydra.main(config_path='.')\ndef main(cfg):\n    loss.backward()\n",
        STEP + "fire.Fire(main)\n",
        STEP + "main()\n",
        STEP + "args = parser.parse_args()\n",
        "cli = LightningCLI(Model)\n",
        "for batch in loader:\n    loss.backward()\n",
        "trainer = pl.Trainer()\ntrainer.fit(model, data)\n",
        "trial = Trial(net, optimizer, loss)\ntrial.run(3)\n",
        "vision_learner(data, resnet18).fit_one_cycle(3)\n",
        "solver = build(net, data)\nsolver.train(epochs=3)\n",
        "for _ in range(9):\n    pipeline.progress(batches)\n",
        "def f():\n    pass\n\nif True:\n    x = (\n1)\n    loss.backward()\n",
    ],
)
def test_a_file_that_runs_something_and_trains_is_an_entry(tmp_path: Path, code: str) -> None:
    assert kinds(programs(tmp_path, {"a.py": code})) == {"a.py": EntryKind.TRAINING}


IN_CLASS = "if NEW:\n    class Hook:\n        def after(self):\n            loss.backward()\n"


def test_a_step_in_a_class_below_a_test_runs_nothing(tmp_path: Path) -> None:
    assert kinds(programs(tmp_path, {"hook.py": IN_CLASS, "a.py": STEP + MAIN})) == {
        "a.py": EntryKind.TRAINING
    }


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("net = Net.load()\nprint(net(image))", EntryKind.OTHER),
        ("from sklearn import train_test_split\nparts = train_test_split(data)", EntryKind.OTHER),
        ("train_epochs(Net(), data)", EntryKind.TRAINING),
        ("agent = Net()\nagent.step(state, action)", EntryKind.TRAINING),
        ("loss.backward()", EntryKind.TRAINING),
    ],
)
def test_a_notebook_trains_by_what_it_calls(tmp_path: Path, code: str, kind: EntryKind) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": f"from lib import Net\n{code}\n"}
    files = {"lib.py": STEP, "show.ipynb": json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4})}
    assert kinds(programs(tmp_path, files)) == {"show.ipynb": kind}


def test_where_a_library_trains_the_program_that_is_called_so_is_the_training(tmp_path: Path) -> None:
    run = "import robots\n\ndef run():\n    robots.learn()\n\nif __name__ == '__main__':\n    run()\n"
    files = {"train.py": run, "play.py": run}
    assert kinds(programs(tmp_path / "a", files)) == {
        "train.py": EntryKind.TRAINING,
        "play.py": EntryKind.OTHER,
    }
    files["fit.py"] = STEP + MAIN
    assert kinds(programs(tmp_path / "b", files))["train.py"] is EntryKind.OTHER


@pytest.mark.parametrize(
    "code",
    [
        CLASS,
        STEP,
        "class T(Trainer):\n    def train(self):\n        pass\n",
        CLASS + "\ndef options():\n    args = parser.parse_args()\n",
    ],
)
def test_a_module_that_only_defines_something_is_none(tmp_path: Path, code: str) -> None:
    assert kinds(programs(tmp_path, {"a.py": code})) == {}


def test_a_part_that_can_be_tried_alone_is_no_training(tmp_path: Path) -> None:
    found = kinds(programs(tmp_path, {"train.py": TRAIN, "agent.py": CLASS + MAIN}))
    assert found == {"train.py": EntryKind.TRAINING, "agent.py": EntryKind.OTHER}


@pytest.mark.parametrize(
    "files",
    [
        {"go.py": TRAIN, "agent.py": CLASS + MAIN},
        {"train.py": TRAIN, "agent.py": CLASS + MAIN, "run.sh": "python agent.py\n"},
        {"train.py": MAIN + CLASS, "agent.py": CLASS + MAIN},
    ],
)
def test_one_that_is_started_or_stands_beside_is_training(tmp_path: Path, files: Files) -> None:
    assert kinds(programs(tmp_path, files))["agent.py"] is EntryKind.TRAINING


@pytest.mark.parametrize("start", [{}, {"README.md": "```\npython test.py\n```\n"}])
def test_a_test_of_an_operator_beside_the_training_is_none(tmp_path: Path, start: Files) -> None:
    files = {"main.py": TRAIN, "agent.py": CLASS, "ops/test.py": STEP + MAIN}
    assert kinds(programs(tmp_path / "a", {**files, **start}))["ops/test.py"] is EntryKind.OTHER
    started = {**files, "run.sh": "python ops/test.py\n"}
    assert kinds(programs(tmp_path / "b", started))["ops/test.py"] is EntryKind.TRAINING


def test_a_command_means_the_outer_of_files_that_lie_below_each_other(tmp_path: Path) -> None:
    files = {"src/test.py": MAIN, "src/ops/test.py": STEP, "run.sh": "cd src\npython test.py\n"}
    found = programs(tmp_path, files).entries
    assert [(entry.path, entry.started_by) for entry in found] == [("src/test.py", ("run.sh",))]


@pytest.mark.parametrize(
    ("starter", "text"),
    [
        ("run.sh", "torchrun --nproc_per_node=8 tools/go.py --lr 1\n"),
        ("run.sh", "SCRIPT=tools/go.py\npython $SCRIPT\n"),
        ("scripts/run.sh", "python ../tools/go.py\n"),
        ("scripts/run.sh", "srun python /home/me/project/tools/go.py\n"),
        ("scripts/run.sh", "cd ..\npython3 \\\n  tools/go.py\n"),
        ("run.sh", "accelerate launch -m tools.go\n"),
        ("run.sh", "deepspeed $ROOT/tools/go.py\n"),
        ("Makefile", "train:\n\tpython tools/go.py\n"),
        ("README.md", "# How\n```bash\npython tools/go.py --lr 1\n```\n"),
        ("README.md", "# How\n```bash\n$ ./tools/go.py --lr 1\n```\n"),
        ("Dockerfile", 'FROM x\nCMD ["python", "tools/go.py"]\n'),
        ("pyproject.toml", '[project.scripts]\ngo = "tools.go:main"\n'),
        ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    go = tools.go:main\n"),
        ("setup.py", "setup(entry_points={'console_scripts': ['go=tools.go:main']})\n"),
    ],
)
def test_what_another_file_starts_is_an_entry(tmp_path: Path, starter: str, text: str) -> None:
    found = programs(tmp_path, {starter: text, "tools/go.py": STEP})
    entry = found.entries[0]
    assert (entry.path, entry.kind, entry.started_by) == ("tools/go.py", EntryKind.TRAINING, (starter,))


@pytest.mark.parametrize("module", ["lab.train", "lab.made_at_run_time"])
def test_what_a_module_of_the_project_is_given_is_no_program(tmp_path: Path, module: str) -> None:
    line = f"python -m {module} -f sizes/small.py\n"
    files = {"lab/__init__.py": "", "lab/train.py": STEP + MAIN, "sizes/small.py": CLASS, "run.sh": line}
    assert "sizes/small.py" not in kinds(programs(tmp_path / "a", files))
    files["run.sh"] = "python -m coverage run -f sizes/small.py\n"
    assert "sizes/small.py" in kinds(programs(tmp_path / "b", files))


@pytest.mark.parametrize("name", ["agent.py", "./agent.py"])
def test_a_document_that_only_mentions_a_file_does_not_start_it(tmp_path: Path, name: str) -> None:
    assert kinds(programs(tmp_path, {"README.md": f"The loss is in `{name}`.\n", "agent.py": CLASS})) == {}


@pytest.mark.parametrize(
    ("code", "others"),
    [
        ("from agent import Agent\n", {"agent.py": CLASS}),
        ("import lib.agent as a\n", {"lib/__init__.py": "", "lib/agent.py": CLASS}),
        ("from lib import (  # ours\n    a,\n    agent,\n)\n", {"lib/agent.py": CLASS}),
        (
            "from src.lib import x\n",
            {"src/lib/__init__.py": "from .agent import x\n", "src/lib/agent.py": CLASS},
        ),
        ("import sys\nsys.path.append('vendor')\nimport agent\n", {"vendor/deep/agent.py": CLASS}),
        ("exec(open('agent.py').read())\n", {"agent.py": CLASS}),
        ("runpy.run_path('sub/agent.py')\n", {"sub/agent.py": CLASS}),
        ("subprocess.run([sys.executable, '-m', 'lib.agent'])\n", {"lib/agent.py": CLASS}),
        ("importlib.import_module('lib.agent')\n", {"lib/agent.py": CLASS}),
        ("importlib.import_module(f'lib.{name}')\n", {"lib/__init__.py": "", "lib/agent.py": CLASS}),
        ("importlib.import_module('lib.' + name)\n", {"lib/agent.py": CLASS}),
        (
            "importlib.import_module(cfg.agent)\n",
            {"conf/a.yaml": "agent: lib.agent\n", "lib/agent.py": CLASS},
        ),
        ("import lib\n", {"lib/__init__.py": "import_module(name, __name__)\n", "lib/agent.py": CLASS}),
        (
            "import exp.base\n",
            {
                "exp/base.py": "for item in os.listdir('lib'):\n    import_module(table[item])\n",
                "lib/agent.py": CLASS,
            },
        ),
        (
            "from lib import *\n",
            {"lib/__init__.py": "__all__ = [f[:-3] for f in glob('lib/*.py')]\n", "lib/agent.py": CLASS},
        ),
        (
            "import exp\n",
            {
                "exp/__init__.py": "__all__ = ['a']\nfor f in os.listdir('lib'):\n    import_module(t[f])\n",
                "lib/agent.py": CLASS,
            },
        ),
        (
            "x = instantiate(cfg)\n",
            {"conf/a.yaml": "x:\n  _target_: lib.agent.Agent\n", "lib/agent.py": CLASS},
        ),
    ],
)
def test_an_entry_that_leads_to_a_step_trains(tmp_path: Path, code: str, others: dict[str, str]) -> None:
    found = programs(tmp_path, {"go.py": code + MAIN, **others})
    (agent,) = (path for path in others if path.endswith("agent.py"))
    assert kinds(found)["go.py"] is EntryKind.TRAINING
    assert found.way_of(agent).reached_from == ("go.py",)


@pytest.mark.parametrize("start", ["subprocess.run(['python', 'train.py'])", "os.system('python train.py')"])
def test_a_script_that_starts_the_training_is_an_entry(tmp_path: Path, start: str) -> None:
    found = programs(tmp_path, {"go.py": f"import os, subprocess\n{start}\n", "train.py": STEP + MAIN})
    assert kinds(found)["go.py"] is EntryKind.TRAINING


def test_what_prose_names_before_a_command_is_not_started(tmp_path: Path) -> None:
    text = "See [config](config.py) and run `python train.py`.\n"
    found = programs(tmp_path, {"README.md": text, "config.py": "LR = 1\n", "train.py": STEP + MAIN})
    assert kinds(found) == {"train.py": EntryKind.TRAINING}


def test_the_backward_of_an_operator_does_not_train(tmp_path: Path) -> None:
    operator = "class F(Function):\n    def backward(ctx, grad):\n        ops.backward(grad)\n"
    assert kinds(programs(tmp_path, {"ops.py": operator + MAIN})) == {"ops.py": EntryKind.OTHER}


@pytest.mark.parametrize(
    ("name", "kind"), [("go", EntryKind.OTHER), ("train", EntryKind.TRAINING)], ids=["a tool", "the training"]
)
def test_a_console_script_of_a_library_is_what_it_is_called(
    tmp_path: Path, name: str, kind: EntryKind
) -> None:
    console = f'[project.scripts]\n{name} = "lib.{name}:main"\n'
    files = {"pyproject.toml": console, f"lib/{name}.py": "from .agent import Agent\n", "lib/agent.py": CLASS}
    assert kinds(programs(tmp_path, files)) == {f"lib/{name}.py": kind}


def test_a_program_that_only_imports_a_helper_of_a_package_that_trains_does_not_train(tmp_path: Path) -> None:
    package = {"lib/__init__.py": "from .agent import Agent\n", "lib/agent.py": CLASS, "lib/names.py": ""}
    found = programs(tmp_path, {"list.py": "from lib.names import x\n" + MAIN, **package})
    assert kinds(found) == {"list.py": EntryKind.OTHER}
    assert found.way_of("lib/agent.py").reached_from == ("list.py",)


def test_a_script_finds_modules_beside_it_though_its_folder_is_a_package(tmp_path: Path) -> None:
    files = {"agent/__init__.py": "", "agent/agent.py": CLASS, "agent/train.py": TRAIN}
    assert programs(tmp_path, files).way_of("agent/agent.py").reached_from == ("agent/train.py",)


@pytest.mark.parametrize(
    ("path", "folder"),
    [("runtime/helpers.py", "runtime/"), ("unused.py", "unused.py"), (".github/workflows/a.yml", ".github/")],
)
def test_the_outermost_folder_without_anything_on_the_way_is_known(
    tmp_path: Path, path: str, folder: str
) -> None:
    assert programs(tmp_path, PROJECT).way_of(path).folder == folder


def test_a_module_behind_a_link_is_the_file_that_it_leads_to(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"train.py": TRAIN, "shared/agent.py": CLASS})
    (root / "agent.py").symlink_to(root / "shared" / "agent.py")
    found = Programs(root, program_facts(root, (), 1_000))
    assert (found.unread, found.way_of("shared/agent.py").reached_from) == ((), ("train.py",))


@pytest.mark.parametrize("left_out", ["agent.py", "lib"])
def test_a_module_that_the_user_leaves_out_is_not_read(tmp_path: Path, left_out: str) -> None:
    code = "import agent\nimport lib.helper\n" + STEP + MAIN
    root = make_tree(tmp_path, {"train.py": code, "agent.py": CLASS, "lib/helper.py": "", "old.py": ""})
    found = Programs(root, program_facts(root, (left_out, "old.py"), 1_000))
    assert found.unread == ({"agent.py": "agent.py", "lib": "lib/helper.py"}[left_out],)


def test_a_notebook_is_an_entry(tmp_path: Path) -> None:
    cell = '{"cell_type": "code", "source": ["loss.backward()"], "outputs": [], "metadata": {}}'
    text = '{"cells": [' + cell + '], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    assert kinds(programs(tmp_path, {"a.ipynb": text})) == {"a.ipynb": EntryKind.TRAINING}


@pytest.mark.parametrize(
    ("path", "code", "kind"),
    [
        ("export.py", TRAIN, EntryKind.OTHER),
        ("hubconf.py", TRAIN, EntryKind.OTHER),
        ("serving/start.py", TRAIN, EntryKind.OTHER),
        ("test.py", TRAIN, EntryKind.OTHER),
        ("convert.py", MAIN, EntryKind.OTHER),
        ("tests/test_a.py", "def test_a():\n    loss.backward()\n", EntryKind.TESTS),
        ("setup.py", "from setuptools import setup\n", EntryKind.PACKAGING),
    ],
)
def test_what_an_entry_is_for(tmp_path: Path, path: str, code: str, kind: EntryKind) -> None:
    found = programs(tmp_path, {"agent.py": CLASS, "train.py": TRAIN, path: code})
    assert kinds(found) == {"train.py": EntryKind.TRAINING, path: kind}


@pytest.mark.parametrize(
    ("better", "worse", "more"),
    [
        ("train.py", "records/2024/train.py", {}),
        ("go.py", "main.py", {"run.sh": "python go.py\n"}),
        ("train.py", "main.py", {}),
        ("fine-tune.py", "weights.py", {}),
        ("train.py", "tools/train.py", {}),
        ("train.py", "train.ipynb", {}),
    ],
)
def test_which_entry_is_better(tmp_path: Path, better: str, worse: str, more: dict[str, str]) -> None:
    cell = '{"cell_type": "code", "source": ["loss.backward()"], "outputs": [], "metadata": {}}'
    notebook = '{"cells": [' + cell + '], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    files = {path: notebook if path.endswith("ipynb") else STEP + MAIN for path in (worse, better)}
    assert programs(tmp_path, files | more).entries[0].path == better


PROJECT = {
    "train.py": TRAIN,
    "agent.py": CLASS,
    "runtime/server.py": "from helpers import x\n" + MAIN,
    "runtime/helpers.py": "x = 1\n",
    "unused.py": "x = 1\n",
    "tests/test_a.py": "def test_a():\n    pass\n",
    ".github/workflows/a.yml": "jobs:\n  a:\n    steps:\n      - run: python train.py\n",
    "runtime/requirements.txt": "torch\n",
    "requirements.txt": "torch\n",
    "run.sh": "python train.py\n",
    "serve.sh": "python runtime/server.py\n",
    "env.sh": "export A=1\n",
    "setup.py": "from setuptools import setup\n",
    "runtime/setup.py": "from setuptools import setup\n",
    "csrc/setup.py": "from setuptools import setup\n",
    "docs/requirements.txt": "torch\n",
    "configs/small.py": "device = 'cuda'\n",
}


def test_which_files_are_on_the_way_of_the_training(tmp_path: Path) -> None:
    found = programs(tmp_path, PROJECT)
    assert {path for path in PROJECT if not found.way_of(path).is_outside} == {
        *("train.py", "agent.py", "requirements.txt", "run.sh", "env.sh", "setup.py", "csrc/setup.py"),
        "configs/small.py",
    }
    assert found.way_of("runtime/helpers.py").reached_from == ("runtime/server.py",)
    assert found.way_of("run.sh").reached_from == ("train.py",)


def test_chosen_entries_decide_what_is_on_the_way(tmp_path: Path) -> None:
    found = programs(tmp_path, PROJECT, "runtime/server.py")
    paths = ("runtime/helpers.py", "agent.py", "runtime/requirements.txt", "requirements.txt")
    assert beside(found, *paths) == dict(zip(paths, (False, True, False, False), strict=True))


def test_a_file_that_a_command_gives_to_a_program_is_on_its_way(tmp_path: Path) -> None:
    found = programs(
        tmp_path, {"train.py": STEP + MAIN, "run.sh": "python train.py x/small.py\n", "x/small.py": ""}
    )
    assert found.way_of("x/small.py").reached_from == ("train.py",)


def test_without_an_entry_that_trains_everything_counts_but_tests_and_ci(tmp_path: Path) -> None:
    files = {
        "lib/__init__.py": "",
        "lib/agent.py": CLASS,
        "tests/test_a.py": "def test_a():\n    pass\n",
        ".github/workflows/a.yml": "on: push\n",
    }
    found = programs(tmp_path, files)
    assert found.on_the_way_of == ()
    assert {path for path in files if found.way_of(path).is_outside} == {
        "tests/test_a.py",
        ".github/workflows/a.yml",
    }


def test_an_entry_that_is_chosen_need_not_look_like_one(tmp_path: Path) -> None:
    found = programs(tmp_path, {"a.py": "import b\n", "b.py": "", "train.py": STEP + MAIN}, "a.py")
    assert found.on_the_way_of == ("a.py",) and beside(found, "b.py", "train.py") == {
        "b.py": False,
        "train.py": True,
    }
