"""Which files the programs of a project reach: modules of its own, those that it brings, and sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.entries.model import EntryKind
from tests.server.project.entries.found_programs import CLASS, MAIN, STEP, beside, kinds, programs
from tests.server.project.samples import Files


def test_a_class_that_settings_name_is_reached_in_a_module_of_its_own(tmp_path: Path) -> None:
    files = {
        "agent.py": CLASS,
        "train.py": "@hydra.main()\ndef main(cfg):\n    hydra.utils.instantiate(cfg.agent)\n",
        "cfgs/config.yaml": "agent:\n  _target_: agent.Agent\n",
    }
    assert programs(tmp_path, files).on_the_way_of == ("train.py",)


def test_files_that_are_loaded_by_a_computed_path_are_reached(tmp_path: Path) -> None:
    files = {
        "train.py": STEP + "from util import load\nnet = load('models/{}.py'.format(name))\n" + MAIN,
        "util.py": "",
        "models/unet.py": "",
        "other/unet.py": "",
    }
    found = programs(tmp_path, files)
    assert beside(found, "models/unet.py", "other/unet.py") == {
        "models/unet.py": False,
        "other/unet.py": True,
    }


def test_a_list_for_a_system_without_npus_is_on_no_way(tmp_path: Path) -> None:
    lists = {
        "env.yaml": False,
        "env_macos.yaml": True,
        "env_linux_windows.yaml": False,
        "requirements-windows.txt": True,
        "win_env.yaml": True,
    }
    others = {
        "env_window.yaml": False,
        "mac.yaml": False,
        "conda-osx-64.lock": True,
        "setup_machine.sh": False,
    }
    expected = lists | others
    files = {"train.py": STEP + MAIN, **dict.fromkeys(expected, "")}
    assert beside(programs(tmp_path, files), *expected) == expected


def test_a_helper_that_is_given_loss_and_optimizer_trains(tmp_path: Path) -> None:
    found = programs(tmp_path, {"a.py": "loss_scaler(loss, optimizer, clip_grad=1)\n"})
    assert kinds(found) == {"a.py": EntryKind.TRAINING}


IMPORTS = {
    "a submodule": (".gitmodules", '[submodule "w"]\n\tpath = third/waves\n', "from waves.layers import A\n"),
    "a submodule that is tried": (
        ".gitmodules",
        '[submodule "w"]\n\tpath = waves\n',
        "try:\n    from .waves.ops import A\nexcept ImportError:\n    A = None\n",
    ),
    "a clone": ("README.md", "git clone https://example.org/waves.git\n", "import waves.layers\n"),
    "a copy": ("README.md", "cp -rf Sync/norm2 layers/\n", "from layers.norm2 import A\n"),
}


@pytest.mark.parametrize(("path", "text", "code"), IMPORTS.values(), ids=IMPORTS)
def test_a_module_that_users_bring_is_not_read(tmp_path: Path, path: str, text: str, code: str) -> None:
    files = {path: text, "train.py": code + "from layers.norm import N\n" + STEP + MAIN, "layers/norm.py": ""}
    assert len(programs(tmp_path, files).unread) == 1


@pytest.mark.parametrize(
    ("code", "unread"),
    [
        ("from .sync.layers import Norm\n", ("own.parts.sync.layers",)),
        ("from ..sync import Norm\n", ("own.sync",)),
        ("import own.sync.layers\n", ("own.sync.layers",)),
        ("from own.empty import Norm\n", ("own.empty",)),
        ("try:\n    from .sync import Norm\nexcept ImportError:\n    Norm = None\n", ()),
        ("from .there import Norm\n", ()),
        ("from .folder import Norm\n", ()),
        ("from .compiled import norm\n", ()),
        ("from .parts.native import norm\n", ()),
        ("from own.version import VERSION\n", ()),
        ("from .schema_pb2 import Shape\n", ()),
        ("from waves.layers import Norm\n", ()),
        ("from ....above.sync import Norm\n", ()),
    ],
)
def test_a_module_that_the_project_lacks_is_not_read(
    tmp_path: Path, code: str, unread: tuple[str, ...]
) -> None:
    files = {
        "train.py": "from own.parts.net import Net\n" + STEP + MAIN,
        "own/__init__.py": "",
        "own/parts/__init__.py": "",
        "own/parts/net.py": code,
        "own/parts/there.py": "",
        "own/parts/folder/layers.py": "",
        "own/parts/compiled.pyx": "",
        "setup.py": "setup(ext_modules=cythonize('own/native.pyx'))\n",
    }
    tmp_path.joinpath("own/empty").mkdir(parents=True)
    assert programs(tmp_path, files).unread == unread


@pytest.mark.parametrize(
    "install",
    [
        "cd waves && pip install -e .\n",
        "cd waves\npip install .\n",
        "pip install ./waves\n",
        "pip install git+https://example.org/waves.git\n",
    ],
)
def test_a_library_that_pip_installs_is_one_as_any(tmp_path: Path, install: str) -> None:
    clone = "git clone https://example.org/waves.git\n"
    files = {"train.py": "import waves.layers\n" + STEP + MAIN}
    assert programs(tmp_path / "a", {**files, "README.md": clone}).unread == ("waves",)
    assert programs(tmp_path / "b", {**files, "README.md": clone + install}).unread == ()


def test_a_library_that_users_build_is_known(tmp_path: Path) -> None:
    files = {
        "README.md": "git clone https://github.com/NVIDIA/apex\n",
        "train.py": "import apex\n" + STEP + MAIN,
    }
    assert programs(tmp_path, files).unread == ()


@pytest.mark.parametrize(
    ("more", "is_outside"),
    [
        ({}, True),
        ({"train.py": "import ops.load\n" + STEP + MAIN}, False),
        ({"setup.py": "setup(ext_modules=[CUDAExtension('ops', ['ops/src/a.cu'])])\n"}, False),
        ({"ops/setup.py": "setup(ext_modules=[CUDAExtension('ops', ['src/a.cu'])])\n"}, False),
    ],
)
def test_a_source_whose_code_no_program_uses_is_beside_the_way(
    tmp_path: Path, more: Files, is_outside: bool
) -> None:
    files: Files = {
        "ops/load.py": "C = load('c', ['src/a.cu'])\n",
        "ops/src/a.cu": "",
        "train.py": STEP + MAIN,
    }
    assert beside(programs(tmp_path, {**files, **more}), "ops/src/a.cu") == {"ops/src/a.cu": is_outside}


@pytest.mark.parametrize(
    ("header", "is_beside"),
    [
        ("def export(model):", True),
        ("if args.mode == 'export':", True),
        ("def train_and_export(model):", False),
        ("if args.mode != 'export':", False),
        ("if not args.mode == 'export':", False),
        ("if args.mode == 'train' or args.mode == 'deploy':", False),
        ("if args.mode in ('train', 'deploy'):", False),
    ],
)
def test_what_only_an_export_imports_is_beside_the_way(tmp_path: Path, header: str, is_beside: bool) -> None:
    code = f"{header}\n    from deploy import engine\n    engine.build(model)\n"
    found = programs(tmp_path, {"train.py": code + STEP + MAIN, "deploy/engine.py": "import tensorrt\n"})
    assert beside(found, "train.py", "deploy/engine.py") == {"train.py": False, "deploy/engine.py": is_beside}
