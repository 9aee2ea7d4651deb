"""The signatures of a wheel: of operators as registered, of functions and classes as written."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tools.cuda_operators.signatures import known_names, registered_schemas, signatures_in, table_of
from tools.support_tables.collect.wheel import Wheel

LIBRARY = (
    b"\x7fELF\0npu::npu_rms_norm\0npu_rms_norm(Tensor input, Tensor gamma) -> (Tensor, Tensor)\0"
    b"npu_slice.out(Tensor input, *, Tensor(a!) out) -> Tensor(a!)\0npu_slice(Tensor input) -> Tensor\0"
    b"npu_cast.Tensor(Tensor input) -> Tensor\0npu_cast(Tensor input, int format) -> Tensor\0"
)
FILES = {
    "torch_npu/lib/libtorch_npu.so": LIBRARY,
    "torch_npu/__init__.py": b"from . import npu\n",
    "torch_npu/npu/__init__.py": b"from .utils import set_device, lazy\nfrom .streams import Event\n",
    "torch_npu/npu/utils.py": b"lazy = 1\ndef set_device(device: int = 0) -> None:\n    pass\n",
    "torch_npu/npu/streams.py": (
        b"class Event(Base):\n    def __new__(cls, enable_timing=False):\n        pass\n"
        b"    def wait(self, stream=None): ...\n    @property\n    def device(self): ...\n"
    ),
}


def wheel_in(folder: Path, version: str = "2.8.0") -> Wheel:
    path = folder / f"torch_npu-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    return Wheel(path)


def test_an_operator_has_the_schema_that_the_library_registers_under_its_own_name() -> None:
    assert registered_schemas(LIBRARY) == {
        "npu_rms_norm": "(Tensor input, Tensor gamma) -> (Tensor, Tensor)",
        "npu_slice": "(Tensor input) -> Tensor",
        "npu_cast": "(Tensor input, int format) -> Tensor",
    }


def test_functions_classes_and_methods_have_the_parameters_of_their_sources(tmp_path: Path) -> None:
    names = ("set_device", "Event", "Event.wait", "Event.device", "lazy", "missing")
    found = dict(signatures_in(wheel_in(tmp_path), [f"torch_npu.npu.{name}" for name in names]))
    assert found == {
        "torch_npu.npu.set_device": "torch_npu.npu.set_device(device: int=0) -> None",
        "torch_npu.npu.Event": "torch_npu.npu.Event(enable_timing=False)",
        "torch_npu.npu.Event.wait": "torch_npu.npu.Event.wait(stream=None)",
    }


def test_releases_with_the_same_signature_share_a_row(tmp_path: Path) -> None:
    table = table_of([wheel_in(tmp_path, version) for version in ("2.9.0", "2.8.0.post5")])
    assert "torch_npu.npu.set_device\t2.8.0 2.9.0\ttorch_npu.npu.set_device(device: int=0) -> None\n" in table


def test_the_known_names_are_those_of_tables_and_rules() -> None:
    assert {"torch_npu.npu.set_device", "torch_npu.npu_fusion_attention"} <= known_names()
