"""A line is known by names of constants, by the exception that it quotes, by whose symbol is missing."""

from __future__ import annotations

import pytest

from gpu2ascend.doctor.logs.failures import failures
from gpu2ascend.doctor.logs.table import number_of_name, row_of_code
from gpu2ascend.doctor.tables import rows


def names(*lines: str) -> list[str]:
    return [one.name for one in failures(lines)]


@pytest.mark.parametrize(
    ("name", "number"),
    [("ACL_ERROR_RT_VECTOR_CORE_EXCEPTION", "507035"), ("ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND", "561107")],
)
def test_a_constant_is_answered_as_its_number(name: str, number: str) -> None:
    assert names(f"copy of block 3 returned {name}") == names(f"RuntimeError: x, error code is {number}")


def test_numbers_of_the_collectives_are_not_those_of_the_runtime() -> None:
    assert names("broadcast gave HCCL_E_TCP_CONNECT") == ["hccl-connect"]
    assert number_of_name("HCCL_E_TCP_CONNECT") == "11"


def test_every_constant_has_an_answer() -> None:
    assert len(rows("code_names")) > 250
    assert all(row_of_code(row["name"]) is not None for row in rows("code_names"))


def test_a_word_that_looks_like_a_constant_has_none() -> None:
    assert names("option ACL_ERROR_LOG_DIR=/tmp") == []
    assert row_of_code("ACL_ERROR_OF_MY_OWN") is None


@pytest.mark.parametrize(
    ("quoted", "name"),
    [
        ("ModuleNotFoundError: No module named 'triton.language.extra.foo'", "triton-drivers"),
        ("ImportError: libhccl.so: cannot open shared object file", "cann-library"),
    ],
)
def test_what_is_missing_is_the_cause_whoever_quotes_it(quoted: str, name: str) -> None:
    assert names(f"torch._inductor.exc.InductorError: {quoted}") == [name]


@pytest.mark.parametrize("key", ["EI0006", "hccl_out_of_memory", "error:507035"])
def test_the_words_in_a_key_are_no_statement(key: str) -> None:
    assert names(f"KeyError: '{key}'") == ["missing-key"]


def test_a_known_cause_is_not_replaced_by_a_quoted_one() -> None:
    """A kernel that torch.compile generates is its own fault, not that of the kernel language."""
    assert names("torch._inductor.exc.InductorError: CompilationError: at 2:4: ValueError('rank')") == [
        "inductor"
    ]


def test_a_class_of_texts_gives_way_to_a_cause_that_is_quoted() -> None:
    assert names("FooError: cannot use it: RuntimeError: NPU out of memory. Tried 2 GiB") == ["out-of-memory"]


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN3atb9OperationC1Ev", "atb-pair"), ("_ZTIN3Mki6TensorE", "atb-pair"),
        ("cudaStreamCreate", "cuda-package"), ("ncclAllReduce", "cuda-package"),
        ("PyObject_GetOptionalAttr", "python-version"), ("AscendLaunchFoo", "link-library"),
        ("aclnnFooGetWorkspaceSize", "not-in-opapi"), ("_ZN3c105ErrorC1Ev", "extension-build"),
    ],
)  # fmt: skip
def test_a_missing_symbol_says_whose_release_is_another(symbol: str, name: str) -> None:
    assert names(f"ImportError: /x/lib_ext.so: undefined symbol: {symbol}") == [name]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("RuntimeError: torch_npu is not available, install it", "npu-unseen"),
        ("ValueError: half precision can only be used on CUDA or NPU devices.", "npu-unseen"),
        (
            "AssertionError: a distributed accelerator is required, none found: No accelerator detected",
            "npu-unseen",
        ),
        ("RuntimeError: no NPU devices visible", "no-device"),
        ("OSError: Ascend NPU not detected", "no-device"),
        ("MisconfigurationException: You requested gpu: [0]", "library-cuda"),
        ("RuntimeError: foo is not compiled with GPU support", "library-cuda"),
    ],
)
def test_no_npu_is_told_from_a_demand_for_cuda(line: str, name: str) -> None:
    assert names(line) == [name]


@pytest.mark.parametrize(
    "line",
    [
        "train.py: error: ambiguous option: --ba could match --batch, --base",
        "train.py: error: the following arguments are required: --data",
        "train.py: error: argument --lr: invalid float value: 'fast'",
    ],
)
def test_what_argparse_refuses_is_an_option(line: str) -> None:
    assert names(line) == ["option-unknown"]


def test_a_python_that_cann_does_not_take_is_the_root() -> None:
    lines = (
        "E40021: Failed to compile Op [Add1].",
        "SystemError: PY_SSIZE_T_CLEAN macro must be defined for '#'",
    )
    assert names(*lines)[0] == "python-for-cann"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("RuntimeError: 未找到可用的NPU设备", "no-device"),
        ("报错：显存不足", "out-of-memory"),
        ("版本不匹配", "versions-conflict"),
        ("算子不支持 float64", "dtype"),
        ("无法打开 x，权限不够", "permission"),
    ],
)
def test_what_is_said_in_chinese_is_known(line: str, name: str) -> None:
    assert names(line) == [name]


@pytest.mark.parametrize("line", ["训练完成，失败 0", "超时设为 600", "内存 64 GB"])
def test_chinese_without_an_error_is_none(line: str) -> None:
    assert names(line) == []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("bash: /opt/x/set_env.sh: No such file or directory", "no-file"),
        ("run.sh: line 3: FOO: unbound variable", "unbound-variable"),
        ("CalledProcessError: Command 'nvcc --version' returned non-zero exit status 127.", "library-cuda"),
    ],
)
def test_what_the_shell_says_of_a_script_is_known(line: str, name: str) -> None:
    assert names(line) == [name]
