"""The original is started with the words of CUDA where the migrated project is started with the NPU's."""

from __future__ import annotations

import pytest

from gpu2ascend.verify.running.words import devices_named, words_of_original


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("npu", "cuda"),
        ("npu:1", "cuda:1"),
        ("--device=npu", "--device=cuda"),
        ("trainer.device=npu:0", "trainer.device=cuda:0"),
        ("model.device='npu'", "model.device='cuda'"),
        ("+dist.backend=hccl", "+dist.backend=nccl"),
    ],
)
def test_a_value_that_names_the_npu_names_cuda(word: str, expected: str) -> None:
    assert words_of_original(("train.py", "--x", word)) == ("train.py", "--x", expected)


OTHER = ("cpu", "cuda", "npus", "data/npu", "npu_run", "--npu", "--out=runs/npu", "NPU")


@pytest.mark.parametrize("word", OTHER)
def test_other_words_stay(word: str) -> None:
    assert words_of_original(("train.py", word)) == ("train.py", word)


def test_what_is_started_stays() -> None:
    assert words_of_original(("npu", "npu")) == ("npu", "cuda")
    assert words_of_original(()) == ()


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (("main.py", "--gpu", "3"), 4),
        (("main.py", "--device=npu:1", "--gpu_id=5"), 6),
        (("main.py", "--gpus", "2", "--epochs", "9"), 3),
        (("main.py", "--lr", "3"), 0),
        (("bash", "-c", "cd src && python main.py --device 4"), 5),
    ],
)
def test_a_command_names_numbers_of_devices(words: tuple[str, ...], count: int) -> None:
    assert devices_named(words) == count


def test_in_a_line_of_a_shell_each_word_names_cuda() -> None:
    words = ("bash", "-c", "cd npu_model && python train.py --device npu:0 --dist=hccl")
    line = "cd npu_model && python train.py --device cuda:0 --dist=nccl"
    assert words_of_original(words) == ("bash", "-c", line)
