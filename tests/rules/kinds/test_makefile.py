"""Makefiles: what rules are shown of them stands where it says, and what is make's own stays."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.makefile import as_shell, recipes
from gpu2ascend_rules.kinds.registry import kind_of, text_file
from gpu2ascend_rules.kinds.shell.places import Command
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0"})


def migrated(text: str) -> str:
    return apply_fixes(text_file(text, "Makefile"), OPTIONS).text


@pytest.mark.parametrize("path", ["Makefile", "a/GNUmakefile", "rules.mk", "Makefile.in"])
def test_names(path: str) -> None:
    found = kind_of(path)
    assert found is not None and found.name == "makefile"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "train: deps\n\t@CUDA_VISIBLE_DEVICES=$(GPUS) python train.py  # here\n\t-nvidia-smi\n",
            "train: deps\n\t@ASCEND_RT_VISIBLE_DEVICES=$(GPUS) python train.py  # here\n\t-npu-smi info\n",
        ),
        (
            "export CUDA_VISIBLE_DEVICES ?= 0,1\nall:\n"
            "\techo $$CUDA_VISIBLE_DEVICES $(CUDA_VISIBLE_DEVICES)\n",
            "export ASCEND_RT_VISIBLE_DEVICES ?= 0,1\nall:\n"
            "\techo $$ASCEND_RT_VISIBLE_DEVICES $(ASCEND_RT_VISIBLE_DEVICES)\n",
        ),
        (
            "export CUDA_VISIBLE_DEVICES NCCL_SOCKET_IFNAME\n",
            "export ASCEND_RT_VISIBLE_DEVICES HCCL_SOCKET_IFNAME\n",
        ),
        (
            "run:\n\ttorchrun \\\n\t  --nproc_per_node=gpu \\\n\t  train.py\n",
            "run:\n\ttorchrun \\\n\t  --nproc_per_node=npu \\\n\t  train.py\n",
        ),
    ],
)
def test_is_edited(before: str, after: str) -> None:
    assert migrated(before) == after
    assert migrated(before.replace("\n", "\r\n")) == after.replace("\n", "\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "# CUDA_VISIBLE_DEVICES=0\nall:\n\t# nvidia-smi\n\techo nvidia-smi\n",
        "NVCC_FLAGS = -gencode cuda\nkernel.o: kernel.cu\n\t$(NVCC) $(NVCC_FLAGS) -o $@ $<\n",
        "SRCS = $(wildcard cuda/*.cu) $(patsubst %,$(OBJ)/%,nccl)\n",
    ],
)
def test_is_left_alone(text: str) -> None:
    assert check(text_file(text, "Makefile"), OPTIONS) == ()


def test_what_the_shell_function_runs() -> None:
    for text in (
        "N := $(shell nvidia-smi -L | wc -l)\n",
        "a:\n\t$(eval N := $(shell nvidia-smi $(if a,b) -L | wc -l))\n",
    ):
        found = check(text_file(text, "Makefile"), OPTIONS)
        assert [item.message.id for item in found] == ["NPU1004.query"]


@pytest.mark.parametrize(
    "text", ["a: b\n\tx $(A) $$B $@ $(if $(C),(d),e) \\\n  y\nA = 1\r\n\tz", "", "\t\\", "$("]
)
def test_masking_moves_no_byte(text: str) -> None:
    for masked in (recipes(text.encode()), as_shell(text.encode())):
        assert len(masked) == len(text.encode())
        assert [byte for byte in masked if byte in b"\r\n"] == [
            byte for byte in text.encode() if byte in b"\r\n"
        ]


def test_comments_of_recipes_silence_a_rule() -> None:
    text = "a:\n\tnvidia-smi  # gpu2ascend: ignore[NPU1004]\nexport CUDA_HOME = /x # gpu2ascend: ignore\n"
    file = text_file(text, "Makefile")
    assert check(file, OPTIONS) == ()
    assert any(isinstance(place, Command) for place in file.places())  # type: ignore[attr-defined]


def test_a_function_may_go_on_over_lines() -> None:
    text = (
        "run:\n\t$(eval N := $(if $(P),$(shell \\\n\t\tif [ $(P) = a ]; then \\\n\t\t\techo $(GPUS); \\\n"
        "\t\tfi \\\n\t),))\n\tCUDA_VISIBLE_DEVICES=0 python train.py\n"
    )
    file = text_file(text, "Makefile")
    assert isinstance(file, KindFile) and not file.has_syntax_error
    programs = [place.program for place in file.places() if isinstance(place, Command)]
    assert programs[-1] == "python" and "echo" in programs
