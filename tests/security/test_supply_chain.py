"""What is packed, what packs it, and what CI runs are exactly the files that were looked at.

None of this needs a network: it is about what a download would have to be.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

TOP = Path(__file__).parents[2]
EXTENSION = TOP / "vscode-extension"
BUNDLED = EXTENSION / "bundled"
LISTS = (BUNDLED / "requirements.txt", BUNDLED / "build-requirements.txt")
WORKFLOWS = sorted((TOP / ".github" / "workflows").glob("*.y*ml"))


def script(name: str) -> ModuleType:
    """A module of the extension's scripts, which are no package."""
    sys.path.insert(0, str(EXTENSION / "scripts"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(EXTENSION / "scripts"))


bundle, locking, notices = (script(name) for name in ("bundle", "locking", "notices"))


class TestWheels:
    @pytest.mark.parametrize("file", LISTS, ids=lambda path: path.name)
    def test_every_listed_version_is_locked_and_nothing_else(self, file: Path) -> None:
        listed = {item for platform in bundle.PLATFORMS for item in bundle.requirements(file, platform)}
        assert listed and set(locking.read_lock(file)) == listed

    def test_native_wheels_are_locked_for_every_platform_and_python(self) -> None:
        lock = locking.read_lock(BUNDLED / "requirements.txt")
        platforms, pythons = len(bundle.PLATFORMS), len(bundle.PYTHONS)
        files = dict.fromkeys(bundle.NATIVE, 0)
        for item, hashes in lock.items():
            if item.name in files:
                files[item.name] += len(hashes)
        assert files == {
            "libcst": platforms * pythons,
            "tree-sitter": platforms * pythons,
            "tree-sitter-bash": platforms,
            "tree-sitter-json": platforms,
            "tree-sitter-python": platforms,  # one wheel for all Pythons
            "tree-sitter-toml": platforms,
            "tree-sitter-yaml": platforms,
        }

    def test_a_file_that_is_not_locked_is_refused_also_from_the_cache(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        wanted = next(iter(locking.read_lock(BUNDLED / "requirements.txt")))
        folder = tmp_path / "any"
        folder.mkdir()
        for item in bundle.requirements(BUNDLED / "requirements.txt", "linux-x64"):
            for place in (folder, *(tmp_path / "linux-x64" / python for python in bundle.PYTHONS)):
                place.mkdir(parents=True, exist_ok=True)
                (place / f"{item.name.replace('-', '_')}-{item.version}-py3-none-any.whl").write_bytes(
                    b"evil"
                )
        monkeypatch.setattr(bundle, "WHEELS", tmp_path)
        with pytest.raises(SystemExit, match=f"{wanted.name}.*not the file that is locked"):
            bundle.wheels("linux-x64", locking.read_lock(BUNDLED / "requirements.txt"))

    def test_pip_checks_the_hashes_of_what_it_downloads(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls = pip_calls(monkeypatch)
        monkeypatch.setattr(bundle, "WHEELS", tmp_path)
        lock = locking.read_lock(BUNDLED / "requirements.txt")
        with pytest.raises(StopIteration):  # nothing was downloaded
            bundle.wheels("linux-x64", lock)
        (arguments, requirements) = calls[0]
        assert "--require-hashes" in arguments and "--no-deps" in arguments
        first = next(iter(bundle.requirements(BUNDLED / "requirements.txt", "linux-x64")))
        assert requirements == locking.pinned(first, lock[first])

    def test_the_servers_own_wheel_is_built_with_locked_files_and_no_index(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        calls = pip_calls(monkeypatch)
        locks: list[object] = []
        monkeypatch.setattr(bundle, "CACHE", tmp_path)
        monkeypatch.setattr(bundle, "build_wheels", lambda lock: locks.append(lock) or [])
        monkeypatch.setattr(bundle, "wheels", lambda platform, lock: locks.append(lock) or [])
        with pytest.raises(StopIteration):  # nothing was built
            bundle.server_wheel()
        # The build runs the rules, for which it needs what the server needs.
        assert locks == [
            locking.read_lock(BUNDLED / name) for name in ("build-requirements.txt", "requirements.txt")
        ]
        assert "--no-index" in calls[0][0]

    def test_a_lock_with_a_line_without_hashes_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "r.lock").write_text("attrs==26.1.0\n", encoding="utf-8")
        with pytest.raises(SystemExit, match="not understood"):
            locking.read_lock(tmp_path / "r.txt")


def pip_calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], str | None]]:
    """What pip is asked for from now on, with the file of requirements that it gets; it does nothing."""
    calls: list[tuple[list[str], str | None]] = []

    def run(command: list[str], **options: object) -> None:
        file = command[command.index("--requirement") + 1] if "--requirement" in command else None
        calls.append((command, Path(file).read_text(encoding="utf-8") if file is not None else None))

    monkeypatch.setattr(bundle.subprocess, "run", run)
    return calls


class TestNpm:
    def test_every_package_has_a_version_and_a_strong_hash(self) -> None:
        packages: dict[str, Any] = json.loads((TOP / "package-lock.json").read_text("utf-8"))["packages"]
        installed = {
            name: entry
            for name, entry in packages.items()
            if "node_modules/" in name and not entry.get("link")
        }
        assert len(installed) > 100
        weak = [
            name for name, entry in installed.items() if not str(entry.get("integrity")).startswith("sha512-")
        ]
        assert weak == []

    def test_what_is_asked_for_are_exact_versions(self) -> None:
        manifest = json.loads((EXTENSION / "package.json").read_text("utf-8"))
        asked = {**manifest.get("dependencies", {}), **manifest["devDependencies"]}
        exact = re.compile(r"(npm:[@\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?")
        assert {name: version for name, version in asked.items() if not exact.fullmatch(version)} == {}

    def test_the_compilers_of_bytecode_are_among_them(self) -> None:
        packages = json.loads((TOP / "package-lock.json").read_text("utf-8"))["packages"]
        for python in bundle.PYTHONS:
            assert packages[f"node_modules/pyodide-{python}"]["integrity"].startswith("sha512-")

    def test_the_workbench_of_the_tests_is_the_package_that_was_listed(self) -> None:
        install = (EXTENSION / "e2e" / "install-workbench.sh").read_text("utf-8")
        assert re.search(r"^integrity=sha512-[\w+/]{86}==$", install, re.MULTILINE)
        checked = install.index('grep -qF "\\"$integrity\\""')
        assert install.index("--ignore-scripts") < checked < install.index("npm_quietly rebuild")


class TestCi:
    @pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
    def test_actions_are_pinned_by_commit_with_their_version_in_words(self, workflow: Path) -> None:
        used = re.findall(r"uses: (.*)", workflow.read_text("utf-8"))
        assert used
        assert [
            line for line in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", line)
        ] == []

    @pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
    def test_they_may_only_read_the_repository(self, workflow: Path) -> None:
        text = workflow.read_text("utf-8")
        assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
        assert text.count("permissions:") == 1
        checkouts = re.split(r"uses: actions/checkout@", text)[1:]
        assert all("persist-credentials: false" in step.split("uses: ")[0] for step in checkouts)

    @pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
    def test_containers_are_pinned_by_digest(self, workflow: Path) -> None:
        images = re.findall(r"(?:container|image): (.*)", workflow.read_text("utf-8"))
        assert [image for image in images if not re.fullmatch(r"\S+@sha256:[0-9a-f]{64}", image)] == []


class TestLicences:
    JAVASCRIPT = notices.RULE.join(["lit 3.3.3 (BSD-3-Clause)\n\ntext of lit", "semver 7.8.6 (ISC)\n\ntext"])

    def test_every_component_of_both_languages_is_listed_with_its_text(self, tmp_path: Path) -> None:
        component(tmp_path, "tree_sitter", "0.26.1", "License-Expression: MIT", "text of tree-sitter")
        component(tmp_path, "attrs", "26.1.0", "License: MIT", "text of attrs")
        component(tmp_path, "gpu2ascend", "0.1.0", "License: Apache-2.0", "our own")
        typeshed = tmp_path / "jedi" / "third_party" / "typeshed"
        typeshed.mkdir(parents=True)
        (typeshed / "LICENSE").write_text("text of typeshed", encoding="utf-8")
        component(tmp_path, "jedi", "0.20.1", "License: MIT", "text of jedi")
        text = notices.notices(tmp_path, self.JAVASCRIPT)
        head = text.split(notices.RULE)[0].splitlines()[2:]
        assert head == [
            "attrs 26.1.0 (MIT)",
            "jedi 0.20.1 (MIT)",
            "lit 3.3.3 (BSD-3-Clause)",
            "semver 7.8.6 (ISC)",
            "tree_sitter 0.26.1 (MIT)",
            "typeshed (in jedi) (see below)",
        ]
        for name in ("attrs", "jedi", "lit", "tree-sitter", "typeshed"):
            assert f"text of {name}" in text

    def test_a_component_without_a_licence_stops_the_packaging(self, tmp_path: Path) -> None:
        component(tmp_path, "attrs", "26.1.0", "License: MIT", None)
        with pytest.raises(SystemExit, match="no licence: attrs"):
            notices.components(tmp_path)

    def test_so_does_a_module_of_no_component(self, tmp_path: Path) -> None:
        component(tmp_path, "attrs", "26.1.0", "License: MIT", "text")
        (tmp_path / "stowaway").mkdir()
        with pytest.raises(SystemExit, match="of no component: stowaway"):
            notices.components(tmp_path)

    def test_the_list_is_made_when_a_package_is_and_travels_in_it(self) -> None:
        assert '"scripts/notices.py"' in (EXTENSION / "scripts" / "package.mjs").read_text("utf-8")
        kept = (EXTENSION / ".vscodeignore").read_text("utf-8").splitlines()
        assert "!dist/ThirdPartyNotices.txt" in kept


def component(libs: Path, name: str, version: str, licence: str, text: str | None) -> None:
    """A package as it is unpacked."""
    (libs / name).mkdir(exist_ok=True)
    folder = libs / f"{name}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n{licence}\n\n", encoding="utf-8")
    if text is not None:
        (folder / "LICENSE").write_text(text, encoding="utf-8")
