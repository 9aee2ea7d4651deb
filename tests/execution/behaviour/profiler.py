"""The profiler: names of torch_npu only, all of them together."""

import pytest
import torch
import torch_npu
from torch_npu import profiler


def steps(prof, count=5):
    for _ in range(count):
        torch.ones(2, device="npu").sum()
        prof.step()


def test_a_scheduled_trace(tmp_path):
    with profiler.profile(
        activities=[profiler.ProfilerActivity.CPU, profiler.ProfilerActivity.NPU],
        schedule=profiler.schedule(wait=1, warmup=1, active=2, repeat=1),
        on_trace_ready=profiler.tensorboard_trace_handler(str(tmp_path)),
        record_shapes=True,
    ) as prof:
        steps(prof)
    assert len(list(tmp_path.glob("*_ascend_pt/trace_view.json"))) == 1


def test_an_exported_trace(tmp_path):
    prof = profiler.profile()
    prof.start()
    steps(prof, 1)
    prof.stop()
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    assert "aten::sum" in (tmp_path / "trace.json").read_text()


def test_names_of_torch_are_refused():
    with pytest.raises(TypeError, match="ProfilerActivity"):
        profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
    with pytest.raises(TypeError, match="ProfilerAction"):
        profiler.profile(schedule=torch.profiler.schedule(wait=0, warmup=0, active=1))


def test_what_the_profiler_of_torch_npu_does_not_have():
    assert not hasattr(profiler.profile(), "key_averages") and not hasattr(profiler.profile(), "events")


def test_marks():
    torch_npu.npu.mstx.range_end(torch_npu.npu.mstx.range_start("a"))
    torch_npu.npu.mstx.mark("b")
