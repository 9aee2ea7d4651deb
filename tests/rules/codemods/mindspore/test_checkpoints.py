"""Names of files with weights: MindSpore saves and loads none that ends as those of PyTorch do."""

from __future__ import annotations

import pytest

from .converting import converted

HEAD = "import os\nimport torch\nimport torch.nn as nn\n\nnet = nn.Linear(3, 2)\n"


def saved(path: str) -> str:
    """The path in the call that saves."""
    text = converted(f"{HEAD}torch.save(net.state_dict(), {path})\n").text
    return text.partition("ms.save_checkpoint(net, ")[2].removesuffix(")\n")


@pytest.mark.parametrize(
    ("path", "after"),
    [
        ("'net.pt'", "'net.ckpt'"),
        ("'net.pth'", "'net.ckpt'"),
        ("f'{name}/net_{epoch}.pth'", "f'{name}/net_{epoch}.ckpt'"),
        ("folder + '/net.pt'", "folder + '/net.ckpt'"),
        ("os.path.join(folder, 'net.pt')", "os.path.join(folder, 'net.ckpt')"),
        ("'net_%d.pt' % epoch", "'net_%d.ckpt' % epoch"),
        ("('net_{}.pt').format(epoch)", "('net_{}.ckpt').format(epoch)"),
    ],
)
def test_a_name_that_is_written_out_gets_the_suffix_of_mindspore(path: str, after: str) -> None:
    assert saved(path) == after


@pytest.mark.parametrize(
    "path", ["path", "'net.ckpt'", "'net.pt1'", "'.pt'.join(parts)", "f'{net}'", "name('net.pt')", "''"]
)
def test_other_paths_stay(path: str) -> None:
    assert saved(path) == path


def test_what_is_saved_and_loaded_has_one_name() -> None:
    load = "net.load_state_dict(torch.load('net.pt'))\n"
    text = converted(f"{HEAD}torch.save(net.state_dict(), 'net.pt')\n{load}").text
    assert text.count("'net.ckpt'") == 2 and "'net.pt'" not in text
