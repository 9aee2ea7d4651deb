"""Step one, wheels: names read from the syntax of the modules in an archive, nothing imported."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.tools.support_tables.tsv_folder import TsvFolder
from tools.support_tables.collect.add_torch import add_torch, cuda_names
from tools.support_tables.collect.add_wheel import add_wheel, differences
from tools.support_tables.collect.operators import custom_operators, registered_operators
from tools.support_tables.collect.wheel import UNCERTAIN, Wheel
from tools.support_tables.tsv import read_rows

MODULES = {
    "torch_npu/__init__.py": """
        __all__ = ["erase"]
        import os
        import torch
        from torch_npu.helpers import borrowed
        from .npu.utils import erase
        from torch_npu._C._thing import NativeThing
        raise RuntimeError("importing this would fail")
    """,
    "torch_npu/npu/__init__.py": """
        __all__ = ["device_count", "FloatTensor"]
        __all__ += ["late"]
        from typing import Tuple
        from .utils import device_count, _private, helper as renamed
        from ._stars import *
        from .marks import marks
        from .streams import Stream
        config: Tuple = ()
        if config:
            only_sometimes = 1
        else:
            def otherwise(): pass
        gone = 1
        del gone
    """,
    "torch_npu/npu/utils.py": """
        def device_count(): pass
        def helper(): pass
        def _private(): pass
        def erase(): pass
    """,
    "torch_npu/npu/_stars.py": """
        import os
        from .utils import helper as shone
        def twinkle(): pass
        def _dark(): pass
    """,
    "torch_npu/npu/marks.py": "class marks:\n    @staticmethod\n    def mark(text): pass\n",
    "torch_npu/npu/streams.py": """
        import torch_npu._C
        import elsewhere
        class Base:
            limit: int = 1
            def wait(self): pass
        class Stream(torch_npu._C._StreamBase, Base):
            def query(self): pass
        class Borrowing(elsewhere.Base): pass
    """,
    "torch_npu/folder/piece.py": "x = 1\n",
    "torch_npu/lib/libtorch_npu.so": "\0native_member\0other\0",
    "torch_npu/csrc/aten/npu_native_functions.yaml": """
        backend: NPU
        supported:
          - add.Tensor
          - func: clone
            op_api: True
        custom:
          - func: npu_special(Tensor self) -> Tensor
          - func: npu_special.out(Tensor self) -> Tensor
    """,
    "torch_npu/csrc/aten/npu_native_functions_by_codegen.yaml": """
        custom:
        - exposed: true
          func: npu_other(Tensor self) -> Tensor
        supported:
        - device_check: NoCheck
          func: mul.Tensor
        symint:
        - never
    """,
}


def dedented(text: str) -> str:
    lines = text.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


def wheel_of(path: Path, name: str, files: dict[str, str]) -> Wheel:
    file = path / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, dedented(text))
    return Wheel(file)


@pytest.fixture
def wheel(tmp_path: Path) -> Wheel:
    return wheel_of(tmp_path, "torch_npu-2.3.1.post7", MODULES)


def test_the_version_is_in_the_file_name(wheel: Wheel) -> None:
    assert wheel.version == "2.3.1.post7"


class TestPublicNames:
    def test_are_what_the_module_defines_exports_and_holds(self, wheel: Wheel) -> None:
        assert wheel.public_names("torch_npu.npu") == {
            "FloatTensor": "unknown",
            "Stream": "class",
            "config": "attribute",
            "device_count": "function",
            "late": "unknown",
            "marks": "class",
            "only_sometimes": "attribute",
            "otherwise": "function",
            "renamed": "function",
            "shone": "function",
            "streams": "module",
            "twinkle": "function",
            "utils": "module",
        }

    def test_leave_out_what_is_borrowed_from_other_packages(self, wheel: Wheel) -> None:
        names = wheel.public_names("torch_npu")
        assert {"os", "torch", "borrowed"}.isdisjoint(names) and names["erase"] == "function"

    def test_include_native_names(self, wheel: Wheel) -> None:
        assert wheel.public_names("torch_npu")["NativeThing"] == "unknown"

    def test_include_folders_of_modules(self, wheel: Wheel) -> None:
        assert wheel.public_names("torch_npu")["folder"] == "module"

    def test_of_no_module_are_none(self, wheel: Wheel) -> None:
        assert wheel.public_names("torch_npu.nowhere") == {}


class TestKind:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("torch_npu", "module"),
            ("torch_npu.npu.utils", "module"),
            ("torch_npu.npu.utils._private", "function"),
            ("torch_npu.npu._private", "function"),
            ("torch_npu.npu._dark", None),
            ("torch_npu.npu.gone", None),
            ("torch_npu.npu.marks", "class"),
            ("torch_npu.npu.marks.mark", "method"),
            ("torch_npu.npu.Stream.query", "method"),
            ("torch_npu.npu.Stream.wait", "method"),
            ("torch_npu.npu.Stream.limit", "method"),
            ("torch_npu.npu.Stream.native_member", UNCERTAIN),
            ("torch_npu.npu.Stream.nonsense", None),
            ("torch_npu.npu.streams.Borrowing.anything", UNCERTAIN),
            ("torch_npu.npu.nonsense", None),
            ("elsewhere", None),
        ],
    )
    def test_of_a_full_name(self, wheel: Wheel, name: str, kind: str | None) -> None:
        assert wheel.kind_of(name) == kind


class TestOperators:
    def test_registered_are_those_of_pytorch(self, wheel: Wheel) -> None:
        assert registered_operators(wheel) == {"add.Tensor", "clone", "mul.Tensor"}

    def test_custom_are_those_of_torch_npu(self, wheel: Wheel) -> None:
        assert custom_operators(wheel) == {"npu_special", "npu_other"}


class TestEnteringAWheel:
    def column(self, folder: Path, file: str, key: str, wheel: str = "2.3.1.post7") -> dict[str, str]:
        return {row[key]: row[wheel] for row in read_rows(folder / file)}

    def test_replaces_the_column_of_its_version(self, tsv: TsvFolder, wheel: Wheel) -> None:
        folder = tsv.write()
        add_wheel(folder, wheel)
        for file in ("torch_npu-names.tsv", "cuda-to-npu.tsv", "aten-npu-ops.tsv"):
            columns = [column for column in read_rows(folder / file)[0] if column[0].isdigit()]
            assert columns == ["2.1.0.post1", "2.3.1.post7", "2.13.0.post2"]

    def test_makes_a_column_for_a_new_version_in_its_place(self, tsv: TsvFolder, tmp_path: Path) -> None:
        folder = tsv.write()
        add_wheel(folder, wheel_of(tmp_path, "torch_npu-2.5.1", MODULES))
        columns = [column for column in read_rows(folder / "aten-npu-ops.tsv")[0] if column[0].isdigit()]
        assert columns == ["2.1.0.post1", "2.3.1", "2.5.1", "2.13.0.post2"]

    def test_enters_names_and_operators(self, tsv: TsvFolder, wheel: Wheel) -> None:
        folder = tsv.name("torch_npu.npu", "vanished").write()
        add_wheel(folder, wheel)
        names = self.column(folder, "torch_npu-names.tsv", "name")
        assert names["device_count"] == "yes" and names["npu_other"] == "yes" and names["vanished"] == ""
        assert self.column(folder, "aten-npu-ops.tsv", "aten_op")["mul.Tensor"] == "yes"

    def test_enters_exports(self, tsv: TsvFolder, wheel: Wheel) -> None:
        folder = tsv.write()
        add_wheel(folder, wheel)
        exported = {row["name"]: row["in_all"] for row in read_rows(folder / "torch_npu-names.tsv")}
        assert exported["late"] == "yes" and exported["twinkle"] == ""

    def test_finds_counterparts_of_the_same_name(self, tsv: TsvFolder, wheel: Wheel) -> None:
        tsv.cuda.append({"cuda_name": "torch.cuda.device_count", "kind": "function", "relation": "none"})
        folder = tsv.write()
        add_wheel(folder, wheel)
        (row,) = [r for r in read_rows(folder / "cuda-to-npu.tsv") if r["cuda_name"].endswith("device_count")]
        assert (row["npu_name"], row["relation"]) == ("torch_npu.npu.device_count", "same_name")
        assert (row["2.1.0.post1"], row["2.3.1.post7"], row["first_seen"]) == ("", "yes", "2.3.1.post7")

    def test_finds_members_where_their_class_went(self, tsv: TsvFolder, wheel: Wheel) -> None:
        tsv.counterpart("CudaStream", "torch_npu.npu.Stream", "renamed")
        tsv.cuda.append({"cuda_name": "torch.cuda.CudaStream.query", "kind": "method", "relation": "none"})
        folder = tsv.write()
        add_wheel(folder, wheel)
        (row,) = [r for r in read_rows(folder / "cuda-to-npu.tsv") if r["cuda_name"].endswith(".query")]
        assert (row["npu_name"], row["relation"]) == ("torch_npu.npu.Stream.query", "renamed")

    def test_leaves_other_names_to_a_person(self, tsv: TsvFolder, tmp_path: Path) -> None:
        files = {"torch_npu/npu/__init__.py": "def npu_thing(): pass\n"}
        tsv.cuda.append({"cuda_name": "torch.cuda.cuda_thing", "kind": "function", "relation": "none"})
        undecided = add_wheel(tsv.write(), wheel_of(tmp_path, "torch_npu-2.3.1", files))
        assert undecided.candidates == ("torch.cuda.cuda_thing: torch_npu.npu.npu_thing",)

    def test_keeps_what_was_known_of_native_members(self, tsv: TsvFolder, wheel: Wheel) -> None:
        tsv.counterpart("Stream.native_member", "", "same_name", "2.1.0.post1")
        undecided = add_wheel(tsv.write(), wheel)
        assert undecided.unknown_members == ("torch_npu.npu.Stream.native_member: no",)

    def test_asks_the_wheel_before_about_native_members_of_a_new_version(
        self, tsv: TsvFolder, tmp_path: Path
    ) -> None:
        tsv.counterpart("Stream.native_member", "", "same_name", "2.3.1")
        undecided = add_wheel(tsv.write(), wheel_of(tmp_path, "torch_npu-2.5.1", MODULES))
        assert undecided.unknown_members == ("torch_npu.npu.Stream.native_member: yes",)

    def test_leaves_nothing_to_compare(self, tsv: TsvFolder, wheel: Wheel) -> None:
        folder = tsv.name("torch_npu.npu", "vanished").write()
        before = list(differences(folder, wheel))
        assert "torch_npu-names.tsv: only in the file: torch_npu.npu.vanished" in before
        assert "torch_npu-names.tsv: only in the wheel: torch_npu.npu.marks" in before
        assert "aten-npu-ops.tsv: only in the wheel: mul" in before
        add_wheel(folder, wheel)
        assert list(differences(folder, wheel)) == []


TORCH = {
    "torch/cuda/__init__.py": """
        __all__ = ["sync", "Thing", "absent"]
        from .inner import *
        def sync(): pass
        def unexported(): pass
        class Thing:
            def act(self): pass
            def _hide(self): pass
    """,
    "torch/cuda/inner.py": "def deep(): pass\n",
}


class TestTorchWheel:
    def test_names_are_those_that_the_modules_export(self, tmp_path: Path) -> None:
        wheel = wheel_of(tmp_path, "torch-2.13.0", TORCH)
        assert cuda_names(wheel) == {
            "torch.cuda.Thing": "class",
            "torch.cuda.Thing.act": "method",
            "torch.cuda.absent": "unknown",
            "torch.cuda.inner": "module",
            "torch.cuda.inner.deep": "function",
            "torch.cuda.sync": "function",
        }

    def test_new_names_are_entered_without_a_counterpart(self, tsv: TsvFolder, tmp_path: Path) -> None:
        folder = tsv.counterpart("sync").write()
        new = add_torch(folder, wheel_of(tmp_path, "torch-2.13.0", TORCH))
        assert "torch.cuda.Thing" in new and "torch.cuda.sync" not in new
        rows = {row["cuda_name"]: row for row in read_rows(folder / "cuda-to-npu.tsv")}
        assert rows["torch.cuda.Thing"]["relation"] == "none"
        assert rows["torch.cuda.sync"]["npu_name"] == "torch_npu.npu.sync"
