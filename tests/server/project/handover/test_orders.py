"""What an order says: the exact replacement, the project's own lines, and how to check, run and compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.project.handover import left
from gpu2ascend_rules.facts.packages.signatures import signature_of
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.versions import NEWEST, Version
from gpu2ascend_rules.text.plain.text_file import TextFile

TRAIN = """\
import torch
from flash_attn import flash_attn_func


def mine(query, keys, values):
    return flash_attn_func(query, keys, values)


def strange(query, keys, values):
    return flash_attn_func(query, keys, values, window_size=(3, 0))


model = torch.nn.Linear(2, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(3):
    loss = model(torch.ones(2, 2).cuda()).sum()
    graph = torch.cuda.CUDAGraph()
    torch.linalg.eigh(loss)
    loss.backward()
    optimizer.step()
"""


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("orders")
    (root / "proj").mkdir()
    (root / "proj" / "train.py").write_text(TRAIN)
    main(["migrate", "-i", str(root / "proj"), "-o", str(root / "out"), "-v", "2.8.0", "--language", "en"])
    return root / "out" / "proj_msft"


def orders_of(output: Path) -> list[dict[str, Any]]:
    found = json.loads((output / ".gpu2ascend/work-orders.json").read_text(encoding="utf-8"))
    return list(found["orders"])


def order(output: Path, code: str, effort: str) -> dict[str, Any]:
    return next(item for item in orders_of(output) if (item["code"], item["effort"]) == (code, effort))


def test_the_replacement_has_the_signature_of_the_release_and_its_differences(output: Path) -> None:
    found = order(output, "NPU601", "high")["replacement"]
    assert found["name"] == "torch_npu.npu_fusion_attention"
    assert found["signature"] == signature_of(found["name"], Version(2, 8, 0)) != ""
    assert "give `keep_prob=1 - dropout_p`" in found["differences"] and "bfloat16" in found["limits"]


def test_a_counterpart_of_cuda_has_its_exact_signature(output: Path) -> None:
    found = order(output, "NPU101", "low")["replacement"]
    assert (found["name"], found["signature"]) == ("torch_npu.npu.NPUGraph", "torch_npu.npu.NPUGraph()")


def test_the_pattern_has_the_names_of_the_project_where_a_rule_can_write_it(output: Path) -> None:
    assert order(output, "NPU101", "low")["pattern"] == "graph = torch_npu.npu.NPUGraph()"
    written = order(output, "NPU601", "low")["pattern"]
    assert written.startswith("return ") and "(query, keys, values)" in written
    assert order(output, "NPU601", "high")["pattern"] == ""


def test_what_to_write_is_about_the_message_of_the_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = "torch.backends.cuda.matmul.allow_tf32 = False\ntorch.backends.cudnn.allow_tf32 = False\n"
    (tmp_path / "a.py").write_text(f"import torch\n{flags}")
    main(["handover", str(tmp_path), "-v", "2.8.0", "--output-format", "json", "--language", "en"])
    written = {item["api"]: item["write"] for item in json.loads(capsys.readouterr().out)["orders"]}
    assert "npu.conv.allow_hf32" in written["torch.backends.cudnn.allow_tf32"]
    assert written["torch.backends.cuda.matmul.allow_tf32"] == ""


def test_the_support_in_other_releases_is_known(output: Path) -> None:
    (line,) = (item for item in order(output, "NPU101", "low")["known"] if "by release" in item)
    assert "2.1.0: supported" in line and f"2.6.0 - {NEWEST}: restricted" in line


def test_it_is_run_and_compared_where_other_code_computes(output: Path) -> None:
    by_code = {item["code"]: item for item in orders_of(output)}
    replaced, decided = by_code["NPU601"], by_code["NPU003"]
    assert replaced["verify"] == decided["verify"] == "gpu2ascend verify . -- train.py"
    assert replaced["compare"] == "gpu2ascend verify . --compare ../../proj -- train.py"
    assert decided["compare"] is None


def test_the_class_of_effort_says_why(output: Path) -> None:
    assert order(output, "NPU601", "low")["effort_because"] == "a fix is offered at each place"
    assert "replaced" in order(output, "NPU601", "high")["effort_because"]


def test_what_no_program_that_trains_reaches_is_not_run(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (output / "tests").mkdir()
    (output / "tests" / "test_it.py").write_text("import torch\ntorch.cuda.comm.broadcast(x, [0, 1])\n")
    capsys.readouterr()
    main(["handover", str(output), "--output-format", "json", "--language", "en"])
    found = json.loads(capsys.readouterr().out)["orders"]
    assert {item["verify"] for item in found if not item["on_the_way"]} == {None}
    assert {item["verify"] for item in found if item["on_the_way"]} == {"gpu2ascend verify . -- train.py"}


def test_orders_of_one_title_have_the_name_that_they_are_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernels = "".join(f"@triton.jit\ndef {name}(x):\n    pass\n\n" for name in ("first", "second"))
    (tmp_path / "a.py").write_text(f"import triton\n\n{kernels}")
    main(["handover", str(tmp_path), "-v", "2.8.0", "--language", "en"])
    headings = [line for line in capsys.readouterr().out.splitlines() if "NPU706-" in line and "###" in line]
    assert [heading.rpartition(": ")[2] for heading in headings] == ["`first`", "`second`"]


def test_people_read_the_same(output: Path) -> None:
    text = (output / "MIGRATION.md").read_text(encoding="utf-8")
    assert "    graph = torch_npu.npu.NPUGraph()\n" in text
    assert "- in its place: `torch_npu.npu_fusion_attention(Tensor query" in text
    assert "Compare the losses with those of the original: `gpu2ascend verify . --compare ../../proj" in text
    assert "(a fix is offered at each place)" in text


def test_only_the_first_place_of_a_cause_is_rewritten_for_its_pattern(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rewritten: list[str] = []
    pattern_at = left.pattern_at

    def noted(source: TextFile, finding: Finding) -> str:
        rewritten.append(finding.code)
        return pattern_at(source, finding)

    monkeypatch.setattr(left, "pattern_at", noted)
    (tmp_path / "proj").mkdir()
    for name in "abc":
        (tmp_path / "proj" / f"{name}.py").write_text(TRAIN, encoding="utf-8")
    main(["migrate", "-i", str(tmp_path / "proj"), "-o", str(tmp_path / "out"), "-v", "2.8.0", "--jobs", "1"])
    graph = order(tmp_path / "out" / "proj_msft", "NPU101", "low")
    assert graph["pattern"] == "graph = torch_npu.npu.NPUGraph()"
    assert len(graph["places"]) == 3
    assert rewritten.count("NPU101") == 1
