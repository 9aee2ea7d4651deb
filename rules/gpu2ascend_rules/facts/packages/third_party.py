"""What is known of packages of others on the NPU: one table, asked by package, by pattern and by module."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from ...data import load_json, load_tsv

_Wanted = Callable[[dict[str, str]], bool]
_SEPARATORS = re.compile(r"[-_.]+")
_OF_ASCEND = re.compile(r"-(?:npu|ascend|cann)(?:-|$)")
"""In the name of a package that is made for the NPU: no pattern is about it."""
PACKAGE_WORDS = """
nvidia cuda cudnn nccl nvml cupy flash attn attention xformers transformer apex triton gpu vllm bitsandbytes
gptq awq sloth deepspeed mamba mmcv-full natten nerfacc gsplat nvdiff kaolin torchsparse spconv cumm minkowski
pytorch3d dgl codec horovod tensorrt torch2trt quantization flashinfer sgl-kernel tinycudann
pytorch-mutex warp tilelang titan deep-ep mooncake tb-profiler
cudf cuml cugraph cucim rmm-cu nvtx nvitop nvsmi causal +cu -cu
"""
"""One of them is in the name of every package that is treated."""


class CudaPackage(NamedTuple):
    """What becomes of a package that needs CUDA in a list of dependencies."""

    treatment: str
    """``drop``, ``build``, ``replace`` or ``ask``; tools/third_party/sources/installs.tsv says what each
    means."""
    replacement: str
    """The package that takes its place in the list; empty unless the treatment is ``replace``."""
    advice: str


class PackageVerdict(NamedTuple):
    """How far a package works on the NPU."""

    package: str
    """As the package index compares names; empty for modules that no package on the index is known for."""
    modules: tuple[str, ...]
    status: str
    """``works``, ``plain`` (no code for devices), ``part``, ``replaced``, ``cpu``, ``no``, ``other`` (not
    PyTorch's) or ``unverified``."""
    works_from: str
    """The first release that works, of the replacement if there is one; empty where none is known."""
    replacement: str
    advice: str
    """The message that says what to do (its id); empty where the status says it all."""
    source: str
    confidence: str

    @property
    def name(self) -> str:
        """The package, or the module if no package is known."""
        return self.package or self.modules[0]


@lru_cache(maxsize=1024)
def cuda_package(name: str) -> CudaPackage | None:
    """The treatment of a package in a list of dependencies, by its canonical name; None for none."""
    row = _matching(name, lambda row: bool(row["treatment"]))
    if row is None:
        return None
    is_replaced = row["treatment"] == "replace"
    return CudaPackage(row["treatment"], row["replacement"] if is_replaced else "", row["install_advice"])


@cache
def cuda_modules() -> Mapping[str, str]:
    """The modules whose import is reported, each with the end of the message's id."""
    return {
        module: row["import_advice"]
        for row in load_tsv("third_party")
        if row["import_advice"]
        for module in row["imports"].split()
    }


@cache
def is_absent_on_npu(name: str) -> bool:
    """Whether a dotted name is a module that runs on CUDA only, or lies in one: nothing imports it there."""
    library = cuda_module_of(name)
    return library is not None and cuda_modules()[library] not in load_json("third_party")["information"]


@cache
def cuda_module_of(name: str) -> str | None:
    """The module of :func:`cuda_modules` that a name is, or lies in; none for a part of plain torch."""
    modules, plain = cuda_modules(), load_json("third_party")["plain"]
    while name and name not in plain:
        if name in modules:
            return name
        name = name.rpartition(".")[0]
    return None


def is_cuda_member(name: str) -> bool:
    """Whether a dotted name is of a library whose builds without CUDA lack it, or cannot run it."""
    return (
        load_json("third_party")["partial"].get(name) == "faiss_gpu" or name in load_json("apex")["kernels"]
    )


@cache
def gpu_flags() -> Mapping[str, str]:
    """The parameters by which libraries use a GPU that they look for themselves, by what takes them."""
    flags: Mapping[str, str] = load_json("third_party")["gpu_flags"]
    return flags


@lru_cache(maxsize=1024)
def verdict_of_package(name: str) -> PackageVerdict | None:
    """What is known of a package, by its name on the package index in any spelling."""
    package = canonical(name)
    row = _matching(package, lambda row: True)
    return _verdict(row)._replace(package=package) if row is not None else None


@lru_cache(maxsize=1024)
def verdict_of_module(name: str) -> PackageVerdict | None:
    """What is known of the package that a module or a name in it is of: the longest entry counts."""
    while name:
        row = _by_module().get(name)
        if row is not None:
            return _verdict(row)
        name = name.rpartition(".")[0]
    return None


@cache
def known_packages() -> tuple[str, ...]:
    """The packages with a row of their own, without patterns."""
    return tuple(
        row["package"] for row in load_tsv("third_party") if row["package"] and "*" not in row["package"]
    )


def canonical(name: str) -> str:
    """A package's name as the package index compares names."""
    return _SEPARATORS.sub("-", name.strip()).lower()


def _matching(name: str, wanted: _Wanted) -> dict[str, str] | None:
    best, longest = None, -1
    is_ours = _OF_ASCEND.search(name) is not None
    for row in load_tsv("third_party"):
        pattern = row["package"]
        if not pattern or not wanted(row):
            continue
        is_prefix = pattern.endswith("*")
        matches = name.startswith(pattern[:-1]) and not is_ours if is_prefix else name == pattern
        weight = len(pattern) + (0 if is_prefix else 1000)
        if matches and weight > longest:
            best, longest = row, weight
    return best


@cache
def _by_module() -> dict[str, dict[str, str]]:
    """The row of each module; of packages with the same module, the one whose name it is."""
    found: dict[str, dict[str, str]] = {}
    for row in load_tsv("third_party"):
        for module in row["imports"].split():
            if module not in found or row["package"] == canonical(module):
                found[module] = row
    return found


def _verdict(row: dict[str, str]) -> PackageVerdict:
    advice = ""
    if row["note"]:
        advice = f"package.note.{row['package']}"
    elif row["import_advice"]:
        advice = f"NPU701.{row['import_advice']}"
    elif row["install_advice"]:
        advice = f"NPU1103.{row['install_advice']}"
    modules = tuple(row["imports"].split())
    facts = (row["status"], row["works_from"], row["replacement"], advice, row["source"], row["confidence"])
    return PackageVerdict(row["package"], modules, *facts)
