"""Pip gets names with versions; with the user's leave also the places that a project names; nothing more."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from packaging.requirements import Requirement

from gpu2ascend.verify.environment.requirements import Wanted, wanted_packages

DANGEROUS = (
    *(
        "-e/abs/evil",
        "-e.",
        "-ihttp://host/simple",
        "-t/dir",
        "-rother.txt",
        "--target=/x",
        "--pre",
        "-c c.txt",
    ),
    *("--index-url http://x", "/abs/evil", "./evil", "../evil", "git+https://h/x.git", "x @ https://h/x.zip"),
    *(
        "x @ file:///abs",
        "https://h/x.whl",
        "x==1 --index-url http://h",
        "x; -e .",
        "-",
        "--",
        "a b",
        "\u2014e",
        "",
    ),
)


def wanted(project: Path, name: str, text: str, *, allows: bool = False) -> Wanted:
    (project / name).write_text(text, "utf-8")
    found = wanted_packages(project, allows_sources=allows)
    return found._replace(specifiers=found.specifiers[2:])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a package inside it and one beside it."""
    folder = tmp_path / "project"
    (folder / "inside").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (folder / "more.txt").write_text("tqdm\n-t /x\n-r requirements.txt\n")
    return folder


LISTS = {
    "requirements.txt": "{}\n",
    "Pipfile": '[packages]\n"{}" = "*"\nx = "{}"\n',
    "pyproject.toml": '[project]\ndependencies=["{}"]\n[tool.poetry.dependencies]\n"{}"="*"\ny="=={}"\n',
    "environment.yml": 'name: x\ndependencies:\n  - "{}"\n  - pip:\n    - "{}"\n',
    "setup.cfg": "[options]\ninstall_requires =\n    {}\n",
}


def assert_names_alone(found: Wanted) -> None:
    assert found.options == ()
    for specifier in found.specifiers:
        assert Requirement(specifier).url is None
        assert re.match("[A-Za-z0-9]", specifier)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("entry", DANGEROUS)
def test_only_names_reach_pip(project: Path, name: str, entry: str) -> None:
    assert_names_alone(wanted(project, name, LISTS[name].replace("{}", entry)))


@given(name=st.sampled_from(sorted(LISTS)), entry=st.text() | st.text("-e./@ =<>;[]#:'\"abx1", max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_in_a_list(project: Path, name: str, entry: str) -> None:
    text = LISTS[name].replace("{}", entry.encode("utf-8", "replace").decode())
    assert_names_alone(wanted(project, name, text))
    (project / name).unlink()


@pytest.mark.parametrize(
    "line",
    [
        *(
            "-e ./inside",
            "-e./inside",
            "--editable=inside",
            "./inside",
            "./inside[extra]",
            "-i https://h/s",
            "-r more.txt",
        ),
        *("--extra-index-url https://h/s", "-f https://h", "git+https://h/x.git@v1#egg=x", "https://h/x.whl"),
        *("-e git+ssh://git@h/x.git", "x @ https://h/x.zip"),
    ],
)
def test_a_place_is_refused_and_said_without_the_users_leave(project: Path, line: str) -> None:
    found = wanted(project, "requirements.txt", f"{line}\ntqdm\n")
    assert (found.specifiers, found.options, found.refused) == (("tqdm",), (), (line,))


@pytest.mark.parametrize(
    ("line", "specifiers", "options"),
    [
        ("-e ./inside", ("{}/inside",), ()),
        ("./inside[a,b]", ("{}/inside[a,b]",), ()),
        ("git+https://h/x.git@v1#egg=x", ("git+https://h/x.git@v1#egg=x",), ()),
        ("x[a] @ https://h/x.zip", ("x[a]@ https://h/x.zip",), ()),
        ("-i https://h/s", (), ("--index-url=https://h/s",)),
        ("--find-links=https://h/s", (), ("--find-links=https://h/s",)),
        ("-r more.txt", ("tqdm",), ()),
    ],
)
def test_with_the_users_leave_pip_gets_it(
    project: Path, line: str, specifiers: tuple[str, ...], options: tuple[str, ...]
) -> None:
    found = wanted(project, "requirements.txt", f"{line}\n", allows=True)
    expected = tuple(specifier.replace("{}", str(project)) for specifier in specifiers)
    assert tuple(item.replace(" @ ", "@ ") for item in found.specifiers) == expected
    assert (found.options, found.refused) == (options, ())


@pytest.mark.parametrize("allows", [False, True])
@pytest.mark.parametrize(
    "line",
    [
        *(
            "-t /dir",
            "--target=/dir",
            "--pre",
            "-c constraints.txt",
            "--trusted-host h",
            "-e ../outside",
            "../outside",
        ),
        *(
            "-e /abs",
            "x @ file:///abs",
            "-i file:///abs",
            "-f ./inside",
            "-r ../outside/r.txt",
            "./gone",
            "a b c",
        ),
    ],
)
def test_pip_never_gets_the_rest_and_it_is_said(project: Path, line: str, allows: bool) -> None:
    found = wanted(project, "requirements.txt", f"{line}\ntqdm\n", allows=allows)
    assert (found.specifiers, found.options, found.unusable) == (("tqdm",), (), (line,))


@pytest.mark.parametrize(
    "table",
    [
        '{git = "https://h/x.git", version = "1"}',
        '{path = "./inside", version = "1"}',
        '{url = "https://h/x.zip"}',
    ],
)
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Pipfile", "[packages]\nsecret = {}\n"),
        ("pyproject.toml", "[tool.poetry.dependencies]\nsecret = {}\n"),
        ("pyproject.toml", '[project]\ndependencies = ["secret"]\n[tool.uv.sources]\nsecret = {}\n'),
        ("pyproject.toml", '[project]\ndependencies = ["secret"]\n[tool.uv.sources]\nsecret = [{}]\n'),
    ],
)
def test_what_comes_from_elsewhere_is_not_taken_from_the_index_by_its_name(
    project: Path, name: str, text: str, table: str
) -> None:
    found = wanted(project, name, text.replace("{}", table))
    assert found.specifiers == () and len(found.refused) == 1
    allowed = wanted(project, name, text.replace("{}", table), allows=True)
    assert len(allowed.specifiers) == 1 and allowed.specifiers != ("secret",)


def test_a_revision_is_kept(project: Path) -> None:
    text = '[tool.poetry.dependencies]\nx = {git = "https://h/x.git", rev = "abc"}\n'
    (specifier,) = wanted(project, "pyproject.toml", text, allows=True).specifiers
    assert specifier.endswith("git+https://h/x.git@abc")


def test_indexes_of_tables_are_places_too(project: Path) -> None:
    text = '[[source]]\nname = "own"\nurl = "https://h/simple"\n[packages]\ntqdm = "*"\n'
    assert wanted(project, "Pipfile", text).refused == ("source: https://h/simple",)
    assert wanted(project, "Pipfile", text, allows=True).options == ("--extra-index-url=https://h/simple",)


def test_an_address_in_setup_cfg_is_said(project: Path) -> None:
    text = "[options]\ninstall_requires =\n    x @ https://h/x.zip\n    tqdm\n"
    found = wanted(project, "setup.cfg", text)
    assert (found.specifiers, found.refused) == (("tqdm",), ("x @ https://h/x.zip",))


def test_hashes_and_joined_lines_are_no_places(project: Path) -> None:
    found = wanted(
        project, "requirements.txt", "tqdm==4.66 \\\n    --hash=sha256:ab \\\n    --hash=sha256:cd\n"
    )
    assert found[:5] == (("tqdm==4.66",), (), (), (), ())
