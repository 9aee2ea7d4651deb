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


def test_a_name_that_ends_as_mindspore_needs_it_stays() -> None:
    assert saved("'net.ckpt'") == "'net.ckpt'"


@pytest.mark.parametrize(
    "path", ["path", "'net.pt1'", "'.pt'.join(parts)", "f'{net}'", "name('net.pt')", "''"]
)
def test_other_names_stay_and_the_helper_writes_them(path: str) -> None:
    answer = converted(
        f"{HEAD}torch.save(net.state_dict(), {path})\nnet.load_state_dict(torch.load({path}))\n"
    )
    assert f"like_torch.save(like_torch.state_dict(net), {path})\n" in answer.text
    assert f"like_torch.load_state_dict(net, like_torch.load({path}))\n" in answer.text
    assert answer.parts == {"save", "load", "state_dict", "load_state_dict"}


def test_what_else_is_saved_goes_by_the_helper() -> None:
    text = (
        f"{HEAD}optimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
        "torch.save({'net': net.state_dict(), 'optimizer': optimizer.state_dict(), 'epoch': 3}, 'all.pt')\n"
        "state = torch.load('all.pt', map_location=lambda storage, place: storage)\n"
        "net.load_state_dict(state['net'], strict=False)\noptimizer.load_state_dict(state['optimizer'])\n"
    )
    after = converted(text).text
    assert (
        "like_torch.save({'net': like_torch.state_dict(net), 'optimizer': like_torch.state_dict(optimizer)"
        in after
    )
    assert "state = like_torch.load('all.pt')\n" in after
    assert "like_torch.load_state_dict(net, state['net'], strict=False)\n" in after
    assert "like_torch.load_state_dict(optimizer, state['optimizer'])\n" in after


@pytest.mark.parametrize(
    "line",
    [
        "torch.save(net, path)",
        "torch.save(net.state_dict(), path, pickle_module=pickle)",
        "state = torch.load(path, pickle_module=pickle)",
        "for name in net.state_dict():\n    print(name)",
        "weight = net.state_dict()['weight']",
        "net.load_state_dict(state, assign=True)",
        "net.load_state_dict(*states)",
    ],
)
def test_what_the_helper_does_not_do_keeps_the_file(line: str) -> None:
    assert "checkpoint" in converted(f"{HEAD}{line}\n").blockers.values()


def test_a_state_of_the_files_own_keeps_the_file() -> None:
    own = "class Mean:\n    def state_dict(self):\n        return {}\n\n\n"
    line = "state = net.state_dict()\n"
    assert "checkpoint" in converted(f"{HEAD}{own}{line}").blockers.values()
    assert converted(f"{HEAD}{line}").text.endswith("state = like_torch.state_dict(net)\n")


def test_what_is_saved_and_loaded_has_one_name() -> None:
    load = "net.load_state_dict(torch.load('net.pt'))\n"
    text = converted(f"{HEAD}torch.save(net.state_dict(), 'net.pt')\n{load}").text
    assert text.count("'net.ckpt'") == 2 and "'net.pt'" not in text
