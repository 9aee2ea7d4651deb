"""A word is decided alike wherever a refactoring that keeps the meaning puts it."""

from __future__ import annotations

import os
import random

import pytest

from tools.metamorphic.comparison import Original
from tools.metamorphic.marked import places, with_marks
from tools.metamorphic.migrated import Fate, migrated
from tools.metamorphic.refactorings import ALL
from tools.metamorphic.refactorings.refactoring import MAIN, Refactoring, Target, targets_of
from tools.metamorphic.samples import samples

IS_WIDE = os.environ.get("GPU2ASCEND_METAMORPHIC") == "all"
SAMPLES = {sample.name: sample for sample in samples()}
SHARE = 8
"""One of so many refactorings of each sample, by chance; all of them with ``GPU2ASCEND_METAMORPHIC=all``."""


@pytest.mark.parametrize("name", SAMPLES)
def test_words_are_decided_alike_after_a_refactoring(name: str) -> None:
    chance = random.Random(name)
    original = Original(SAMPLES[name])
    chosen = ALL if IS_WIDE else chance.sample(ALL, len(ALL) // SHARE)
    found = [difference for refactoring in chosen for difference in original.differences(refactoring)]
    assert "\n".join(map(str, found)) == ""


def test_what_does_not_keep_the_meaning_is_found() -> None:
    def shown(target: Target) -> dict[str, str]:
        return {MAIN: f"print({target.program.source(target.node)})\n"}

    original = Original(SAMPLES["NPU201-0"])
    assert original.differences(Refactoring("only shown", shown))


@pytest.mark.parametrize("refactoring", ALL, ids=[item.name for item in ALL])
def test_each_refactoring_is_made_and_keeps_every_word(refactoring: object) -> None:
    [item] = [item for item in ALL if item is refactoring]
    text = "import torch\nplace = 'cuda:1'\nx = torch.ones(2, device='cuda')\ny = x.to(place)\n"
    made = [files for target in targets_of(with_marks(text)) if (files := item.apply(target)) is not None]
    assert made
    for files in made:
        plain, words = places(files)
        assert set(words) == {0, 1}
        for number, literal in enumerate(("'cuda:1'", "'cuda'")):
            assert [plain[place.path][place.start : place.end] for place in words[number]] == [literal]


FATES = {
    "changed": ("import torch\nd = torch.device('cuda')\n", Fate.CHANGED),
    "widened": (
        "import torch\nif x.device.type in ('cuda', 'xpu'):\n    torch.cuda.synchronize()\n",
        Fate.WIDENED,
    ),
    "kept": ("print('cuda')\n", Fate.KEPT),
    "kept in an entry that is written again": (
        "import torch\nb = {'cuda': f('nccl'), 'cpu': 'gloo'}[x.device.type]\n",
        Fate.KEPT,
    ),
    "kept beside another": (
        "import torch\nif x.device.type in ('cuda', 'npu'):\n    torch.cuda.synchronize()\n",
        Fate.KEPT,
    ),
    "kept in a table": ("import torch\nb = {'cuda': 'nccl', 'cpu': 'gloo'}[x.device.type]\n", Fate.KEPT),
}


@pytest.mark.parametrize(("text", "fate"), FATES.values(), ids=FATES)
def test_what_became_of_a_word_is_read_from_the_edits(text: str, fate: Fate) -> None:
    options = next(iter(SAMPLES.values())).options
    assert set(migrated({"train.py": with_marks(text)}, options).fates.values()) == {frozenset({fate})}
