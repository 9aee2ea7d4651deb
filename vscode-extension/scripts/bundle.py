"""Fill `bundled/libs` with the server and all it needs on one platform.

    python scripts/bundle.py linux-x64

Native wheels are taken for every CPython that the server supports, side by side in one folder: their binaries
bear the version in their names, and all else in them is the same, which is checked. Wheels are downloaded
once, into `.cache/wheels`, and the server itself is built as the wheel that is released. Every file that is
downloaded must be one of `bundled/*.lock`, also when it lies there from an earlier time.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from platform import machine

from locking import Lock, Requirement, pinned, read_lock, verify
from slimming import without_symbols

EXTENSION = Path(__file__).resolve().parent.parent
REQUIREMENTS = EXTENSION / "bundled" / "requirements.txt"
BUILD_REQUIREMENTS = EXTENSION / "bundled" / "build-requirements.txt"
LIBS = EXTENSION / "bundled" / "libs"
CACHE = EXTENSION / ".cache"
WHEELS = CACHE / "wheels"

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")

PLATFORMS = {
    "linux-x64": ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64", "manylinux2014_x86_64"),
    "linux-arm64": ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64", "manylinux2014_aarch64"),
    "win32-x64": ("win_amd64",),
    # The later tags are those of later CPythons, not of later machines.
    "darwin-x64": tuple(f"macosx_{version}_x86_64" for version in ("10_15", "10_13", "10_12", "10_9")),
    "darwin-arm64": ("macosx_11_0_arm64",),
}

NATIVE = (
    "libcst", "tree-sitter", "tree-sitter-bash", "tree-sitter-json", "tree-sitter-python", "tree-sitter-toml",
    "tree-sitter-yaml",
)  # fmt: skip

NOT_NEEDED = ("pyyaml", "pyyaml-ft")
"""What a package asks for and the server never imports: LibCST's command-line tool reads YAML."""

_TRIMMED = re.compile(
    r"""
    (^|/)tests?/
    | ^jedi/third_party/(django-stubs|typeshed/stubs)/
    | ^libcst/(tool\.py|codemod/)
    | ^tree_sitter\w*/.*\.[ch]$
    | ^(?!jedi/third_party/typeshed/).*\.pyi$
    | \.dist-info/(?!METADATA$|entry_points\.txt$|(.*/)?(LICEN[CS]E|COPYING|AUTHORS|NOTICE))
    """,
    re.VERBOSE,
)
"""What no running server reads. The stubs of the standard library are what jedi infers it from."""


def requirements(file: Path, platform: str) -> Iterator[Requirement]:
    """What a list names for a platform, in the listed versions."""
    line_form = re.compile(r"([\w-]+)==([\w.]+)(?:; platform (==|!=) \"([\w-]+)\")?$")
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        match = line_form.match(line)
        if match is None:
            raise SystemExit(f"{file}: not understood: {line}")
        name, version, comparison, named = match.groups()
        if comparison is None or (comparison == "==") == (platform == named):
            yield Requirement(name, version)


def wheels(platform: str, lock: Lock | None) -> list[tuple[Requirement, Path]]:
    """The wheels of a platform, downloaded unless they are here already.

    Args:
        platform: One of `PLATFORMS`.
        lock: Which files they must be; None to take what there is, of which a lock is made.

    Raises:
        SystemExit: one is not the file that is locked.
    """
    found: dict[Path, Requirement] = {}
    for requirement in requirements(REQUIREMENTS, platform):
        if requirement.name in NATIVE:
            for python in PYTHONS:
                folder = WHEELS / platform / python
                found[_wheel(requirement, folder, python, PLATFORMS[platform], lock)] = requirement
        else:
            found[_wheel(requirement, WHEELS / "any", PYTHONS[0], (), lock)] = requirement
    return [(found[path], path) for path in sorted(found)]


def build_wheels(lock: Lock | None) -> list[tuple[Requirement, Path]]:
    """What the server's own wheel is built with, likewise."""
    return [
        (requirement, _wheel(requirement, WHEELS / "build", PYTHONS[0], (), lock))
        for requirement in requirements(BUILD_REQUIREMENTS, "")
    ]


def _wheel(
    wanted: Requirement, folder: Path, python: str, platforms: Iterable[str], lock: Lock | None
) -> Path:
    pattern = f"{wanted.name.replace('-', '_')}-{wanted.version}-*.whl"
    if not list(folder.glob(pattern)):
        tags = [argument for tag in platforms for argument in ("--platform", tag)]
        how = ("--no-deps", "--only-binary=:all:", "--python-version", python, *tags, "--dest", str(folder))
        if lock is None:
            _pip("download", *how, f"{wanted.name}=={wanted.version}")
        else:
            _download_locked(wanted, lock, how)
    wheel = next(folder.glob(pattern))
    if lock is not None:
        verify(wheel, lock.get(wanted, ()))
    return wheel


def _download_locked(wanted: Requirement, lock: Lock, how: Iterable[str]) -> None:
    """Download by a file of requirements, the only place where pip takes hashes."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "requirements.txt")
        file.write_text(pinned(wanted, lock.get(wanted, ())), encoding="utf-8")
        _pip("download", "--require-hashes", *how, "--requirement", str(file))


def server_wheel() -> Path:
    """The server's own wheel, made from this checkout with the locked files and nothing from an index.

    The build runs the rules, to make their pages, and so needs what they need on this machine. pip would also
    ask for what is `NOT_NEEDED`, so what is locked is laid out here instead of by its build isolation.
    """
    folder = CACHE / "server"
    shutil.rmtree(folder, ignore_errors=True)
    locked = build_wheels(read_lock(BUILD_REQUIREMENTS))
    locked += wheels(this_platform(), read_lock(REQUIREMENTS))
    with tempfile.TemporaryDirectory() as tools:
        for _, wheel in locked:
            shutil.unpack_archive(wheel, tools, "zip")
        how = ("--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder))
        _pip("wheel", *how, str(EXTENSION.parent), path=tools)
    return next(folder.glob("gpu2ascend-*.whl"))


def this_platform() -> str:
    """The one of `PLATFORMS` that this machine is.

    Raises:
        SystemExit: it is none of them.
    """
    processor = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(machine().lower(), machine())
    name = f"{sys.platform}-{processor}"
    if name not in PLATFORMS:
        raise SystemExit(f"packages cannot be built on {name}")
    return name


def _pip(*arguments: str, path: str = "") -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": path})


def unpack(archives: Iterable[Path], target: Path) -> None:
    """Merge wheels into one folder, without what is trimmed.

    Raises:
        SystemExit: two wheels hold different files of the same name.
    """
    for archive in archives:
        with zipfile.ZipFile(archive) as wheel:
            for entry in wheel.infolist():
                if entry.is_dir() or _TRIMMED.search(entry.filename):
                    continue
                content = without_symbols(wheel.read(entry))
                _place(content, target / PurePosixPath(entry.filename), archive)


def _place(content: bytes, path: Path, archive: Path) -> None:
    if path.exists():
        if path.read_bytes() != content and path.name != "METADATA":
            raise SystemExit(f"{archive.name}: {path} differs from that of another wheel")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def missing_requirements(libs: Path) -> set[str]:
    """What the unpacked packages ask for and is not among them, whatever the platform and the Python."""
    asked, present = set(), set()
    for metadata in libs.glob("*.dist-info/METADATA"):
        head = metadata.read_text(encoding="utf-8").split("\n\n", 1)[0]
        present.update(_normal(name) for name in re.findall(r"^Name: (\S+)", head, re.MULTILINE))
        for name, condition in re.findall(r"^Requires-Dist: ([\w.-]+)(.*)$", head, re.MULTILINE):
            if "extra ==" not in condition:
                asked.add(_normal(name))
    return asked - present - set(NOT_NEEDED)


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> None:
    """Bundle for the platform that is named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("platform", choices=PLATFORMS)
    platform = parser.parse_args().platform
    locked = [wheel for _, wheel in wheels(platform, read_lock(REQUIREMENTS))]
    archives = [*locked, server_wheel()]
    shutil.rmtree(LIBS, ignore_errors=True)
    unpack(archives, LIBS)
    missing = missing_requirements(LIBS)
    if missing:
        raise SystemExit(f"not in {REQUIREMENTS.name}: {', '.join(sorted(missing))}")


if __name__ == "__main__":
    main()
