"""Torch names, tensor methods and imports: what changes by version, and what is left alone."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.versions import SUPPORTED_VERSIONS, Version
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.fixing import migrated

ALL_VERSIONS = [str(version) for version in SUPPORTED_VERSIONS]


@pytest.mark.parametrize(
    "text",
    [
        "import torch\nlabels = labels.to(torch.int64)\nindex = torch.arange(3, dtype=torch.long)\n",
        "import torch\nd = torch.accelerator.current_accelerator()\nm = torch.get_device_module(d)\n",
        "import paddle\npaddle.ones([1]).cuda()\n",
        "import paddle\nx = paddle.ones([1])\ny = x.cuda()\n",
        "import torch, argparse\np = argparse.ArgumentParser()\n"
        "p.add_argument('--cuda', action='store_true')\n"
        "p.add_argument('--no-cuda', action='store_true')\nargs = p.parse_args()\n"
        "args.cuda = not args.no_cuda\nuse = getattr(args, 'cuda')\n",
        "import torch\nclass Backend:\n    CUDA = 1\nx = Backend.CUDA\n",
        "import torch\ncuda = device.type != 'cpu'\nif cuda:\n    pass\n",
        "import torch\nhasattr(model.module, 'no_sync')\n",
        "import torch\nq = distance.to(unit)\ny = x.to(prototype_dev)\n",
    ],
)
def test_left_alone(text: str) -> None:
    assert check(SourceFile(text), options_from({"version": "2.8.0"})) == ()
    assert migrated(text) == text


@pytest.mark.parametrize("version", ALL_VERSIONS)
def test_every_version_moves_the_common_names_to_names_that_it_has(version: str) -> None:
    text = "import torch\nif torch.cuda.is_available():\n    torch.cuda.set_device(0)\n"
    result = migrated(text, version)
    if version == "1.5.0":
        assert result == text.replace("torch.cuda", "torch.npu")
    else:
        assert result == text.replace("import torch", "import torch\nimport torch_npu").replace(
            "torch.cuda", "torch_npu.npu"
        )


NEW = {str(version) for version in SUPPORTED_VERSIONS if version >= Version(2, 7, 1)}
IN_WHEELS = {"ipc_collect": NEW | {"2.1.0", "2.6.0"}, "host_memory_stats": NEW}
"""The wheels of torch_npu whose ``torch_npu/npu/__init__.py`` has a function."""


@pytest.mark.parametrize("version", SUPPORTED_VERSIONS, ids=str)
def test_a_name_that_the_version_lacks_is_reported_and_left(version: Version) -> None:
    text = "import torch\ntorch.cuda.ipc_collect()\ntorch.cuda.host_memory_stats()\n"
    options = options_from({"version": str(version)})
    result = apply_fixes(SourceFile(text), options)
    for name, versions in IN_WHEELS.items():
        exists = str(version) in versions
        assert (f"torch.cuda.{name}" in result.text) is not exists
        reported = any(item.finding.api == f"torch.cuda.{name}" for item in result.remaining)
        assert reported is not exists


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from torch.cuda import amp\nwith amp.autocast():\n    pass\n",
            "from torch_npu.npu import amp\nwith amp.autocast():\n    pass\n",
        ),
        (
            "import torch\n@torch.cuda.amp.custom_fwd\ndef f(x=torch.cuda.current_device): pass\n",
            "import torch\nimport torch_npu\n@torch_npu.npu.amp.custom_fwd\n"
            "def f(x=torch_npu.npu.current_device): pass\n",
        ),
        (
            "import torch\nisinstance(t, torch.cuda.FloatTensor)\n",
            "import torch\nimport torch_npu\nisinstance(t, torch_npu.npu.FloatTensor)\n",
        ),
        (
            "import torch\ns = torch.cuda.Stream()\nwith torch.cuda.stream(s):\n    x.record_stream(s)\n",
            "import torch\nimport torch_npu\ns = torch_npu.npu.Stream()\n"
            "with torch_npu.npu.stream(s):\n    x.record_stream(s)\n",
        ),
        (
            "import torch\ntorch.cuda.memory._record_memory_history()\n",
            "import torch\nimport torch_npu\ntorch_npu.npu.memory._record_memory_history()\n",
        ),
    ],
)
def test_uses_that_are_not_plain_calls_move_too(before: str, after: str) -> None:
    assert migrated(before) == after


def test_comments_and_docstrings_are_never_touched() -> None:
    text = '"""Runs on torch.cuda, device cuda:0."""\nimport torch\n# x.cuda() on cuda:0\nx = 1  # cuda\n'
    text += "def f(x):\n    # type: (torch.cuda.FloatTensor) -> None\n    pass\n"
    assert migrated(text) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if r'CUDA out of memory' in str(e): f()", "if r'out of memory' in str(e): f()"),
        ("if '''CUDA out of memory''' in str(e): f()", "if '''out of memory''' in str(e): f()"),
        ("if 'é: CUDA out of memory' in str(e): f()", "if 'é: out of memory' in str(e): f()"),
        (
            "if str(e).find(f'CUDA out of memory {n}') >= 0: f()",
            "if str(e).find(f'out of memory {n}') >= 0: f()",
        ),
    ],
)
def test_the_text_of_an_error_changes_in_whatever_literal_it_stands(before: str, after: str) -> None:
    options = options_from({"version": "2.8.0", "unsafe_fixes": True})
    assert apply_fixes(SourceFile(before + "\n"), options).text == after + "\n"


WITHOUT_COUNTERPART = {
    ("current_solver", "2.8.0"): "NPU101.none",
    ("current_solver", "1.11.0"): "NPU101.none",
    ("get_gencode_flags", "2.8.0"): "NPU101.none_build",
    ("list_gpu_processes", "2.1.0"): "NPU101.none_monitor",
    ("tunable.enable", "2.1.0"): "NPU101.none_tune",
    ("host_memory_stats", "2.1.0"): "NPU101.later",
    ("host_memory_stats", "1.11.0"): "NPU101.later",
    ("make_graphed_callables", "1.11.0"): "NPU101.later",
}


@pytest.mark.parametrize(("name", "version"), WITHOUT_COUNTERPART)
def test_what_has_no_counterpart_says_what_to_do_or_which_release_has_one(name: str, version: str) -> None:
    source = SourceFile(f"import torch\ntorch.cuda.{name}()\n")
    (finding,) = check(source, options_from({"version": version, "select": ["NPU101"]}))
    expected = WITHOUT_COUNTERPART[name, version]
    assert finding.message.id == expected
    assert finding.fix is None
    later = dict(finding.message.arguments).get("later")
    assert (later is not None) is (expected == "NPU101.later")
    if later is not None:
        assert f"torch_npu.npu.{name}(" in migrated(f"import torch\ntorch.cuda.{name}()\n", str(later))


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("Stream", ".no_such"),
        ("Event.record", ".__doc__"),
        ("synchronize", ".__name__"),
        ("synchronize", ".__name__.upper"),
        ("amp.GradScaler", ".no_such"),
    ],
)
def test_what_is_read_of_a_name_goes_with_the_name(name: str, rest: str) -> None:
    text = f"import torch\nx = torch.cuda.{name}{rest}\n"
    assert migrated(text) == f"import torch\nimport torch_npu\nx = torch_npu.npu.{name}{rest}\n"
    (finding,) = check(SourceFile(text), options_from({"version": "2.8.0"}))
    assert finding.api == f"torch.cuda.{name}"


@pytest.mark.parametrize("version", ["1.5.0", "2.8.0"])
@pytest.mark.parametrize("module", ["amp", "amp.autocast_mode", "memory", "random", "streams"])
def test_an_unknown_name_below_a_module_is_no_name_of_the_npu(module: str, version: str) -> None:
    text = f"import torch\ntorch.cuda.{module}.no_such(x).more\n"
    (finding,) = check(SourceFile(text), options_from({"version": version, "select": ["NPU101"]}))
    assert (finding.message.id, finding.fix) == ("NPU101.none", None)
    assert finding.api == f"torch.cuda.{module}.no_such"
    assert migrated(text, version) == text
    own = f"import torch\nx = torch.cuda.{module}.__doc__\n"
    assert ("torch_npu.npu" in migrated(own, version)) is (version != "1.5.0")


def test_an_unknown_name_below_a_module_is_reported_in_a_text_too() -> None:
    text = "import torch\nf = getattr(torch.cuda.memory, '{}')\n"
    options = options_from({"version": "2.8.0"})
    found = {
        name: [item.message.id for item in check(SourceFile(text.format(name)), options)]
        for name in ("no_such", "empty_cache")
    }
    assert found == {"no_such": ["NPU112.none", "NPU101.renamed"], "empty_cache": ["NPU101.renamed"]}


@pytest.mark.parametrize(
    ("call", "becomes"),
    [
        ("model.cuda(*args, **kwargs)", "model.npu(*args, **kwargs)"),
        ("model.cuda(**kwargs)", "model.npu(**kwargs)"),
        ("model.cuda(None, **kwargs)", "model.npu(None, **kwargs)"),
        ("model.cuda('npu:0', **kwargs)", "model.to('npu:0', **kwargs)"),
        ("model.cuda(0, **kwargs)", "model.to(torch.device('npu', 0), **kwargs)"),
    ],
)
def test_a_module_moves_whatever_is_unpacked(call: str, becomes: str) -> None:
    text = f"import torch, torch_npu\nmodel = torch.nn.Linear(1, 1)\n{call}\n"
    unsafe = options_from({"version": "2.8.0", "unsafe_fixes": True})
    assert migrated(text) == text
    assert apply_fixes(SourceFile(text), unsafe).text == text.replace(call, becomes)


def _private(text: str, version: str = "2.8.0") -> list[str]:
    found = check(SourceFile(text), options_from({"version": version, "select": ["NPU101"]}))
    return [item.message.id for item in found]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("_cuda_getCurrentRawStream", "NPU101.private_public"),
        ("_cuda_emptyCache", "NPU101.private_public"),
        ("_CudaStreamBase", "NPU101.private_public"),
        ("_cuda_clearCublasWorkspaces", "NPU101.private"),
    ],
)
def test_private_names_of_a_build_for_cuda_are_found(name: str, expected: str) -> None:
    assert _private(f"import torch as th\nth._C.{name}(0)\n") == [expected]
    assert _private(f"from torch._C import {name} as g\ng(0)\n") == [expected]
    assert _private(f"from torch import _C\n_C.{name}(0)\n") == [expected]
    assert _private(f"import torch\ntorch._C._jit_get{name}(0)\n") == []
    assert _private(f"import other\nother._C.{name}(0)\n") == []


def test_a_counterpart_is_named_only_where_the_version_has_it() -> None:
    text = "import torch\ntorch._C._cuda_memoryStats(0)\n"
    assert _private(text) == ["NPU101.private_public"]
    assert _private(text, "1.5.0") == ["NPU101.private"]
