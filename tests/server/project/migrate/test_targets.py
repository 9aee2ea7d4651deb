"""What a migration to each target is called, says and needs."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from gpu2ascend.project.errors import InputError
from gpu2ascend.project.migrate.migrate import migrate
from gpu2ascend.project.report.result import MigrationRequest, MigrationResult
from gpu2ascend_rules.options.options import options_from
from tests.server.project.samples import make_tree

SCRIPT = "import torch\n\ndef clean():\n    torch.cuda.empty_cache()\n"
STARTED = "import torch\nif __name__ == '__main__':\n    torch.ones(1).cuda()\n"


def migrated(tmp_path: Path, text: str, **options: object) -> MigrationResult:
    root = make_tree(tmp_path / "proj", {"train.py": text, "tests/test_train.py": text})
    given = options_from(options)
    return migrate(MigrationRequest(input=root, output=tmp_path / "out", options=given, jobs=1))


def notices(result: MigrationResult) -> dict[str, dict[str, object]]:
    return {item.id: dict(item.arguments) for item in result.notices}


def test_the_least_release_that_the_code_needs_is_computed(tmp_path: Path) -> None:
    result = migrated(tmp_path, SCRIPT, target="accelerator")
    assert notices(result)["project.needs-torch"] == {"version": "2.9.0"}
    assert result.output_path is not None and result.output_path.name == "proj_accelerator"
    assert "2.9.0" in (result.output_path / "msFmkTranspltlog.txt").read_text("utf-8")
    assert "2.9.0" in (result.output_path / "report.html").read_text("utf-8")


def test_tests_stay_as_they_are(tmp_path: Path) -> None:
    result = migrated(tmp_path, SCRIPT, target="accelerator")
    assert result.output_path is not None
    assert (result.output_path / "tests/test_train.py").read_text("utf-8") == SCRIPT
    assert (result.output_path / "train.py").read_text("utf-8") != SCRIPT


def test_the_marker_says_what_was_migrated_to(tmp_path: Path) -> None:
    result = migrated(tmp_path, SCRIPT, target="accelerator")
    assert result.output_path is not None
    marker = json.loads((result.output_path / ".gpu2ascend.json").read_text("utf-8"))
    assert marker["target"] == "accelerator"


def test_the_page_compares_the_two_ways_where_there_are_two(tmp_path: Path) -> None:
    result = migrated(tmp_path, STARTED, auto=True, version="2.8.0")
    assert result.output_path is not None and result.output_path.name == "proj_msft"
    page = (result.output_path / "report.html").read_text("utf-8")
    assert "The two approaches" in page
    text = (result.output_path / "train.py").read_text("utf-8")
    added = "import torch_npu\nfrom torch_npu.contrib import transfer_to_npu\n"
    assert text.replace(added, "") == STARTED != text


def test_a_migration_of_the_code_compares_nothing(tmp_path: Path) -> None:
    result = migrated(tmp_path, STARTED, version="2.8.0")
    assert result.output_path is not None
    assert "The two approaches" not in (result.output_path / "report.html").read_text("utf-8")
    assert "project.needs-torch" not in notices(result)


MODEL = (
    "import torch\nfrom torch import nn\n\nnet = nn.Linear(2, 1)\n"
    "opt = torch.optim.SGD(net.parameters(), lr=0.1)\nfor x in torch.ones(3, 4, 2):\n    opt.zero_grad()\n"
    "    loss = net(x).sum()\n    loss.backward()\n    opt.step()\n"
)
STUCK = "import torch\n\nx = torch.zeros(3)\ny = torch.svd(x)\n"


def rows(result: MigrationResult, name: str) -> list[list[str]]:
    assert result.output_path is not None
    return list(csv.reader((result.output_path / name).read_text("utf-8").splitlines()))


def test_mindspore_has_tables_of_what_became_of_each_api(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"train.py": MODEL, "stuck.py": STUCK})
    options = options_from({"target": "mindspore"})
    result = migrate(MigrationRequest(input=root, output=tmp_path / "out", options=options, jobs=1))
    assert result.output_path is not None and result.output_path.name == "proj_x2ms"
    tables = ("supported_api.csv", "custom_supported_api.csv", "deleted_api.csv", "unsupported_api.csv")
    heads = {tuple(rows(result, table)[0]) for table in tables}
    assert heads == {("File", "Start Line", "End Line", "Api", "Type", "Tips")}
    assert ["train.py", "4", "4", "torch.nn.Linear", "SUPPORTED", ""] in rows(result, tables[0])
    custom = rows(result, tables[1])
    assert ["train.py", "9", "9", "torch.Tensor.backward", "CUSTOM_SUPPORTED", ""] in custom
    assert rows(result, tables[2])[1][:5] == [
        "train.py",
        "7",
        "7",
        "torch.optim.Optimizer.zero_grad",
        "DELETED",
    ]
    assert rows(result, tables[3])[1][:5] == ["stuck.py", "4", "4", "torch.svd", "UNSUPPORTED"]
    left = [row for row in rows(result, tables[0]) if row[0] == "stuck.py"]
    assert left and all(row[5] for row in left)
    assert (result.output_path / "x2mindspore.log").is_file()
    assert "project.version-of-target" not in notices(result)


def test_other_targets_have_none_of_these_tables(tmp_path: Path) -> None:
    result = migrated(tmp_path, SCRIPT, version="2.8.0")
    assert result.output_path is not None
    assert not (result.output_path / "supported_api.csv").exists()
    assert rows(result, "unsupported_api.csv")[0][3:] == ["OP", "Tips"]


def test_the_chosen_release_of_mindspore_is_remembered(tmp_path: Path) -> None:
    result = migrated(tmp_path, MODEL, target="mindspore", mindspore_version="2.9")
    assert result.output_path is not None
    marker = json.loads((result.output_path / ".gpu2ascend.json").read_text("utf-8"))
    assert marker["options"]["mindspore_version"] == "2.9.0"


def test_calls_beside_what_is_converted_are_reported_where_their_file_is_not(tmp_path: Path) -> None:
    model = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
    files = {
        "net.py": model,
        "run.py": "from net import Net\n\nnet = Net()\nnet.train()\nnet.forward(1)\n",
        "other.py": "import json\n\nclass Bus:\n    pass\n\nBus().train()\n",
    }
    root = make_tree(tmp_path / "proj", files)
    options = options_from({"target": "mindspore"})
    result = migrate(MigrationRequest(input=root, output=tmp_path / "out", options=options, jobs=1))
    assert result.output_path is not None and result.exit_code == 1
    log = (result.output_path / "x2mindspore.log").read_text("utf-8")
    assert "run.py:4: MS002" in log and "run.py:5" in log and "other.py" not in log


def test_mindspore_in_several_processes_has_its_scripts_and_its_name(tmp_path: Path) -> None:
    result = migrated(tmp_path, MODEL, target="mindspore", distributed=True, main_file="train.py")
    output = result.output_path
    assert output is not None and output.name == "proj_x2ms_multi"
    assert "communication.init()" in (output / "train.py").read_text("utf-8")
    assert "DistributedGradReducer" in (output / "train.py").read_text("utf-8")
    assert 'start train.py "$@"' in (output / "run_msrun.sh").read_text("utf-8")
    assert "python3 -u train.py" in (output / "run_distributed_ascend.sh").read_text("utf-8")
    assert not (output / "env.sh").exists() and not (output / "run_distributed_npu.sh").exists()


def test_what_mint_computes_on_ascend_only_is_marked(tmp_path: Path) -> None:
    text = MODEL.replace("net(x)", "torch.roll(net(x), 1)")
    result = migrated(tmp_path, text, target="mindspore", mindspore_api="mint")
    tips = {row[3]: row[5] for row in rows(result, "supported_api.csv")[1:]}
    assert "Ascend only" in tips["torch.roll"] and tips["torch.nn.Linear"] == ""
    assert "project.mint-unchecked" in notices(result)
    assert result.output_path is not None
    assert "mint.roll(net(x), 1)" in (result.output_path / "train.py").read_text("utf-8")


def test_without_it_nothing_is_said_of_mint(tmp_path: Path) -> None:
    result = migrated(tmp_path, MODEL, target="mindspore", graph=True)
    assert "project.graph-limits" in notices(result) and "project.mint-unchecked" not in notices(result)
    assert "mint" not in str(rows(result, "supported_api.csv"))


def test_other_targets_have_neither_graphs_nor_mint(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        migrated(tmp_path / "npu", MODEL, version="2.8.0", graph=True)
    with pytest.raises(InputError):
        migrated(tmp_path / "mint", MODEL, version="2.8.0", mindspore_api="mint")
    assert migrated(tmp_path / "usual", MODEL, version="2.8.0").output_path is not None
