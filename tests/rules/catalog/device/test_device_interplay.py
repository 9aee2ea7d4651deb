"""Rules on devices together with those on CUDA names: both change, once each, whatever comes first."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.outcome import FixOutcome
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile


def outcome(text: str, version: str = "2.8.0", **settings: object) -> FixOutcome:
    options = options_from({"version": version, "select": ["NPU1", "NPU2"], **settings})
    return apply_fixes(SourceFile(f"import torch\n{text}\n"), options)


def migrated(text: str, version: str = "2.8.0", **settings: object) -> str:
    new = outcome(text, version, **settings).text
    return new.removeprefix("import torch\n").removeprefix("import torch_npu\n").removesuffix("\n")


def remaining(text: str, version: str = "2.8.0") -> list[str]:
    return [item.finding.code for item in outcome(text, version).remaining]


def test_an_ordinal_of_the_current_device_is_named_and_renamed() -> None:
    before = "x = x.to(torch.cuda.current_device())"
    assert migrated(before, "2.1.0") == "x = x.to(torch.device('npu', torch_npu.npu.current_device()))"
    assert migrated(before, "2.3.1") == "x = x.to(torch_npu.npu.current_device())"


def test_an_ordinal_that_a_variable_holds_is_named_where_it_is_used() -> None:
    before = "d = torch.cuda.current_device()\nx = torch.zeros(2, device=d)"
    assert migrated(before, "2.2.0") == (
        "d = torch_npu.npu.current_device()\nx = torch.zeros(2, device=torch.device('npu', d))"
    )


def test_the_context_of_a_device_is_no_torch_device() -> None:
    before = "with torch.cuda.device(rank):\n    x = x.to(rank)"
    assert migrated(before, "2.1.0") == (
        "with torch_npu.npu.device(rank):\n    x = x.to(torch.device('npu', rank))"
    )


def test_a_module_moved_to_a_named_device_takes_two_passes() -> None:
    before = "net = torch.nn.Linear(1, 1)\nnet.cuda(torch.device('cuda:0'))\nnet.cuda('cuda:1')"
    result = outcome(before)
    assert result.text.endswith("net.to(torch.device('npu:0'))\nnet.to('npu:1')\n")


def test_a_storage_is_moved_by_the_function_that_maps_it() -> None:
    before = "w = torch.load(f, map_location=lambda storage, loc: storage.cuda(0))"
    after = "w = torch.load(f, map_location=lambda storage, loc: storage.npu(0))"
    assert migrated(before, "2.1.0") == after
    assert migrated(before, "2.0.1") == before
    assert migrated(before, "2.0.1", unsafe_fixes=True) == after


@pytest.mark.parametrize("version", ["1.11.0", "2.8.0"])
def test_the_legacy_format_is_pointed_out_where_storages_are_mapped(version: str) -> None:
    text = "w = torch.load(f, map_location=lambda storage, loc: storage.cuda(0))"
    assert "NPU205" in remaining(text, version)


def test_keys_of_map_location_name_what_the_file_holds() -> None:
    before = "w = torch.load(f, map_location={'cuda:0': 'cuda:%d' % rank})"
    assert migrated(before) == (
        "w = torch.load(f, map_location={'cuda:0': 'npu:%d' % rank, 'npu:0': 'npu:%d' % rank})"
    )


def test_both_halves_of_a_choice_change_however_it_is_written() -> None:
    before = (
        "if torch.cuda.is_available():\n    kind = 'cuda'\nelse:\n    kind = 'cpu'\n"
        "model.to(kind)\nuse = {'device': 'cuda' if torch.cuda.is_available() else 'cpu'}"
    )
    assert migrated(before) == (
        "if torch_npu.npu.is_available():\n    kind = 'npu'\nelse:\n    kind = 'cpu'\n"
        "model.to(kind)\nuse = {'device': 'npu' if torch_npu.npu.is_available() else 'cpu'}"
    )


def test_a_table_of_functions_gets_an_entry_that_works_on_the_npu() -> None:
    before = "SYNC = {'cuda': torch.cuda.synchronize, 'cpu': int}\nSYNC[x.device.type]()"
    after = migrated(before)
    assert "'npu': torch_npu.npu.synchronize" in after
    assert migrated(after) == after


def test_a_default_tensor_type_by_name_is_changed_by_one_rule() -> None:
    before = "torch.set_default_tensor_type(torch.cuda.FloatTensor)"
    assert migrated(before) == "torch.set_default_device('npu')"
    assert migrated(before, "1.8.1") == before
    assert (
        migrated(before, "1.8.1", unsafe_fixes=True) == "torch.set_default_tensor_type('torch.FloatTensor')"
    )


@pytest.mark.parametrize(
    "given",
    [
        "torch.cuda.FloatTensor if c else torch.FloatTensor",
        "('torch.cuda.FloatTensor' if c else 'torch.FloatTensor')",
    ],
)
def test_a_chosen_default_tensor_type_becomes_a_chosen_device(given: str) -> None:
    assert "torch.set_default_device(" in migrated(f"torch.set_default_tensor_type({given})")
    assert "'npu' if c else 'cpu'" in migrated(f"torch.set_default_tensor_type({given})")


def test_a_default_tensor_type_by_a_variable_is_reported_after_the_type_has_moved() -> None:
    text = "kind = torch.cuda.FloatTensor if c else torch.FloatTensor\ntorch.set_default_tensor_type(kind)"
    assert remaining(text) == ["NPU211"]


def test_patched_names_follow_the_style_of_the_code_that_they_patch() -> None:
    before = "@patch('torch.cuda.is_available')\ndef test(m):\n    torch.cuda.is_available()"
    assert migrated(before, api_style="torch.npu") == (
        "@patch('torch.npu.is_available')\ndef test(m):\n    torch.npu.is_available()"
    )
    assert migrated(before) == (
        "@patch('torch_npu.npu.is_available')\ndef test(m):\n    torch_npu.npu.is_available()"
    )


def test_every_edit_is_made_on_the_text_as_it_was() -> None:
    before = "x = f(torch.device('cuda:0'), torch.cuda.FloatTensor, 'cuda:0 or torch.cuda')"
    after = "x = f(torch.device('npu:0'), torch_npu.npu.FloatTensor, 'cuda:0 or torch.cuda')"
    assert migrated(before) == after


def test_a_second_migration_changes_nothing() -> None:
    before = (
        "device = 'cuda' if torch.cuda.is_available() else 'cpu'\nmodel.cuda().to(device)\n"
        "if device == 'cuda' and x.is_cuda:\n    torch.random.fork_rng()"
    )
    once = migrated(before)
    assert once != before
    assert migrated(once) == once


def test_no_file_gets_an_import_that_it_does_not_need() -> None:
    options = options_from({"version": "2.8.0"})
    assert apply_fixes(SourceFile("device = 'cuda'\n"), options).text == "device = 'npu'\n"


def test_a_new_text_stands_in_the_file_s_own_quotes() -> None:
    assert migrated("print('a', 'b')\nm = torch.nn.Linear(1, 1).cuda(1)", "2.1.0").endswith(
        ".to(torch.device('npu', 1))"
    )
    assert migrated('print("a", "b")\nm = torch.nn.Linear(1, 1).cuda(1)', "2.1.0").endswith(
        '.to(torch.device("npu", 1))'
    )


@pytest.mark.parametrize(("outer", "inner"), [("'", '"'), ('"', "'")])
def test_a_new_text_in_an_f_string_stands_in_other_quotes_than_the_string(outer: str, inner: str) -> None:
    before = f"print(f{outer}{{torch.zeros(1, device=0)}}{outer})"
    device = f"torch.device({inner}npu{inner}, 0)"
    assert migrated(before, "2.1.0") == f"print(f{outer}{{torch.zeros(1, device={device})}}{outer})"


def test_a_map_of_modules_to_ordinals_is_named_up_to_torch_2_2() -> None:
    before = "m = AutoModel.from_pretrained(p, device_map={'': 0})"
    assert migrated(before, "2.2.0").endswith("device_map={'': torch.device('npu', 0)})")
    assert migrated(before, "2.3.1") == before
