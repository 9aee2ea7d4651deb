"""NPU1004: scripts that only look for what there is on a machine with GPUs."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said

SAFE = {"unsafe_fixes": False}


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("if command -v nvidia-smi >/dev/null; then x; fi", "if command -v npu-smi >/dev/null; then x; fi"),
        ("command -V 'nvidia-smi'", "command -V 'npu-smi'"),
        ("if ! which nvidia-smi; then x; fi", "if ! which npu-smi; then x; fi"),
        ("hash nvidia-smi 2>/dev/null && x", "hash npu-smi 2>/dev/null && x"),
        ("type -P nvidia-smi &>/dev/null || x", "type -P npu-smi &>/dev/null || x"),
        ('[ -x "$(command -v nvidia-smi)" ] && x', '[ -x "$(command -v npu-smi)" ] && x'),
        ("[[ -n `which nvidia-smi` ]] && x", "[[ -n `which npu-smi` ]] && x"),
        ('test -n "$(which nvidia-smi 2>/dev/null)" && x', 'test -n "$(which npu-smi 2>/dev/null)" && x'),
        ("which nvidia-smi && nvidia-smi", "which npu-smi && npu-smi info"),
    ],
)
def test_to_look_for_the_program_means_the_same_with_the_other_name(line: str, after: str) -> None:
    assert fixed("NPU1004", f"{line}\n", "run.sh", **SAFE) == f"{after}\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Makefile", "check:\n\t@which nvidia-smi\n"),
        ("Dockerfile", "FROM a\nRUN command -v nvidia-smi\n"),
        (".github/workflows/a.yml", "jobs:\n  t:\n    steps:\n      - run: which nvidia-smi\n"),
    ],
)
def test_so_in_every_kind_of_shell_code(path: str, text: str) -> None:
    assert fixed("NPU1004", text, path) == text.replace("nvidia-smi", "npu-smi")


@pytest.mark.parametrize(
    "stays",
    [
        "nvidia-smi --query-gpu=name",
        "nvidia-smi | grep A100",
        "nvcc --version",
        "pip install cupy",
        "export CUDA_HOME=/opt",
        "pip install torch --index-url https://download.pytorch.org/whl/cu118",
    ],
)
def test_where_the_branch_may_hold_what_stays_on_gpus_the_other_name_is_only_offered(stays: str) -> None:
    text = f"if which nvidia-smi; then\n  {stays}\nfi\n"
    assert said("NPU1004", text, "run.sh")[0] == "looked_for unsafe warning: nvidia-smi"
    assert said("NPU1004", "which nvidia-smi\n", "run.sh") == ["looked_for safe warning: nvidia-smi"]


@pytest.mark.parametrize(
    "line", ["SMI=$(which nvidia-smi)", "which nvidia-smi | xargs ls", "p=`command -v nvidia-smi`"]
)
def test_a_path_that_is_kept_is_going_to_be_run(line: str) -> None:
    assert said("NPU1004", f"{line}\n", "run.sh") == ["query manual error: nvidia-smi"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[ -e /dev/nvidia0 ] && x", "/dev/nvidia0"),
        ("test -c /dev/nvidiactl && x", "/dev/nvidiactl"),
        ("[[ ! -d /usr/local/cuda && $a ]] && x", "/usr/local/cuda"),
        ('if [ ! -e /dev/null -o -d "/usr/local/cuda-11.8" ]; then x; fi', '"/usr/local/cuda-11.8"'),
        ("[ -x /usr/bin/nvidia-smi ] && x", "/usr/bin/nvidia-smi"),
        ("ls /dev/nvidia* >/dev/null && x", "/dev/nvidia*"),
        ('[ -n "$(ls /dev/nvidia[0-9]*)" ] && x', "/dev/nvidia[0-9]*"),
        ("which /usr/bin/nvidia-smi && x", "/usr/bin/nvidia-smi"),
    ],
)
def test_files_of_gpus_are_named_with_what_to_test_instead(line: str, found: str) -> None:
    assert said("NPU1004", f"{line}\n", "run.sh") == [f"file manual warning: {found}"]


@pytest.mark.parametrize(
    "text",
    [
        "if [ -d /usr/local/cuda ]; then\n  export PATH=/usr/local/cuda/bin:$PATH\nfi\n",
        "[ -d /usr/local/cuda-12.1 ] && nvcc -c k.cu\n",
        "[ -e /dev/davinci0 ] && x\n",
        "[ -e /data/usr/local/cuda ] && x\n",
        "command nvidia-smi-x\necho which nvidia-smi\n",
        "apt-get install which\n[ $a = /dev/nvidia0 ] && x\n",
        "command -v npu-smi && x\n",
    ],
)
def test_what_serves_the_toolkit_alone_or_is_no_test_is_left(text: str) -> None:
    assert said("NPU1004", text + "nvidia-smi\n", "run.sh") == ["plain safe warning: nvidia-smi"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("nvcc --version || exit 1", 1),
        ("sudo /usr/local/cuda/bin/nvcc -c k.cu", 1),
        ("v=$(nvcc --version | grep release)", 1),
        ("echo nvcc\ngcc nvcc.c", 0),
        ("if command -v nvcc >/dev/null; then nvcc -c k.cu; fi", 0),
        ("which nvcc && nvcc --version", 0),
    ],
)
def test_the_compiler_is_reported_but_where_a_script_looks_for_it(line: str, found: int) -> None:
    control = "nsys -h\n"
    after = [item for item in said("NPU1006", f"{line}\n{control}", "run.sh") if "nsys" not in item]
    assert [item.partition(":")[0] for item in after] == ["compiler manual error"] * found
    assert len(said("NPU1006", f"{line}\n{control}", "run.sh")) == found + 1


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Dockerfile", "FROM a\nRUN nvcc --version\n"),
        ("Makefile", "k.o: k.cu\n\tnvcc -c k.cu\n"),
        (".github/workflows/a.yml", "jobs:\n  t:\n    steps:\n      - run: nvcc --version\n"),
    ],
)
def test_the_compiler_is_reported_in_every_kind_of_shell_code(path: str, text: str) -> None:
    assert said("NPU1006", text, path) == ["compiler manual error: nvcc"]
