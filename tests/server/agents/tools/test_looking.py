"""Tools that look: findings by gravity, pages of rules, facts about names, explained logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..conftest import TRAIN, Ask, V

pytestmark = pytest.mark.slow


def test_check_lists_findings_by_gravity_in_pages(ask: Ask) -> None:
    first = ask("check", paths=["proj"], limit=1, **V).data
    assert first["counts"]["error"] == 1 and first["total"] == 2 and first["next_offset"] == 1
    assert (first["findings"][0]["path"], first["findings"][0]["line"]) == ("proj/train.py", 4)
    last = ask("check", paths=["proj"], limit=1, offset=1, **V).data
    assert last["next_offset"] is None
    assert (last["findings"][0]["code"], last["findings"][0]["fix"]) == ("NPU110", "safe")


def test_what_a_project_silences_itself_is_said_beside_the_findings(ask: Ask, project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.gpu2ascend]\nignore = ["NPU101"]\n')
    found = ask("check", paths=["proj"], **V)
    assert [item["code"] for item in found.data["findings"]] == ["NPU110"] and found.data["total"] == 1
    assert "NPU101" in found.data["notices"] and "NPU101" in found.text


def test_a_code_selects(ask: Ask) -> None:
    assert ask("check", paths=["proj"], code="NPU101", **V).data["total"] == 1
    wrong = ask("check", paths=["proj"], code="NPU999", **V)
    assert wrong.failed and "NPU999" in wrong.text and "did you mean" in wrong.text


def test_facts_have_the_support_by_version_and_hardware_and_the_counterpart(ask: Ask) -> None:
    found = ask("facts", api="torch.cuda.empty_cache", **V).data
    assert found["status"] == "supported"
    assert found["counterpart"] == {"name": "torch_npu.npu.empty_cache", "relation": "same_name"}
    assert any(line.startswith("2.2.0 - ") and "910A unknown" in line for line in found["support"])
    assert ask("facts", api="torch.cuda.empty_cache", hardware="A3", **V).data["hardware"] == "A3"


def test_facts_have_the_signature_of_the_release(ask: Ask) -> None:
    name = "torch_npu.npu_rotary_mul"
    old, new = (ask("facts", api=name, version=version).data for version in ("2.4.0", "2.8.0"))
    assert "rotate" not in old["signature"] and "rotate" in new["signature"]


def test_facts_of_a_cuda_operator_say_how_the_replacement_differs(ask: Ask) -> None:
    found = ask("facts", api="flash_attn.flash_attn_func", **V).data
    assert found["signature"].startswith("torch_npu.npu_fusion_attention(Tensor query")
    assert "keep_prob=1 - dropout_p" in found["instead"][0]


@pytest.mark.parametrize(
    ("name", "close"),
    [
        ("torch_npu.npu.empty_cache", None),
        ("torch_npu.npu.emptycache", "torch_npu.npu.empty_cache"),
        ("torch.npu.emptycache", "torch_npu.npu.empty_cache"),
        ("torch_npu.npu_rms_norm", None),
        ("torch_npu.npu_rmsnorm", "torch_npu.npu_rms_norm"),
    ],
)
def test_a_name_of_torch_npu_exists_or_not(ask: Ask, name: str, close: str | None) -> None:
    found = ask("facts", api=name)
    assert found.data["exists"] is (close is None) and ("NO" in found.text) is (close is not None)
    assert found.data["close_names"] == [] if close is None else close in found.data["close_names"]


def test_what_is_not_known_says_what_to_ask_for(ask: Ask) -> None:
    for tool, name in (("facts", "api"), ("explain", "name")):
        answer = ask(tool, **{name: "no_such_thing"})
        assert answer.failed and "Give a rule code" in answer.text


def test_pages_and_logs_need_no_project(ask: Ask) -> None:
    assert "HCCL_CONNECT_TIMEOUT" in ask("explain", name="EI0006").data["page"]
    log = "RuntimeError: HcclAllReduce, error code is EI0006"
    page = ask("doctor_log", text=log).data["page"]
    assert "EI0006" in page and "/tmp" not in page


def test_what_must_change_is_explained_by_construct(ask: Ask) -> None:
    listed = ask("explain", name="constructs").data["page"]
    assert "`device`" in listed and "NPU201" in listed
    assert "## NPU201 " in ask("explain", name="constructs/device").data["page"]
    assert ask("explain", name="constructs/nothing").failed


def test_a_long_page_goes_on(ask: Ask) -> None:
    first = ask("explain", name="NPU101").data
    second = ask("explain", name="NPU101", offset=first["next_offset"]).data
    assert second["page"] and second["page"] not in first["page"]


def test_nothing_is_changed(ask: Ask, project: Path) -> None:
    ask("check", paths=["proj"], **V)
    assert (project / "train.py").read_text() == TRAIN
    assert [path.name for path in project.iterdir()] == ["train.py"]
