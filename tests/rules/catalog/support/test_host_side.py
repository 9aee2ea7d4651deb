"""APIs that no device computes, and tensors that are made on the CPU: no list decides over them."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.receivers import residence
from gpu2ascend_rules.text.source_file import SourceFile

SUPPORT = ["NPU001", "NPU002", "NPU003", "NPU006"]


class OnDevice(Standalone):
    """A project of which another file sets the default device."""

    default_types = frozenset({"device"})


def codes(text: str, project: Standalone | None = None, **options: object) -> list[str]:
    """The rules on support lists that report something in a text."""
    given = {"version": "2.8.0", "select": SUPPORT, **options}
    source = SourceFile(text)
    return [item.code for item in check(source, options_from(given), project or Standalone())]


@pytest.mark.parametrize(
    "line",
    [
        "f = torch.compiler.disable(f)",
        "torch.compiler.allow_in_graph(f)",
        "torch.compiler.reset()",
        "torch.sparse.check_sparse_tensor_invariants.enable()",
        "torch.utils.get_cpp_backtrace()",
        "optimizer = torch.optim.SGD(p)\noptimizer.register_step_post_hook(f)",
    ],
)
def test_what_touches_no_device_is_not_reported(line: str) -> None:
    assert codes(f"import torch\n{line}\n", version="2.1.0") == []


@pytest.mark.parametrize("call", ["fft.rfftfreq(10", "fft.fftfreq(n, d=0.1"])
def test_a_tensor_made_without_a_device_is_one_of_the_cpu(call: str) -> None:
    assert codes(f"import torch\nx = torch.{call})\n") == []


@pytest.mark.parametrize("given", ["device=device", "**kwargs", "device='npu'"])
def test_with_a_device_the_list_decides(given: str) -> None:
    assert codes(f"import torch\nx = torch.fft.rfftfreq(10, {given})\n") == ["NPU001"]


@pytest.mark.parametrize(
    "text",
    [
        "torch.set_default_device('cuda')\nx = torch.fft.rfftfreq(10)",
        "with torch.device('cuda'):\n    x = torch.fft.rfftfreq(10)",
        "with torch.no_grad(), device:\n    x = torch.fft.rfftfreq(10)",
    ],
)
def test_with_a_default_device_the_list_decides(text: str) -> None:
    assert codes(f"import torch\n{text}\n") == ["NPU001"]


def test_a_default_device_that_another_file_sets_counts() -> None:
    assert codes("import torch\nx = torch.fft.rfftfreq(10)\n", OnDevice()) == ["NPU001"]


@pytest.mark.parametrize(("called", "asked"), [("mean", 0), ("matmul", 1)])
def test_where_a_call_computes_is_asked_only_where_there_is_something_to_say(
    called: str, asked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    places: list[object] = []

    def looked_up(place: object, *_: object) -> bool:
        places.append(place)
        return False

    monkeypatch.setattr(residence, "computes_on_cpu", looked_up)
    found = codes(f"import torch\ny = torch.{called}(x, w)\n", restricted_apis=True)
    assert (len(places), found) == (asked, ["NPU006"] * asked)
