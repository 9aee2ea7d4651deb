"""The value of a member of an enumeration is decided with the look-ups of members and their uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.program.marked import decided

KINDS = "import enum\nclass Kind(enum.Enum):\n    GPU = 'cuda!'\n    CPU = 'cpu'\n"
PROJECTS: dict[str, dict[str, str]] = {
    "looked up by its value": {
        "kinds.py": KINDS,
        "train.py": "import torch\nfrom kinds import Kind\ndef pick(k: Kind):\n    return x.to(k.value)\n"
        "pick(Kind('cuda!'))\n",
    },
    "looked up by its name": {
        "kinds.py": KINDS,
        "train.py": "import torch\nfrom kinds import Kind\nkind = Kind['GPU']\nx.to(kind.value)\n",
    },
    "read of whichever member": {
        "kinds.py": KINDS,
        "train.py": "import torch\nfrom kinds import Kind\ndef pick(kind: Kind):\n    x.to(kind.value)\n",
    },
    "that converts an option": {
        "kinds.py": KINDS,
        "train.py": "import argparse, torch\nfrom kinds import Kind\np = argparse.ArgumentParser()\n"
        "p.add_argument('--where', type=Kind, default='cuda!')\nx.to(p.parse_args().where.value)\n",
    },
    "that a loop looks for": {
        "kinds.py": KINDS + "    @classmethod\n    def parse(cls, text):\n        for kind in cls:\n"
        "            if kind.value == text.split(':')[0]:\n                return kind\n",
        "train.py": "import torch\nfrom kinds import Kind\nx.to(Kind.parse('cuda!:0').value)\n",
    },
    "that a loop of another module looks for": {
        "kinds.py": KINDS,
        "train.py": "import torch\nfrom kinds import Kind\ndef put(x, where='cuda!'):\n"
        "    assert any(where == k.value for k in Kind)\n    x.to(where)\n",
    },
    "of a base of the project": {
        "kinds.py": "import enum\nclass Base(str, enum.Enum):\n    pass\n"
        "class Kind(Base):\n    GPU = 'cuda!'\n",
        "train.py": "import torch\nfrom kinds import Kind\nx.to(Kind('cuda!').value)\n",
    },
    "that nothing uses as a device": {
        "kinds.py": "import enum\nclass Kind(enum.Enum):\n    GPU = 'cuda'\n",
        "train.py": "import torch\nfrom kinds import Kind\nprint(Kind('cuda'))\n",
    },
    "whose value is read of another class": {
        "kinds.py": KINDS.replace("cuda!", "cuda")
        + "class Other:\n    def __init__(self, value):\n        self.value = value\n",
        "train.py": "import torch\nfrom kinds import Other\ndef pick(k: Other):\n    x.to(k.value)\n",
    },
}


@pytest.mark.parametrize("name", PROJECTS)
def test_the_words_are_decided_together(name: str, tmp_path: Path) -> None:
    assert decided(PROJECTS[name], tmp_path) == PROJECTS[name]
