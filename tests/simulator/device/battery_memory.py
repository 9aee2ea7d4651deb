"""Memory: views, storages, files, numbers, limits."""

import copy
import gc
import io
import pickle

import pytest
import torch
from torch import nn

from gpu2ascend_simulator.device import library, standalone

standalone.start()
MIB = 1 << 20


def allocated(index=0):
    return library.memory_stats(index)["allocated_bytes.all.current"]


def saved(value, **how):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **how)


@pytest.mark.parametrize(
    ("where", "device"),
    [
        (None, "npu:1"),
        ("cpu", "cpu"),
        ("npu", "npu:0"),
        ("npu:0", "npu:0"),
        (torch.device("npu", 0), "npu:0"),
        ({"npu:1": "npu:0"}, "npu:0"),
        (lambda storage, _: storage, "cpu"),
        (lambda storage, _: storage.npu(0), "npu:0"),
    ],
)
def test_files_say_where_their_tensors_were(where, device):
    state = saved(nn.Linear(2, 2).to("npu:1").state_dict(), map_location=where)
    assert {tensor.device for tensor in state.values()} == {torch.device(device)}


def test_files_of_the_older_format_load():
    file = io.BytesIO()
    torch.save(torch.arange(3.0, device="npu"), file, _use_new_zipfile_serialization=False)
    file.seek(0)
    loaded = torch.load(file, weights_only=False)
    assert loaded.is_npu and loaded.tolist() == [0.0, 1.0, 2.0]


def test_a_file_of_cuda_needs_to_be_mapped():
    file = io.BytesIO()
    torch.save(torch.ones(2), file)
    with pytest.raises(RuntimeError, match="CUDA"):
        torch.load(io.BytesIO(file.getvalue()), map_location="cuda:0")


def test_a_file_of_a_device_that_is_not_there_does_not_load():
    file = io.BytesIO()
    torch.save(torch.ones(2, device="npu"), file)
    with pytest.raises(RuntimeError):
        torch.load(io.BytesIO(file.getvalue()), map_location="npu:7")


def test_pickles_carry_the_device():
    tensor = pickle.loads(pickle.dumps(torch.ones(2, device="npu:1")))
    assert tensor.device.index == 1 and tensor.tolist() == [1.0, 1.0]
    assert copy.deepcopy({"a": tensor})["a"].device.index == 1


def test_views_share_the_storage():
    square = torch.zeros(4, 4, device="npu")
    for view in (
        square[1:],
        square.t(),
        square.view(16),
        square[:, 2],
        square.unfold(0, 2, 1),
        square.detach(),
    ):
        assert view.untyped_storage().data_ptr() == square.untyped_storage().data_ptr()
        assert view._base is square or not view._is_view()
    assert square[1:].storage_offset() == 4
    assert square.clone().data_ptr() != square.data_ptr()


def test_views_share_what_is_saved():
    whole = torch.arange(6.0, device="npu")
    loaded = saved({"whole": whole, "part": whole[2:4]})
    loaded["part"].fill_(9)
    assert loaded["whole"].tolist() == [0.0, 1.0, 9.0, 9.0, 4.0, 5.0]


def test_changes_through_views_are_seen():
    square = torch.zeros(4, 4, device="npu")
    square[1:3, 0] = 1
    square.t()[0].add_(1)
    square[:, -1].fill_(7)
    square[square > 5] = 9
    square.view(2, 8)[0, 0] = 4
    torch.add(square[3], 1, out=square[3])
    assert square[:, 0].tolist() == [4.0, 2.0, 2.0, 2.0] and square[0, -1].item() == 9.0


def test_splits_and_chunks_are_views():
    data = torch.arange(6.0, device="npu")
    for parts in (data.split(3), data.chunk(2), data.view(2, 3).unbind(0), torch.tensor_split(data, 2)):
        parts[1].zero_()
        assert data[3:].tolist() == [0.0, 0.0, 0.0]
        data[3:] = 1


def test_complex_numbers_are_seen_as_pairs():
    pairs = torch.tensor([[1.0, 2.0]], device="npu")
    numbers = torch.view_as_complex(pairs)
    numbers.mul_(2)
    assert pairs.tolist() == [[2.0, 4.0]] and torch.view_as_real(numbers).tolist() == [[2.0, 4.0]]
    assert numbers.real.data_ptr() == pairs.data_ptr()


def test_bytes_are_seen_as_another_type():
    data = torch.ones(2, dtype=torch.float32, device="npu")
    assert data.view(torch.int32).tolist() == [0x3F800000] * 2


def test_results_grow_to_their_size():
    out = torch.empty(0, device="npu")
    torch.add(torch.ones(3, device="npu"), 1, out=out)
    assert out.tolist() == [2.0, 2.0, 2.0] and out.device.index == 0
    values, places = torch.empty(0, device="npu"), torch.empty(0, dtype=torch.long, device="npu")
    torch.sort(torch.tensor([3.0, 1.0], device="npu"), out=(values, places))
    assert values.tolist() == [1.0, 3.0] and places.tolist() == [1, 0]


def test_tensors_are_resized():
    data = torch.arange(4.0, device="npu")
    assert data.resize_(2).tolist() == [0.0, 1.0]
    assert data.resize_(4).tolist() == [0.0, 1.0, 2.0, 3.0]
    assert data.resize_(2, 3).flatten()[:4].tolist() == [0.0, 1.0, 2.0, 3.0]


def test_tensors_take_the_memory_of_others():
    one, other = torch.zeros(2, device="npu"), torch.ones(3, device="npu")
    one.set_(other)
    one.add_(1)
    assert one.is_set_to(other) and other.tolist() == [2.0, 2.0, 2.0]
    one.set_(other.untyped_storage(), 1, (2,))
    assert one.tolist() == [2.0, 2.0] and one.set_().numel() == 0
    one.data = torch.ones(5, device="npu")
    assert one.tolist() == [1.0] * 5


def test_tensors_are_swapped():
    one, other = torch.zeros(2, device="npu"), torch.ones(3, device="npu:1")
    torch.utils.swap_tensors(one, other)
    assert one.tolist() == [1.0, 1.0, 1.0] and one.device.index == 1 and other.device.index == 0


def test_storages_are_of_the_device():
    storage = torch.ones(2).npu().untyped_storage()
    assert storage.is_npu and storage.device == torch.device("npu:0") and storage.nbytes() == 8
    assert torch.ones(2).untyped_storage().npu(1).device == torch.device("npu:1")
    assert torch.UntypedStorage(4, device="npu").device.type == "npu"
    assert list(torch.ones(2, device="npu").untyped_storage().cpu()) == [0, 0, 128, 63] * 2
    assert torch.ones(2, device="npu").storage().dtype == torch.float32


def test_storages_give_their_memory_back_and_take_it_again():
    data = torch.ones(MIB, dtype=torch.uint8, device="npu")
    before = allocated()
    storage = data.untyped_storage()
    storage.resize_(0)
    assert storage.nbytes() == 0 and allocated() == before - MIB
    storage.resize_(MIB)
    assert storage.nbytes() == MIB and allocated() == before and data.fill_(3).sum().item() == 3 * MIB


def test_memory_is_counted():
    gc.collect()
    before = allocated()
    library.reset_peak_memory_stats(0)
    tensor = torch.empty(4 * MIB, dtype=torch.uint8, device="npu")
    view = tensor[1:]
    del tensor
    assert allocated() - before == 4 * MIB and allocated(1) == 0
    del view
    assert allocated() == before
    assert library.memory_stats(0)["allocated_bytes.all.peak"] == before + 4 * MIB


def test_memory_ends():
    for _ in range(2):
        with pytest.raises(torch.OutOfMemoryError, match=r"NPU out of memory\. Tried to allocate 2048"):
            torch.empty(2 << 30, dtype=torch.uint8, device="npu")
    assert library.memory_stats(0)["num_ooms"] >= 2
    assert torch.ones(2, device="npu").sum().item() == 2.0


def test_memory_ends_at_a_result_too():
    library.set_memory_fraction(1, 0.01)
    try:
        data = torch.ones(2 * MIB, dtype=torch.uint8, device="npu:1")
        with pytest.raises(torch.OutOfMemoryError):
            data.long()
    finally:
        library.set_memory_fraction(1, 1.0)
    assert data.long().sum().item() == 2 * MIB


def test_memory_of_an_error_is_given_back():
    before = allocated()
    with pytest.raises(RuntimeError):
        torch.ones(100, device="npu") @ torch.ones(3, device="npu")
    gc.collect()
    assert allocated() == before


def test_the_device_exports_no_dlpack_to_others():
    with pytest.raises((RuntimeError, BufferError, ValueError, TypeError, AttributeError)):
        numpy_of = pytest.importorskip("numpy")
        numpy_of.from_dlpack(torch.ones(2, device="npu"))


@pytest.mark.filterwarnings("ignore:ComplexHalf")
@pytest.mark.parametrize(
    "dtype",
    [torch.uint16, torch.uint32, torch.uint64, torch.complex32, torch.float8_e4m3fn, torch.float8_e5m2],
)
def test_rare_types_of_elements_exist(dtype):
    data = torch.zeros(3, dtype=dtype, device="npu:1")
    assert data.dtype == dtype and data.device.index == 1 and data[1:].cpu().shape == (2,)


def test_empty_tensors_have_a_device_and_a_shape():
    data = torch.empty(0, 3, device="npu:1")
    assert data.device.index == 1 and torch.cat([data, torch.ones(1, 3, device="npu:1")]).shape == (1, 3)
    assert data.sum().item() == 0.0 and data.t().shape == (3, 0) and data.clone().tolist() == []


def test_what_was_read_is_read_anew_where_it_has_changed():
    matrix = torch.arange(6.0).view(2, 3).to("npu")
    for _ in range(2):
        assert matrix.sum(1).tolist() == [3, 12] and matrix.t().sum(1).tolist() == [3, 5, 7]
        assert matrix[1].sum().item() == 12 and matrix.view(torch.int32)[0, 0].add(1).item() == 1
    matrix.mul_(2)
    assert matrix.sum(1).tolist() == [6, 24]
    matrix.t_()
    assert matrix.sum(1).tolist() == [6, 10, 14]
    matrix.data = torch.ones(2, device="npu")
    assert matrix.sum().item() == 2
    matrix.resize_(1)
    assert matrix.add(1).tolist() == [2]
    with torch.inference_mode():
        assert matrix.sum().item() == 1
    weights = torch.nn.Parameter(matrix.clone())
    (weights * matrix).sum().backward()
    assert weights.grad.tolist() == [1]
