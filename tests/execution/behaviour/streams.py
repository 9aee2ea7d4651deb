"""Streams and events: nothing waits, everything answers."""

import pytest
import torch
import torch_npu  # noqa: F401


def test_the_current_stream():
    side = torch.npu.Stream()
    assert torch.npu.current_stream() == torch.npu.default_stream() != side
    with torch.npu.stream(side):
        assert torch.npu.current_stream() == side
        torch.ones(2, device="npu").record_stream(side)
    assert torch.npu.current_stream() == torch.npu.default_stream()
    torch.npu.set_stream(side)
    assert torch.npu.current_stream().npu_stream == side.npu_stream
    torch.npu.set_stream(torch.npu.default_stream())


def test_a_stream_brings_its_device():
    with torch.npu.stream(torch.npu.Stream(device="npu:1")):
        assert torch.npu.current_device() == 1
    assert torch.npu.current_device() == 0
    with torch.npu.stream(None):
        assert torch.npu.current_device() == 0


def test_waiting():
    side, event = torch.npu.Stream(priority=-1), torch.npu.Event()
    event.record(side)
    event.wait()
    event.synchronize()
    side.wait_event(event)
    side.wait_stream(torch.npu.current_stream())
    torch.npu.current_stream().wait_stream(side)
    side.record_event().wait(side)
    side.synchronize()
    torch.npu.synchronize()
    torch.npu.synchronize("npu:1")
    assert side.query() and event.query()


def test_timing():
    start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    start.record()
    with pytest.raises(RuntimeError, match="must be recorded"):
        start.elapsed_time(end)
    end.record()
    assert start.elapsed_time(end) >= 0.0
    with pytest.raises(RuntimeError, match="enable_timing"):
        start.elapsed_time(torch.npu.Event())


def test_handles_have_names_of_their_own():
    assert isinstance(torch.npu.Stream().npu_stream, int) and torch.npu.Event().npu_event is not None
    assert not hasattr(torch.npu.Stream(), "cuda_stream") and not hasattr(torch.npu.Event(), "cuda_event")
