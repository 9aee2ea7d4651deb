"""Devices, streams and events, and what torch's functions for every accelerator say of them."""

import os

import pytest
import torch

from gpu2ascend_simulator.device import library, standalone

npu = standalone.start()


def test_the_device_is_the_accelerator():
    assert torch.accelerator.is_available() and torch.accelerator.device_count() == 2
    assert torch.accelerator.current_accelerator() == torch.device("npu")
    assert not torch.cuda.is_available()


def test_the_current_device_is_the_accelerators():
    torch.accelerator.set_device_index(1)
    assert library.current_device() == torch.accelerator.current_device_index() == 1
    torch.accelerator.set_device_index(0)
    with torch.accelerator.device_index(1):
        assert torch.ones(2, device="npu").device.index == 1
    assert library.current_device() == 0
    torch.accelerator.synchronize()


def test_the_memory_is_the_accelerators():
    data = torch.ones(1000, device="npu")
    assert torch.accelerator.memory_allocated() == library.memory_stats(0)["allocated_bytes.all.current"] > 0
    assert torch.accelerator.max_memory_allocated() >= torch.accelerator.memory_allocated()
    free, total = torch.accelerator.get_memory_info(0)
    assert 0 < free < total == standalone.MEMORY
    torch.accelerator.reset_peak_memory_stats()
    torch.accelerator.empty_cache()
    assert data.is_npu


def test_a_device_that_is_not_there():
    for use in (
        lambda: library.set_device(7),
        lambda: torch.ones(2, device="npu:7"),
        lambda: torch.ones(2).to("npu:5"),
    ):
        with pytest.raises(RuntimeError, match="Invalid device"):
            use()
    assert library.current_device() == 0


@pytest.mark.parametrize(
    "make", [lambda: torch.Stream("npu"), lambda: torch.Stream(device="npu:0"), npu.Stream]
)
def test_streams_of_every_spelling(make):
    stream, event = make(), torch.Event("npu", enable_timing=True)
    assert stream.device == torch.device("npu:0")
    with stream:
        assert torch.accelerator.current_stream() == stream
        torch.ones(2, device="npu").record_stream(stream)
    assert torch.accelerator.current_stream() != stream
    event.record(stream)
    stream.wait_event(event)
    stream.wait_stream(torch.accelerator.current_stream())
    stream.synchronize()
    assert stream.query() and event.query() and stream.record_event().query()


def test_a_stream_brings_its_device():
    with torch.Stream("npu:1"):
        assert library.current_device() == 1
    assert library.current_device() == 0


def test_the_current_stream_is_set():
    side = torch.Stream("npu")
    before = torch.accelerator.current_stream()
    torch.accelerator.set_stream(side)
    assert torch.accelerator.current_stream() == side
    torch.accelerator.set_stream(before)


def test_events_measure_time():
    start, end = torch.Event("npu", enable_timing=True), torch.Event("npu", enable_timing=True)
    start.record()
    with pytest.raises(RuntimeError, match="recorded"):
        start.elapsed_time(end)
    end.record()
    end.synchronize()
    assert start.elapsed_time(end) >= 0.0
    with pytest.raises(RuntimeError, match="enable_timing"):
        start.elapsed_time(torch.Event("npu"))


def test_a_forked_process_cannot_use_the_device_again():
    data = torch.ones(2, device="npu")
    reader, writer = os.pipe()
    if os.fork() == 0:
        said = []
        for use in (lambda: torch.ones(2, device="npu"), lambda: data + 1):
            try:
                use()
            except RuntimeError as error:
                said.append(str(error))
        os.write(writer, "\n".join(said).encode())
        os._exit(0)
    os.close(writer)
    os.wait()
    assert os.read(reader, 9999).decode().count("Cannot re-initialize NPU in forked subprocess") == 2


def test_a_device_is_printed_with_its_tensors():
    assert repr(torch.arange(3.0, device="npu:1")) == "tensor([0., 1., 2.], device='npu:1')"
    assert "device='npu:0'" in repr(torch.nn.Parameter(torch.ones(1, device="npu")))
    assert "..." in repr(torch.ones(2000, device="npu"))


def test_types_have_the_name_of_the_device():
    assert torch.ones(2, device="npu").type() == "torch.npu.FloatTensor"
    assert torch.ones(2, device="npu").type(torch.float16).dtype == torch.float16
