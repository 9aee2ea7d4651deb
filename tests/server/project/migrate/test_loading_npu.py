"""Before 2.5.1 some module of a program imports torch_npu: if no other does, its script."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.model.versions import NEWEST
from tests.server.project.conftest import migrated_files

BEFORE = ("1.8.1", "1.11.0", "2.0.1", "2.1.0", "2.4.0")
BY_ITSELF = ("2.5.1", "2.8.0", str(NEWEST))
LIBRARY = "import torch\n\ndef run(device):\n    return torch.ones(2).to(device)\n"
OPTION = (
    "import argparse\nfrom lib.run import run\n\nparser = argparse.ArgumentParser()\n"
    "parser.add_argument('--device', default='cuda')\n\nif __name__ == '__main__':\n"
    "    run(parser.parse_args().device)\n"
)
PROGRAMS = {
    "the default of an option": {"lib/run.py": LIBRARY, "main.py": OPTION},
    "without a guard": {
        "lib/run.py": LIBRARY,
        "main.py": OPTION.replace("if __name__ == '__main__':\n    run", "run"),
    },
    "in a script that imports torch": {"lib/run.py": LIBRARY, "main.py": f"import torch\n{OPTION}"},
    "a configuration": {
        "lib/run.py": LIBRARY,
        "config.py": "DEVICE = 'cuda:0'\n",
        "main.py": "import config\nfrom lib.run import run\n"
        "if __name__ == '__main__':\n    run(config.DEVICE)\n",
    },
    "a configuration further away": {
        "lib/__init__.py": "",
        "lib/run.py": LIBRARY,
        "lib/options.py": "from .defaults import device\n",
        "lib/defaults.py": "def device(name='cuda'):\n    return name\n",
        "main.py": "from lib import options, run\n"
        "if __name__ == '__main__':\n    run.run(options.device())\n",
    },
    "a back end and its group": {
        "lib/run.py": "import torch.distributed as dist\n\n"
        "def run(backend):\n    dist.init_process_group(backend)\n",
        "main.py": OPTION.replace("device", "backend").replace("cuda", "nccl"),
    },
    "an option of click": {
        "lib/run.py": LIBRARY,
        "main.py": "import click\nfrom lib.run import run\n@click.command()\n"
        "@click.option('--device', default='cuda')\ndef main(device):\n    run(device)\n"
        'if __name__ == "__main__":\n    main()\n',
    },
}
SERVED = {
    "another module moves something": {
        "lib/run.py": LIBRARY.replace(".to(device)", ".cuda()"), "main.py": OPTION,
    },
    "another module asks for the device": {
        "lib/run.py": LIBRARY + "\ndef n():\n    return torch.cuda.device_count()\n", "main.py": OPTION,
    },
    "a module imports it already": {
        "lib/run.py": LIBRARY,
        "lib/__init__.py": "try:\n    import torch_npu\nexcept ImportError:\n    pass\n",
        "main.py": OPTION,
    },
    "no module names a device": {"lib/run.py": LIBRARY, "main.py": OPTION.replace("cuda", "cpu")},
    "only a test of a tensor": {
        "lib/run.py": "import torch\n\ndef run(x):\n    return x.is_cuda and x.device.type == 'cuda'\n",
        "main.py": OPTION.replace("cuda", "cpu"),
    },
    "only a back end's name": {
        "lib/run.py": LIBRARY, "main.py": OPTION.replace("device", "backend").replace("cuda", "nccl"),
    },
}  # fmt: skip


def migrated(files: dict[str, str], version: str, where: Path) -> dict[str, str]:
    return migrated_files(where, files, version=version).texts(files)


@pytest.mark.parametrize("version", BEFORE)
@pytest.mark.parametrize("files", PROGRAMS.values(), ids=PROGRAMS)
def test_the_script_imports_it_where_no_other_module_does(
    files: dict[str, str], version: str, tmp_path: Path
) -> None:
    after = migrated(files, version, tmp_path)
    assert {name for name, text in after.items() if "import torch_npu" in text} == {"main.py"}
    assert after["main.py"].count("import torch_npu") == 1


@pytest.mark.parametrize("version", BY_ITSELF)
@pytest.mark.parametrize("files", PROGRAMS.values(), ids=PROGRAMS)
def test_torch_loads_it_from_2_5_1_on(files: dict[str, str], version: str, tmp_path: Path) -> None:
    files = {**files, "main.py": files["main.py"].replace("import torch\n", "")}
    assert "import torch_npu" not in migrated(files, version, tmp_path)["main.py"]


@pytest.mark.parametrize("version", ["2.1.0", "2.8.0"])
@pytest.mark.parametrize("files", SERVED.values(), ids=SERVED)
def test_the_script_stays_without_it_where_nothing_needs_it(
    files: dict[str, str], version: str, tmp_path: Path
) -> None:
    assert "torch_npu" not in migrated(files, version, tmp_path)["main.py"]


@pytest.mark.parametrize("version", ["1.11.0", "2.1.0", "2.8.0", str(NEWEST)])
@pytest.mark.parametrize(
    "text",
    [
        "import torch\ndef f(x):\n    return x.is_cuda\n",
        "import torch\nparser.add_argument('--dist-backend', default='nccl', type=str)\n",
        "import torch\ndef f(backend='nccl'):\n    return backend\n",
        "import torch\nclass Config:\n    dist_backend: str = 'nccl'\n",
        "import torch\nif device.type == 'cuda':\n    pin = True\n",
    ],
)
def test_a_text_or_a_test_needs_no_import(text: str, version: str, tmp_path: Path) -> None:
    after = migrated({"lib.py": text}, version, tmp_path)["lib.py"]
    assert after != text
    assert "torch_npu" not in after
