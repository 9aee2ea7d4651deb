"""The parts of the flow by themselves: names, texts, tables, and programs that are large or circular."""

from __future__ import annotations

import sys

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.data import load_tsv
from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import Role, device_flow
from gpu2ascend_rules.flow.templates import string_template, template_of
from gpu2ascend_rules.flow.words import (
    is_backend_text,
    is_device_name,
    is_device_text,
    may_become_device_text,
    words_of,
)
from gpu2ascend_rules.model.versions import choose_version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU2"]})


def roles(text: str) -> list[Role]:
    source = SourceFile(text)
    flow = device_flow(Context(source, OPTIONS))
    return [flow.role_of(ref).role for _, ref in scan_strings(source, ["cuda"])]


@pytest.mark.parametrize(
    "name",
    [
        "device",
        "DEVICE",
        "devices",
        "device_type",
        "torchDevice",
        "out_device",
        "dev",
        "self_dev",
        "map_location",
    ],
)
def test_names_for_devices(name: str) -> None:
    assert is_device_name(name)


@pytest.mark.parametrize(
    "name", ["", "_", "develop", "devel_set", "cuda", "mode", "deviation", "dev_set", "loc"]
)
def test_names_for_other_things(name: str) -> None:
    assert not is_device_name(name)


def test_words_of_names_in_every_case() -> None:
    assert words_of("map_location") == ("map", "location")
    assert words_of("torchDevice2") == ("torch", "device", "2")
    assert words_of("--no-GPU") == ("no", "gpu")


@pytest.mark.parametrize("text", ["cuda", "cuda:", "cuda:0", "cuda:12", "cuda:{}", "cuda:%d", "cuda:{i}"])
def test_texts_that_name_a_device(text: str) -> None:
    assert is_device_text(text)
    assert may_become_device_text(text)


@pytest.mark.parametrize(
    "text", ["CUDA", "cudax", "cuda:0,1", "cuda_0", " cuda", "cuda:0 ", "cuda:x", "cuda/ops", "pycuda"]
)
def test_texts_that_name_none(text: str) -> None:
    assert not may_become_device_text(text)


def test_back_ends_may_stand_beside_cuda() -> None:
    assert all(is_backend_text(text) for text in ("cpu", "mps", "xpu:0", "auto", "", "NPU"))
    assert not any(is_backend_text(text) for text in ("half", "triton", "cpus", "nccl"))


@pytest.mark.parametrize(
    ("code", "template"),
    [
        ("'cuda' ':0'", "cuda:0"),
        ("f'cuda:{i}'", "cuda:{}"),
        ("'cuda:' + str(i)", "cuda:{}"),
        ("('a' + ('b' + 'c'))", "abc"),
        ("x", "{}"),
        ("1 + 2", "{}{}"),
    ],
)
def test_templates(code: str, template: str) -> None:
    expression = SourceFile(code).root.named_children[0].named_children[0]
    assert template_of(expression) == template


def test_the_template_of_a_string_with_one_field_known() -> None:
    string = SourceFile("f'{a}:{b}'").root.named_children[0].named_children[0]
    first = next(child for child in string.children if child.type == "interpolation")
    assert string_template(string, lambda part: "cuda" if part.id == first.id else "{}") == "cuda:{}"


def test_the_tables_are_well_formed() -> None:
    libraries = [row["library"] for row in load_tsv("device_libraries")]
    assert len(set(libraries)) == len(libraries)
    assert {row["devices"] for row in load_tsv("device_libraries")} == {"torch", "foreign", "none"}
    assert not set(libraries) & set(sys.stdlib_module_names)
    sinks = load_tsv("device_sinks")
    assert len({row["callable"] for row in sinks}) == len(sinks)
    for row in sinks:
        assert row["parameters"]
        assert not row["position"] or int(row["position"]) >= 0
        assert not row["since"] or choose_version(row["since"])


def test_variables_that_are_defined_by_each_other_come_to_an_end() -> None:
    ring = "".join(f"a{i} = a{(i + 1) % 50} or 'cuda:{i}'\n" for i in range(50))
    assert set(roles(ring)) == {Role.UNKNOWN}
    assert set(roles(f"{ring}x.to(a0)\n")) >= {Role.CONSUMED}


def test_functions_that_call_each_other_come_to_an_end() -> None:
    text = "def f(a='cuda'):\n    return g(a)\ndef g(b):\n    return b or f(b)\n"
    assert roles(text) == [Role.SHOWN]
    assert roles(f"import torch\n{text}torch.ones(1, device=f())\n") == [Role.CONSUMED]


def test_data_is_not_taken_for_devices() -> None:
    items = ", ".join(["'cuda'"] * 500)
    assert set(roles(f"x = [{items}]\n")) == {Role.SHOWN}
    entries = ", ".join(f"'device{i}': 'cuda'" for i in range(500))
    assert set(roles(f"x = {{{entries}}}\n")) == {Role.SHOWN}


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["'cuda'"] * 3000),
        "x = " + "'cuda' + (" * 500 + "'cuda'" + ")" * 500,
        "x = (" + " ".join(["'cuda'"] * 3000) + ")",
        "ok = device" + ".strip()" * 1500 + " == 'cuda'",
        "x.to(" + "a or (" * 500 + "'cuda'" + ")" * 501,
        "x.to(" + "1 if a else (" * 300 + "'cuda'" + ")" * 301,
        "d = {}['device']" + "['device']" * 500 + "\nif d == 'cuda': pass",
        "x = '" + "cuda" * 10000 + "'",
    ],
    ids=["sum", "nested sum", "adjacent", "methods", "or", "conditional", "items", "long text"],
)
def test_long_and_deep_expressions_are_no_trouble(text: str) -> None:
    assert isinstance(check(SourceFile(f"import torch\n{text}\n"), OPTIONS), tuple)


@pytest.mark.parametrize(
    "text",
    [
        "x.to('cuda",
        "torch.device('cuda'",
        "def f(device='cuda'",
        "if device == 'cuda'",
        "{'cuda': ",
        "f'cuda:{",
    ],
)
def test_unfinished_code_is_no_trouble(text: str) -> None:
    assert isinstance(check(SourceFile(f"import torch\n{text}"), OPTIONS), tuple)


@pytest.mark.parametrize(
    ("beside", "stays"),
    [
        ("    NPU = 'npu'\n", True),
        ("    npu = 'npu'\n", True),
        ("    CPU = 'cpu'\n    NPU = 'npu'\n", True),
        ("    CPU = 'cpu'\n", False),
        ("    NPUS = 'npu'\n", False),
        ("    def npu(self): ...\n", False),
    ],
)
def test_a_member_for_cuda_stays_beside_one_for_the_npu(beside: str, stays: bool) -> None:
    text = f"import torch\nclass D:\n    CUDA = 'cuda'\n{beside}torch.ones(1).to(D.CUDA)\n"
    assert ("CUDA = 'cuda'" in migrated(text)) is stays


@pytest.mark.parametrize("name", ["NPU", "npu"])
def test_a_member_that_is_called_after_the_npu_is_none_beside_itself(name: str) -> None:
    text = f"import torch\nclass D:\n    {name} = 'cuda'\ntorch.ones(1).to(D.{name})\n"
    assert f"{name} = 'npu'" in migrated(text)


def test_a_member_for_the_npu_of_another_class_is_none_beside_it() -> None:
    text = "import torch\nclass D:\n    CUDA = 'cuda'\nclass E:\n    NPU = 'npu'\ntorch.ones(1).to(D.CUDA)\n"
    assert "CUDA = 'npu'" in migrated(text)


@pytest.mark.parametrize(
    ("uses", "becomes"),
    [
        ("print(a.kind)\nx.to(a.kind)\n", "npu"),
        ("print(a.kind)\nx.to(b.kind)\n", "cuda"),
        ("print(a.kind)\nx.to(a.b.kind)\n", "cuda"),
    ],
)
def test_an_attribute_goes_where_that_of_the_same_object_goes(uses: str, becomes: str) -> None:
    text = f"import torch\nx = torch.ones(1)\na.kind = 'cuda'\nb.kind = 1\n{uses}"
    assert f"a.kind = '{becomes}'\n" in migrated(text)


TOLD = "import torch\nimport {module}\ndevice = torch.device('cuda')\n{call}\n"


@pytest.mark.parametrize(
    ("call", "stays"),
    [
        ("catboost.train(gpu=device.type == 'cuda')", True),
        ("xgboost.XGBClassifier(gpu=device.type == 'cuda')", True),
        ("stores.FAISS(gpu=device.type == 'cuda')", True),
        ("stores.FaissIndex.make(gpu=device.type == 'cuda')", False),
        ("stores.make_faiss(gpu=device.type == 'cuda')", True),
        ("faiss.Index(gpu=device.type == 'cuda')", True),
        ("stores.make(gpu=device.type == 'cuda')", False),
        ("make(gpu=device.type == 'cuda')", False),
        ("make()(gpu=device.type == 'cuda')", False),
        ("table(device.type == 'cuda')", False),
        ("catboost.train(device.type == 'cuda')", False),
        ("use = device.type == 'cuda'", False),
    ],
)
def test_a_library_with_gpus_of_its_own_is_told_to_use_one_as_before(call: str, stays: bool) -> None:
    text = TOLD.format(module=call.partition(".")[0] if "." in call.partition("(")[0] else "os", call=call)
    assert (call in migrated(text)) is stays


@pytest.mark.parametrize(
    ("origin", "codes"),
    [
        ("torch.accelerator.current_accelerator()", []),
        ("pick(torch.accelerator.current_accelerator())", []),
        ("accelerator.device", ["NPU201"]),
        ("pick(accelerator)", ["NPU201"]),
    ],
)
def test_only_torch_accelerator_gives_a_device_of_any_accelerator(origin: str, codes: list[str]) -> None:
    text = f"import torch\ndevice = {origin}\ndevice = 'cuda'\nuse(device)\n"
    assert [finding.code for finding in check(SourceFile(text), OPTIONS)] == codes
