"""Nothing that is opened blocks, is a device, or lies outside of the project."""

from __future__ import annotations

import ast
import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import gpu2ascend
from gpu2ascend.project import regular_files
from gpu2ascend.project.errors import InputError, RuleFileProblem, SettingsError, VersionNotFoundError
from gpu2ascend.project.files.writing.equivalents import add_package
from gpu2ascend.project.index.view import ProjectFiles
from gpu2ascend.project.migrate.codemods import entry_script
from gpu2ascend.project.options import settings as settings_files
from gpu2ascend.project.options.custom_rules import with_custom_rules
from gpu2ascend.project.options.settings import find_settings
from gpu2ascend.project.options.version_detect import detect_version
from gpu2ascend.project.regular_files import (
    NotRegularError,
    OutsideError,
    TooLargeError,
    is_device_name,
    open_regular,
    read_inside,
    read_regular,
)
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.similar import MODULE, PACKAGE
from tests.security.bounded import command, program
from tests.server.project.samples import CUDA, make_tree

V = ("-v", "2.8.0")
RULES = '{"rules": {"FuncNameModifyRule": [{"old_name": "torch.a", "new_name": "torch.b"}]}}'
OPENED = (
    *(".gpu2ascend.json", ".gpu2ascend.files", "pyproject.toml", "requirements.txt", "setup.py", "setup.cfg"),
    *(
        "environment.yml",
        "a.py",
        "b.ipynb",
        "k.cu",
        "__init__.py",
        "utils.py",
        "rules.json",
        "change_list.csv",
    ),
)
"""Names under which something opens a file."""


def pipe(path: Path) -> None:
    os.mkfifo(path)


def bound_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as sock:
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            sock.bind(f"/proc/self/fd/{directory}/{path.name}")
        finally:
            os.close(directory)


def link_to_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def directory(path: Path) -> None:
    path.mkdir()


KINDS: dict[str, Callable[[Path], None]] = {
    "pipe": pipe,
    "socket": bound_socket,
    "device": link_to_device,
    "directory": directory,
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that has to be looked at."""
    return make_tree(tmp_path / "proj", {"train.py": f"import utils\nfrom utils import *\n{CUDA}"})


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_regular_is_an_error_at_once(tmp_path: Path, kind: str) -> None:
    KINDS[kind](tmp_path / "x")
    with pytest.raises(NotRegularError):
        open_regular(tmp_path / "x")
    with pytest.raises(OSError):
        open_regular(tmp_path / "x", follow=False)


def test_what_became_a_pipe_after_it_was_looked_at_does_not_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "x")
    (tmp_path / "regular").touch()
    looked = (tmp_path / "regular").stat()
    monkeypatch.setattr(regular_files.os, "stat", lambda path, follow_symlinks: looked)
    with pytest.raises(NotRegularError):
        open_regular(tmp_path / "x")


def test_a_file_of_at_most_the_limit_is_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"123")
    assert read_regular(tmp_path / "x", 3) == b"123"
    with pytest.raises(TooLargeError):
        read_regular(tmp_path / "x", 2)


def test_what_lies_inside_is_read_through_links_and_what_lies_outside_is_not(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "proj", {"sub/a": "inside"})
    make_tree(tmp_path / "out", {"a": "secret"})
    make_tree(tmp_path / "proj2", {"a": "secret"})
    (root / "within").symlink_to("sub/a")
    for name, target in (("file", "../out/a"), ("sibling", "../proj2/a"), ("whole", str(tmp_path / "out/a"))):
        (root / name).symlink_to(target)
    (root / "folder").symlink_to("../out")
    assert read_inside(root, root / "within") == b"inside"
    for name in ("file", "sibling", "whole", "folder/a", "../out/a", "sub/../../out/a"):
        with pytest.raises(OutsideError):
            read_inside(root, root / name)


@pytest.mark.parametrize(
    "name", ["NUL", "con", "C:\\x\\AUX.py", "lpt1", "com¹.txt", "nul .json", "\\\\.\\pipe\\x", "a/b/prn"]
)
def test_names_that_windows_takes_for_devices(name: str) -> None:
    assert is_device_name(name)


@pytest.mark.parametrize("name", ["console.py", "C:\\x\\y.py", "null", "com10", "a.con", "\\\\?\\C:\\x"])
def test_names_that_it_does_not(name: str) -> None:
    assert not is_device_name(name)


@pytest.mark.parametrize("verb", ["check", "analyze", "migrate"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_no_command_hangs_on_what_a_project_holds(
    project: Path, tmp_path: Path, verb: str, kind: str
) -> None:
    make_tree(project, {"sub/x.py": CUDA, "requirements/x.txt": ""})
    for place in (project, project / "sub", project / "ascend_function"):
        place.mkdir(exist_ok=True)
        for name in OPENED:
            KINDS[kind](place / name)
    KINDS[kind](project / "requirements" / "torch.txt")
    operands = (".",) if verb != "migrate" else ("-i", ".", "-o", tmp_path / "out")
    done = command(verb, *operands, *V, at=project)
    is_told = "a link to `/dev/zero`, which is not examined" in done.stderr
    assert done.returncode in (0, 1) or is_told, done.stderr


@pytest.mark.parametrize("kind", KINDS)
def test_a_rule_file_that_is_none_is_an_error(project: Path, kind: str) -> None:
    KINDS[kind](project / "rules")
    done = command("check", ".", *V, "-r", "rules", at=project)
    assert done.returncode == 2 and "rules:1:1: the rule file is a pipe" in done.stderr
    with pytest.raises(RuleFileProblem):
        with_custom_rules(options_from({"custom_rule": str(project / "rules")}))


@pytest.mark.parametrize("path", ["/dev/stdin", "/dev/tty", "/dev/zero", "/proc/self/fd/0"])
def test_devices_are_no_rule_files(project: Path, path: str) -> None:
    done = command("check", ".", *V, "-r", path, at=project)
    assert done.returncode == 2 and path in done.stderr


OUTSIDE = (
    *("/dev/stdin", "/etc/passwd", "../rules.json", "a/../../rules.json", "..\\rules.json", "C:\\rules.json"),
    *(
        "\\\\server\\share\\rules.json",
        "//server/share/rules.json",
        "C:rules.json",
        "\\rules.json",
        "NUL",
        "link",
    ),
    "folder/rules.json",
)


@pytest.mark.parametrize("path", OUTSIDE)
@pytest.mark.parametrize("key", ["custom-rule", "main-file"])
def test_paths_in_a_project_s_settings_stay_inside(project: Path, path: str, key: str) -> None:
    make_tree(project.parent, {"rules.json": "a secret"})
    (project / "link").symlink_to("../rules.json")
    (project / "folder").symlink_to("..")
    make_tree(project, {"pyproject.toml": f"[tool.gpu2ascend]\n{key} = {json.dumps(path)}\n"})
    with pytest.raises(SettingsError) as caught:
        find_settings(project)
    assert "leads out of the project" in str(caught.value)
    assert "a secret" not in str(caught.value)


@pytest.mark.parametrize("pattern", ["../x", "C:\\x", "\\\\server\\x", "a/../../b", "//server/x"])
def test_patterns_in_a_project_s_settings_stay_inside(project: Path, pattern: str) -> None:
    make_tree(project, {"pyproject.toml": f"[tool.gpu2ascend]\nexclude = [{json.dumps(pattern)}]\n"})
    with pytest.raises(SettingsError):
        find_settings(project)


def test_paths_inside_are_taken(project: Path) -> None:
    text = (
        "[tool.gpu2ascend]\ncustom-rule = 'x/rules.json'\nmain-file = './train.py'\nexclude = ['/b', '*.x']\n"
    )
    make_tree(project, {"pyproject.toml": text, "x/rules.json": RULES})
    settings = find_settings(project)
    assert settings is not None and settings.options.custom_rule == str(project / "x/rules.json")
    assert with_custom_rules(settings.options).custom


def test_a_script_outside_is_refused(project: Path, tmp_path: Path) -> None:
    make_tree(tmp_path, {"train.py": "a secret"})
    (project / "link.py").symlink_to("../train.py")
    for path in ("../train.py", "link.py", str(tmp_path / "train.py")):
        with pytest.raises(InputError) as caught:
            entry_script(project, path)
        assert "a secret" not in str(caught.value)


def test_links_out_of_the_project_are_not_read(project: Path, tmp_path: Path) -> None:
    make_tree(tmp_path, {"secret.py": "torch==2.1.0\n", "secret.toml": "[tool.gpu2ascend\nkey = secret\n"})
    for name in ("utils.py", "requirements.txt", "setup.py"):
        (project / name).symlink_to("../secret.py")
    (project / "pyproject.toml").symlink_to("../secret.toml")
    assert ProjectFiles(project).find_module("train.py", "utils") is None
    with pytest.raises(VersionNotFoundError) as none:
        detect_version(project, Hardware.A2)
    assert none.value.message.id == "project.version-missing"
    with pytest.raises(SettingsError) as caught:
        find_settings(project)
    assert "link out of the project" in str(caught.value) and "secret\n" not in str(caught.value)


def test_jedi_opens_no_pipe_and_nothing_outside(project: Path, tmp_path: Path) -> None:
    make_tree(tmp_path, {"secret.py": "x = 1\n"})
    os.mkfifo(project / "pipe.py")
    (project / "link.py").symlink_to("../secret.py")
    (project / "zero.py").symlink_to("/dev/zero")
    script = f"""
from gpu2ascend.project.inference import worker
worker._forbid_running({str(project)!r})
for name in ("pipe.py", "link.py", "zero.py"):
    try:
        open({str(project)!r} + "/" + name)
    except worker.ForbiddenError:
        print("refused", name)
print(len(open({str(project / "train.py")!r}).read()))
"""
    done = program(script, at=tmp_path)
    assert done.stdout.split() == ["refused", "pipe.py", "refused", "link.py", "refused", "zero.py", "72"]


def test_the_package_of_equivalents_is_not_written_through_links(project: Path, tmp_path: Path) -> None:
    make_tree(tmp_path, {"precious": "mine"})
    (project / PACKAGE).mkdir()
    (project / PACKAGE / "README.md").symlink_to(tmp_path / "precious")
    os.mkfifo(project / PACKAGE / f"{MODULE}.py")
    add_package(project, (), "en")
    assert (tmp_path / "precious").read_text() == "mine"
    assert (project / PACKAGE / "README.md").is_file() and (project / PACKAGE / f"{MODULE}.py").is_file()


@pytest.mark.parametrize("name", ["change_list.csv", "change_list.csv.part", "msFmkTranspltlog.txt.1"])
def test_no_report_is_written_through_a_link_of_the_project(project: Path, tmp_path: Path, name: str) -> None:
    make_tree(tmp_path, {"precious": "mine"})
    make_tree(project, {"模型.py": CUDA})  # a table that is not ASCII is written anew
    (project / name).symlink_to(tmp_path / "precious")
    done = command("migrate", "-i", "proj", "-o", "out", *V, at=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    assert (tmp_path / "precious").read_text() == "mine"
    assert (tmp_path / "out/proj_msft" / name).is_symlink()


TABLE = "[tool.gpu2ascend]\nhardware = 'A3'\n"


@pytest.mark.parametrize("start", ["proj", "proj/a.py", "proj/pkg/b.py"])
def test_settings_above_a_project_without_a_repository_do_not_count(tmp_path: Path, start: str) -> None:
    files = {"pyproject.toml": TABLE, "proj/a.py": "", "proj/pkg/__init__.py": "", "proj/pkg/b.py": ""}
    root = make_tree(tmp_path, files)
    assert find_settings(root / start) is None
    make_tree(root, {"proj/pyproject.toml": TABLE})
    assert find_settings(root / start) is not None


@pytest.mark.parametrize("git", [".git/HEAD", ".git"])
def test_settings_above_count_within_the_repository_and_not_beyond(tmp_path: Path, git: str) -> None:
    root = make_tree(tmp_path, {"pyproject.toml": TABLE, "repo/a/b/x.py": "", f"repo/{git}": ""})
    assert find_settings(root / "repo/a/b") is None
    make_tree(root, {"repo/pyproject.toml": TABLE})
    settings = find_settings(root / "repo/a/b/x.py")
    assert settings is not None and settings.path == root / "repo/pyproject.toml"


def test_a_folder_that_an_editor_opened_is_the_project(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"pyproject.toml": TABLE, "folder/pyproject.toml": TABLE, "folder/a/x.py": ""})
    settings = find_settings(root / "folder/a", root / "folder")
    assert settings is not None and settings.path == root / "folder/pyproject.toml"
    (root / "folder/pyproject.toml").unlink()
    assert find_settings(root / "folder/a", root / "folder") is None


def test_settings_above_of_another_user_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_tree(tmp_path, {"pyproject.toml": TABLE, ".git/HEAD": "", "proj/a.py": ""})
    assert find_settings(root / "proj") is not None
    monkeypatch.setattr(settings_files, "is_of_same_user", lambda path, directory: False)
    assert find_settings(root / "proj") is None
    assert find_settings(root) is not None  # its own


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root to give files away")
def test_files_of_two_users_are_told_apart(tmp_path: Path) -> None:
    root = make_tree(tmp_path, {"x": ""})
    assert regular_files.is_of_same_user(root / "x", root)
    os.chown(root / "x", 65534, 65534)
    assert not regular_files.is_of_same_user(root / "x", root)


OPENERS = frozenset(
    {"open", "fdopen", "open_code", "getlines", "read_bytes", "read_text", "copyfile", "copytree"}
)
OWN_FILES = {
    "project/adapters/modelarts.py": "templates of the package",
    "project/adapters/dynamic_shapes.py": "templates of the package",
    "project/adapters/templates/dynamic_shapes/report.py": "runs in a copied project, not here",
    "project/adapters/templates/modelarts/modelarts_path_manager.py": "runs in a migrated project, not here",
    "lsp/documentation/rule_pages.py": "pages of the package, or of that directory",
    "lsp/features/synchronization/notebook.py": "a document of the editor",
    "lsp/features/synchronization/text.py": "a document of the editor",
    "doctor/single_file.py": "code of the package, and of those that it needs",
    "cli/commands/running/doctor.py": "a file that is made, never replaced",
    "revision.py": "a file of the package, or git's of our own checkout",
    "project/launchers/environment.py": "templates of the package",
    "project/regular_files.py": "the place where files are opened",
    "project/leftovers.py": "files beside others that are made",
    "project/files/writing/copying.py": "files of the output that are made",
    "project/handover/written.py": "documents that are made",
    "project/report/csv_report.py": "reports that are made",
    "project/report/html/document.py": "pages that are made",
    "project/report/html/style.py": "the style sheet of the package",
    "project/manifest/ledger.py": "lists that are made",
    "project/update/applying.py": "caches and repositories in an output, which are given a second name",
    "cli/output/streams.py": "the null device, where the standard output was closed",
    "survey/journal.py": "results that are added to a file, which was read as a regular one before",
    "verify/environment/imported.py": "a table of the package",
    "verify/environment/pip.py": "a report that pip wrote into a directory that was made",
    "verify/verify.py": "the simulator, copied into a directory that is made",
    "verify/running/memory.py": "what the kernel says of the host's memory",
    "verify/running/release.py": "its torch_npu, likewise",
    "cli/app.py": "the null device",
    "project/files/writing/replacing.py": "documents that a user asks for",
    "verify/traces/written.py": "sources of the package",
    "agents/skill_files.py": "the skill of the package",
    "agents/tools/running.py": "a document that verify wrote into a directory that was made",
}


def test_nothing_else_opens_files() -> None:
    top = Path(gpu2ascend.__file__).parent
    found = set()
    for path in top.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                if name in OPENERS:
                    found.add(path.relative_to(top).as_posix())
    assert found == set(OWN_FILES)
