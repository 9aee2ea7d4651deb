"""The doctor as one file, for a machine on which nothing is to be installed.

It is a zip archive that Python runs: of this package the modules that ``doctor`` needs, of the rules their
tables and messages, and attrs. It has no parsers, which are native, and so names no rules at a line of a log.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path

from gpu2ascend_rules.model.finding import Message

from ..project.errors import InputError

_SHEBANG = b"#!/usr/bin/env python3\n"
_MAIN = '''\
"""Runs `gpu2ascend doctor`: python3 gpu2ascend-doctor.pyz [OPTION ...]"""
import shutil
import sys
import tempfile
import zipfile

if sys.version_info < (3, 10):
    sys.exit("gpu2ascend doctor runs on Python 3.10 or newer; with --python PYTHON it checks another one")
folder = tempfile.mkdtemp(prefix="gpu2ascend-doctor-")
try:
    with zipfile.ZipFile(sys.path[0]) as archive:
        archive.extractall(folder)
    sys.path[0] = folder
    sys.dont_write_bytecode = True
    from gpu2ascend.__main__ import main

    code = main(["doctor"] + sys.argv[1:])
finally:
    shutil.rmtree(folder, ignore_errors=True)
sys.exit(code)
'''
_PACKAGES = {
    "gpu2ascend": re.compile(r"(agents|lsp|survey|verify|project/(adapters|kernels|launchers)/.*templates)/"),
    "gpu2ascend_rules": re.compile(r"(catalog|codemods|flow|similar|facts/packed)/"),
}
"""What is packed, and which folders of it are not: nothing that runs here imports them."""
_KINDS = (".py", ".json", ".tsv", ".txt")
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The same sources make the same file."""


def doctor_file() -> bytes:
    """The file. Raises InputError: what is packed is not installed as files."""
    content = io.BytesIO(_SHEBANG)
    content.seek(0, io.SEEK_END)
    with zipfile.ZipFile(content, "a", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in sorted([("__main__.py", _MAIN.encode()), *_of_ours(), *_of_attrs()]):
            archive.writestr(zipfile.ZipInfo(name, _MOMENT), data, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def _of_ours() -> Iterator[tuple[str, bytes]]:
    for package, left_out in _PACKAGES.items():
        top = Path(str(resources.files(package)))
        for path in top.rglob("*"):
            name = path.relative_to(top).as_posix()
            if path.suffix in _KINDS and not left_out.match(name):
                yield f"{package}/{name}", path.read_bytes()


def _of_attrs() -> Iterator[tuple[str, bytes]]:
    """The one library of others, with its licence."""
    try:
        listed = metadata.files("attrs")
        if listed is None:
            raise metadata.PackageNotFoundError("attrs")
        for file in listed:
            if file.suffix == ".py" or "licenses" in file.parts:
                yield file.as_posix(), Path(str(file.locate())).read_bytes()
    except (metadata.PackageNotFoundError, OSError) as error:
        raise InputError(Message.of("doctor.no-attrs", reason=str(error))) from error
