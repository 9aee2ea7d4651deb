"""A host as files in a directory and recorded outputs, for the checks to look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from gpu2ascend.doctor.diagnose import diagnose
from gpu2ascend.doctor.machine import Machine
from gpu2ascend.doctor.python_environment import PythonEnvironment, environment_of
from gpu2ascend.doctor.result import Result, Status
from gpu2ascend.doctor.tools import Answer

SAMPLES = Path(__file__).parent / "samples"
DEVICES = ("davinci0", "davinci1", "davinci_manager", "devmm_svm", "hisi_hdc")
CANN = "/usr/local/Ascend/ascend-toolkit/latest"
SOURCED = {
    "ASCEND_HOME_PATH": CANN,
    "ASCEND_OPP_PATH": f"{CANN}/opp",
    "ASCEND_AICPU_PATH": CANN,
    "LD_LIBRARY_PATH": f"{CANN}/lib64:/usr/lib",
}


def sample(name: str) -> str:
    """What a tool printed."""
    return (SAMPLES / f"{name}.txt").read_text(encoding="utf-8")


def write(root: Path, files: Mapping[str, str]) -> None:
    """Files of the host, by absolute path."""
    for name, text in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def environment(directory: Path, packages: Iterable[str], cuda: str | None = None) -> PythonEnvironment:
    """A Python environment with packages, such as ``torch-2.8.0``."""
    place = directory / "lib" / "python3.11" / "site-packages"
    for package in packages:
        (place / f"{package}.dist-info").mkdir(parents=True)
    write(place, {"torch/version.py": f"__version__ = '2.8.0'\ncuda: Optional[str] = {cuda!r}\n"})
    (directory / "bin").mkdir()
    (directory / "bin" / "python").touch()
    found = environment_of(directory / "bin" / "python", None, {})
    assert found is not None
    return found


NEEDED = tuple(
    f"{name}-1.0"
    for name in (
        *("absl_py", "attrs", "cffi", "cloudpickle", "decorator", "numpy"),
        *("protobuf", "psutil", "pyyaml", "scipy", "sympy"),
    )
)


def ready(root: Path, **changes: object) -> Machine:
    """A host with two NPUs on which everything fits, or all but what is changed."""
    write(root, dict.fromkeys((f"/dev/{name}" for name in DEVICES), ""))
    write(
        root,
        {
            "/usr/local/Ascend/driver/version.info": "Version=25.2.0\nascendhal_version=7.35.23\n",
            "/usr/local/Ascend/firmware/version.info": "Version=7.7.0.1.231\n",
            f"{CANN}/x86_64-linux/ascend_toolkit_install.info": "package_name=x\nversion=8.3.RC1\n",
            f"{CANN}/opp/built-in/op_impl/ai_core/tbe/kernel/ascend910b/a": "",
            "/usr/local/Ascend/nnal/atb/set_env.sh": "",
            "/usr/local/Ascend/ascend-toolkit/set_env.sh": "",
        },
    )
    packages = ("torch-2.8.0+cpu", "torch_npu-2.8.0", *NEEDED)
    machine = Machine(
        root=root,
        environ=SOURCED,
        ask=answering({"npu-smi info": sample("npu_smi_910b2")}),
        system="linux",
        architecture="x86_64",
        glibc="2.36",
        open_files=65535,
        python=environment(root / "env", packages),
    )
    return attrs.evolve(machine, **changes)


class answering:
    """Programs that print what was recorded, by command; others are not there."""

    def __init__(self, outputs: Mapping[str, str], code: int | None = 0) -> None:
        self._outputs = outputs
        self._code = code

    def __call__(self, name: str, *arguments: str) -> Answer | None:
        text = self._outputs.get(" ".join((name, *arguments)))
        return Answer(self._code, text) if text is not None else None


def said(machine: Machine) -> dict[str, Result]:
    """What all checks say that is not fine, by message."""
    graves = (Status.ERROR, Status.WARNING, Status.UNSEEN)
    return {
        found.message.id.removeprefix("doctor."): found
        for found in diagnose(machine)
        if found.status in graves and found.check != "shared-memory"
    }
