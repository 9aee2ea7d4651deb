"""The lists of setup.cfg, and the values of other INI files."""

from __future__ import annotations

from gpu2ascend_rules.kinds.packages.places import Requirement
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.settings import Setting

SETUP = "[metadata]\nname = x\n[options]\ninstall_requires =\n    torch>=1.7\n    # not this\n    numpy\n"


def test_lists_of_dependencies() -> None:
    file = kind_file("setup.cfg", SETUP + "[options.extras_require]\ngpu =\n\tcupy\n")
    assert file is not None
    assert [place.name for place in file.places() if isinstance(place, Requirement)] == [
        "torch", "numpy", "cupy",
    ]  # fmt: skip


def test_values_have_section_and_option() -> None:
    text = "[train]\ndevice = cuda:0  ; the first\nbackend: 'nccl'\n# device = cuda\n"
    file = kind_file("train.ini", text)
    assert file is not None
    found = [place for place in file.places() if isinstance(place, Setting)]
    assert [(place.keys, place.value) for place in found] == [
        (("train", "device"), "cuda:0"),
        (("train", "backend"), "nccl"),
    ]
    assert [text[place.start : place.end] for place in found] == ["cuda:0", "nccl"]


def test_a_comment_is_found() -> None:
    file = kind_file("train.ini", "[a]\nb = c ; d\n# e\n")
    assert file is not None
    assert file.comment_at(11, 12) == "; d" and file.comment_at(15, 16) == "# e"
    assert file.comment_at(4, 5) is None
