"""Makes a project that would run code in every way that Python knows.

``python -I build_hostile.py PROJECT MARKER``: for the Python that runs it. Every trap appends its name to the
file MARKER. Beside the traps there is as much code as it takes for every kind of process to be started.
"""

from __future__ import annotations

import importlib._bootstrap_external
import importlib.machinery
import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parents[2]
STARTED_BY_PYTHON = ("sitecustomize", "usercustomize", "conftest", "setup", "__main__")
"""Run by Python, pytest and pip without anybody importing them."""
PROJECT_FILE_BYTES = 60_000
LIBRARY = """\
import torch

def make(n):
    return torch.zeros(n).view(-1)
"""
TRAIN = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from shapes.library import make

def main():
    model = nn.Linear(2, 2).cuda()
    data = TensorDataset(torch.zeros(8, 2), torch.zeros(8, dtype=torch.long))
    loader = DataLoader(data, batch_size=2, shuffle=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for inputs, labels in loader:
            loss = nn.functional.cross_entropy(model(inputs.cuda()), labels.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    make(3).to_dense()

if __name__ == "__main__":
    main()
"""
CODE = "import torch\n\ndef run(x):\n    return x.cuda(), torch.cuda.device_count()\n"
NATIVE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

__attribute__((constructor)) static void run(void) {
    Dl_info self;
    FILE *file = fopen("MARKER", "a");
    dladdr((void *)run, &self);
    const char *name = strrchr(self.dli_fname, '/') + 1;
    fprintf(file, "%.*s\n", (int)strcspn(name, "."), name);
    fclose(file);
}
"""


def names() -> list[str]:
    """Every module that could be asked for: Python's, all that is installed, and those of this program."""
    found = {*sys.stdlib_module_names, *STARTED_BY_PYTHON, "torch", "gpu2ascend", "gpu2ascend_rules"}
    for folder in (Path(entry) for entry in sys.path if Path(entry).is_dir()):
        found.update(entry.name.partition(".")[0] for entry in folder.iterdir())
    for package in ("rules", "server"):
        found.update(path.stem for path in (TOP / package).rglob("*.py"))
    return sorted(name for name in found if name.isidentifier())


def trap(name: str, marker: Path) -> str:
    """Code that leaves its name, using nothing that could itself be a trap."""
    return (
        "try:\n    import posix as system\nexcept ImportError:\n    import nt as system\n"
        f"handle = system.open({str(marker)!r}, system.O_WRONLY | system.O_CREAT | system.O_APPEND, 0o600)\n"
        f"system.write(handle, {(name + chr(10)).encode()!r})\nsystem.close(handle)\n"
        f"raise ImportError({name!r})\n"
    )


def compiled(code: str) -> bytes:
    """A bytecode file that Python takes without looking at the source."""
    program = compile(code, "trap", "exec")
    return bytes(importlib._bootstrap_external._code_to_hash_pyc(program, bytes(8), False))  # type: ignore[attr-defined]


def native(folder: Path, marker: Path) -> Path | None:
    """An extension module that leaves its trace when it is loaded, where there is a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or sys.platform == "win32":
        return None
    source, library = folder / "trap.c", folder / "trap.so"
    source.write_text(NATIVE.replace("MARKER", str(marker)))
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    source.unlink()
    return library


def build(project: Path, marker: Path) -> None:
    """Write the project."""
    project.mkdir(parents=True)
    library = native(project, marker)
    for number, name in enumerate(names()):
        module(project, name, trap(name, marker), number % 4, library)
    if library is not None:
        library.unlink()
    (project / "hostile.pth").write_text("import sitecustomize\n")
    for folder in ("venv", ".venv", "env"):
        environment(project / folder, marker)
    (project / ".jedi").mkdir()
    (project / ".jedi/project.json").write_text('[1, {"environment_path": "venv/bin/python"}]')
    (project / ".vscode").mkdir()
    (project / ".vscode/settings.json").write_text('{"gpu2ascend.interpreter": "venv/bin/python"}')
    code(project)


def module(folder: Path, name: str, text: str, kind: int, library: Path | None) -> None:
    """A module of one of the kinds that Python can load: each finds the first of them."""
    if kind == 1:
        cached = Path(importlib.util.cache_from_source(str(folder / f"{name}.py")))
        cached.parent.mkdir(exist_ok=True)
        cached.write_bytes(compiled(text))
        (folder / f"{name}.py").write_text("raise ImportError\n")
    elif kind == 2:
        (folder / f"{name}.pyc").write_bytes(compiled(text))
    elif kind == 3 and library is not None:
        shutil.copyfile(library, folder / f"{name}{importlib.machinery.EXTENSION_SUFFIXES[0]}")
    else:
        (folder / f"{name}.py").write_text(text)


def environment(folder: Path, marker: Path) -> None:
    """A virtual environment whose interpreter is a trap, and whatever is installed in it."""
    scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")
    scripts.mkdir(parents=True)
    (folder / "pyvenv.cfg").write_text(f"home = {scripts}\ninclude-system-site-packages = false\n")
    for name in ("python", "python3", "gpu2ascend"):
        (scripts / name).write_text(f"#!/bin/sh\necho {folder.name}/{name} >> '{marker}'\nexit 1\n")
        (scripts / name).chmod(0o755)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / ("Lib" if sys.platform == "win32" else f"lib/{version}") / "site-packages"
    packages.mkdir(parents=True)
    for name in ("sitecustomize", "usercustomize", "jedi", "torch"):
        (packages / f"{name}.py").write_text(trap(f"{folder.name}/{name}", marker))
    (packages / "hostile.pth").write_text("import sitecustomize\n")


def code(project: Path) -> None:
    """Something to migrate: a question for jedi, a script to distribute, one large file and many others."""
    (project / "shapes").mkdir()
    (project / "shapes/__init__.py").write_text("")
    (project / "shapes/library.py").write_text(LIBRARY)
    (project / "train.py").write_text(TRAIN)
    for number in range(16):
        (project / "shapes" / f"part{number}.py").write_text(filled(CODE, PROJECT_FILE_BYTES))
    (project / "shapes/large.py").write_text(filled(CODE, 4 * PROJECT_FILE_BYTES))


def filled(text: str, size: int) -> str:
    """The text, made long by a string: what decides about processes is how much there is to read."""
    return f'{text}"""\n{("-" * 99 + chr(10)) * (size // 100)}"""\n'


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
