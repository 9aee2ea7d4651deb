"""Switches, compilation, graphs and tracing: how rules work together, and what is left alone."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.model.finding import Finding
from gpu2ascend_rules.model.versions import NEWEST
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.control import found_before
from tests.rules.fixing import migrated as after


def findings(text: str, version: str = "2.8.0") -> tuple[Finding, ...]:
    return check(SourceFile(text), options_from({"version": version}))


class TestGraphs:
    TEXT = "import torch\ng = torch.cuda.CUDAGraph()\nwith torch.cuda.graph(g):\n    y = f(x)\ng.replay()\n"

    def test_a_graph_and_its_capture_stay_together(self) -> None:
        assert after(self.TEXT) == self.TEXT

    def test_on_request_both_move(self) -> None:
        moved = after(self.TEXT, unsafe=True)
        assert "g = torch_npu.npu.NPUGraph()" in moved
        assert "with torch_npu.npu.graph(g):" in moved

    def test_an_allocator_and_its_use_stay_together(self) -> None:
        text = (
            "import torch\na = torch.cuda.memory.CUDAPluggableAllocator('a.so', 'm', 'f')\n"
            "torch.cuda.memory.change_current_allocator(a)\n"
        )
        assert after(text) == text
        assert "cuda" not in after(text, unsafe=True)

    def test_the_sanitizer_has_a_counterpart(self) -> None:
        text = "import torch\nimport torch.cuda._sanitizer as csan\ncsan.enable_cuda_sanitizer()\n"
        direct = "import torch\nimport torch.cuda._sanitizer\ntorch.cuda._sanitizer.enable_cuda_sanitizer()\n"
        assert "torch_npu.npu._sanitizer.enable_npu_sanitizer()" in after(direct)
        assert findings(text)

    def test_handles_of_streams_move_with_the_streams_on_request(self) -> None:
        text = "import torch\nh = torch.cuda.current_stream().cuda_stream\n"
        assert "h = torch_npu.npu.current_stream().npu_stream" in after(text, unsafe=True)
        assert "h = torch_npu.npu.current_stream().cuda_stream" in after(text)


class TestTracing:
    def test_ranges_in_a_block_of_their_own_leave_a_whole_file(self) -> None:
        text = (
            "import torch\nfrom torch.cuda import nvtx\ndef step(x):\n    if trace:\n"
            "        nvtx.range_push('a')\n        nvtx.mark('b')\n    y = f(x)\n    if trace:\n"
            "        nvtx.range_pop()\n    return y\n"
        )
        moved = after(text, "2.8.0", unsafe=True)
        compile(moved, "moved", "exec")
        assert "range_p" not in moved and "mstx.mark('b')" in moved

    def test_without_a_request_nothing_is_removed(self) -> None:
        text = "import torch\ntorch.cuda.nvtx.range_push('a')\ntorch.cuda.profiler.start()\n"
        assert after(text) == text
        assert {finding.code for finding in findings(text)} == {"NPU520", "NPU521"}

    @pytest.mark.parametrize("version", ["1.5.0", "2.1.0", str(NEWEST)])
    def test_every_use_is_reported_in_every_version(self, version: str) -> None:
        text = "import torch\npush = torch.cuda.nvtx.range_push\ntorch.cuda.cudart().cudaGetDevice()\n"
        assert [finding.severity.value for finding in findings(text, version)] == ["error", "error"]


class TestCompilation:
    @pytest.mark.parametrize("version", ["1.8.1", "2.0.1", "2.1.0", "2.2.0", "2.3.1", "2.5.1"])
    def test_is_left_out_on_request_before_2_6(self, version: str) -> None:
        text = "import torch\nmodel = torch.compile(Net().to(d), fullgraph=True)\n"
        assert after(text, version) == text
        assert after(text, version, unsafe=True) == "import torch\nmodel = Net().to(d)\n"

    @pytest.mark.parametrize("version", ["2.6.0", "2.9.0", str(NEWEST)])
    def test_is_explained_from_2_6_on(self, version: str) -> None:
        text = "import torch\n@torch.compile\ndef f(x):\n    return x\n"
        assert after(text, version, unsafe=True) == text
        assert [finding.severity.value for finding in findings(text, version)] == ["information"]

    def test_the_model_inside_is_migrated_too(self) -> None:
        text = "import torch\nmodel = torch.compile(net.cuda())\n"
        assert after(text, "2.1.0", unsafe=True) == "import torch\nimport torch_npu\nmodel = net.npu()\n"


@pytest.mark.parametrize(
    "text",
    [
        "import torch\ntorch.backends.mps.is_available()\n",
        "import torch.backends.cudnn as cudnn\n",
        "import torch\ntorch.backends.cudnn.deterministic = True\n",
        "import torch\ntorch.backends.cudnn.enabled = False\n",
        "import torch\ntorch.backends.cudnn.benchmark = False\n",
        "import torch\ntorch.backends.cuda.some_new_switch = True\n",
        "import torch\nprint(torch.version.cuda)\n",
        "import torch\nprint(torch.backends.cuda.is_built())\n",
        "import torch\nscripted = torch.jit.script(model)\n",
        "import torch\nprint(torch.__version__, torch.version.git_version)\n",
        "import torch\ntorch.use_deterministic_algorithms(False)\n",
        "import torch\nmodel = torch.compile(model, backend='eager')\n",
        "import torch\nif torch.jit.is_scripting():\n    pass\n",
        "import re\npattern = re.compile('cudnn')\n",
        "self.benchmark = cfg.cudnn.benchmark\n",
    ],
)
def test_left_alone(text: str) -> None:
    control = "import torch\ntorch.backends.cudnn.benchmark = True\n"
    codes = found_before(
        control, text, lambda both: [item.code for item in findings(both) if not item.is_advice]
    )
    assert codes == []


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("torch.backends.cudnn.benchmark = True", "hint"),
        ("torch.set_float32_matmul_precision('high')", "hint"),
        ("torch.use_deterministic_algorithms(True)", "hint"),
        ("torch.autograd.set_detect_anomaly(True)", "hint"),
        ("torch.backends.cuda.matmul.allow_tf32 = True", "warning"),
        ("torch.backends.cudnn.allow_tf32 = False", "warning"),
        ("torch.backends.cuda.enable_flash_sdp(True)", "information"),
        ("assert torch.version.cuda", "error"),
        ("use_gpu = torch.backends.cuda.is_built()", "error"),
    ],
)
def test_each_switch_has_the_weight_of_what_it_does(line: str, severity: str) -> None:
    assert [finding.severity.value for finding in findings(f"import torch\n{line}\n")] == [severity]
