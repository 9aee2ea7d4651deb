"""Loaders that no DistributedSampler fits are not broken: alone and in two processes the script trains on.

Every process goes through all data, to the result of a single one, and a finding says what to do.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest
from gpu2ascend_rules.options.options import options_from
from tests.execution.distributed.processes import train
from tests.execution.distributed.test_converted_scripts import RESULT

pytestmark = [pytest.mark.slow, pytest.mark.execution]

SCRIPT = """\
import os

import torch
from torch.utils.data import DataLoader, TensorDataset


class Batches(DataLoader):
    pass


x = torch.randn(16, 3, generator=torch.Generator().manual_seed(0))
y = x.sum(1, keepdim=True)
data = TensorDataset(x, y)


def main():
    model = torch.nn.Linear(3, 1)
    torch.nn.init.ones_(model.weight)
    torch.nn.init.zeros_(model.bias)
    model.cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = LOADER
    for epoch in range(2):
        for inputs, targets in loader:
            loss = (model(inputs.cuda()) - targets.cuda()).abs().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.save(model.state_dict(), os.path.join(os.environ["OUTPUT"], "model.pt"))
    print(f"result {model.weight.sum().item():.6f}")


if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("loader", "said"),
    [
        pytest.param(
            "DataLoader(data, batch_sampler=[list(range(i, i + 4)) for i in (0, 4, 8, 12)])",
            "BatchSampler(DistributedSampler(dataset), batch_size, drop_last)",
            id="batch sampler",
        ),
        pytest.param("Batches(data, 4)", "pass it a DistributedSampler", id="own class"),
        pytest.param("list(zip(x.split(4), y.split(4)))", "dist.get_rank()", id="no loader"),
    ],
)
def test_every_process_trains_on_all_data_and_that_is_said(loader: str, said: str, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "train.py").write_text(SCRIPT.replace("LOADER", loader))
    options = options_from({"version": "2.8.0", "distributed": True, "main_file": "train.py"})
    request = MigrationRequest(input=project, output=tmp_path / "out", options=options, jobs=1)
    done = migrate(request)
    assert done.output_path is not None and done.summary.errors == 1
    (line,) = [
        line
        for line in (done.output_path / "msFmkTranspltlog.txt").read_text().splitlines()
        if "NPU421" in line
    ]
    assert said in line
    script = done.output_path / "train.py"
    single = train(script, tmp_path / "single", batch_size=4).check()
    several = train(script, tmp_path / "several", 2, batch_size=4).check()
    assert RESULT.findall(single.output) == RESULT.findall(several.output) != []
    assert several.saved == ("model.pt",)
