"""A project costs as much as its files: no file costs more where there are more of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.inspect.check import check_paths
from gpu2ascend_rules.options.options import options_from
from tests.security.test_growth import MOST, growth
from tests.server.project.samples import make_tree

OPTIONS = options_from({"version": "2.8.0"})
SIZE = 20
FILES = {
    "apart": "import torch\nx = torch.ones(2).cuda()\n",
    "that import the next one": "import torch\nfrom file_{j} import f\ndef f(x):\n    return f(x.cuda())\n",
    "that give each other names": "import torch\nfrom file_{j} import device\nx = torch.ones(2).to(device)\n",
}


@pytest.mark.parametrize("name", FILES)
def test_a_check_grows_with_the_files(tmp_path: Path, name: str) -> None:
    def work(count: int) -> None:
        found = list(check_paths([tmp_path / str(count)], OPTIONS, jobs=1))
        assert len(found) == count

    for count in (SIZE, 2 * SIZE):
        texts = (FILES[name].replace("{j}", str(i + 1)) for i in range(count))
        make_tree(tmp_path / str(count), {f"file_{i}.py": text for i, text in enumerate(texts)})
    assert growth(work, SIZE) <= MOST
