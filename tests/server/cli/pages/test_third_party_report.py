"""The mode third_party as lines and as data: functions, packages of the table, how many others."""

from __future__ import annotations

import pytest

from gpu2ascend.cli.pages.third_party_report import third_party_data, third_party_lines
from gpu2ascend.project.inspect.library.affected import Affected, Need, Reached
from gpu2ascend.project.inspect.modes import ThirdParty
from gpu2ascend.project.inspect.packages import PackageUse
from gpu2ascend.texts.catalogue import Texts
from gpu2ascend_rules.facts.packages.third_party import PackageVerdict

TEXTS = Texts("en")


def package(name: str, status: str | None = "works", **changes: str) -> PackageUse:
    """A use of a package; without a status of one that the table does not have."""
    usual = {"works_from": "", "replacement": "", "advice": ""}
    values = {key: changes.get(key, value) for key, value in usual.items()}
    verdict = None
    if status is not None:
        verdict = PackageVerdict(name, (name,), status, **values, source="", confidence="")
    versions = changes.get("versions", "")
    return PackageUse(name, verdict, "req.txt", 3, False, False, versions, bool(versions))


def affected(name: str, *apis: str, need: Need = Need.UNSUPPORTED) -> Affected:
    reaches = tuple(Reached(need, api, "b.py", 5) for api in apis)
    return Affected("a.py", 7, (name, f"package.{name}"), reaches)


def lines(*packages: PackageUse, functions: tuple[Affected, ...] = ()) -> list[str]:
    return list(third_party_lines(ThirdParty(functions, packages), TEXTS))


def test_packages_of_the_table_have_a_line_each_and_the_others_are_counted_wherever_they_stand() -> None:
    found = [package("u1", None), package("one"), package("u2", None), package("two"), package("u3", None)]
    said = lines(*found)
    assert [line.partition(" ")[2].partition(" ")[0] for line in said[:-1]] == ["one", "two"]
    assert said[0].startswith("req.txt:3: one")
    assert said[-1] == "Other packages, not in the table: 3"
    assert len(lines(package("one"))) == 1 and lines() == []


@pytest.mark.parametrize(
    ("use", "said", "unsaid"),
    [
        (package("x", "part", works_from="1.2"), "1.2", "the project requires"),
        (package("x", "replaced", replacement="y-npu", works_from="1.2"), "y-npu", "1.2"),
        (package("x", "works", works_from="1.2", versions="==1.0"), "the project requires ==1.0", "y-npu"),
    ],
)
def test_a_line_has_what_the_table_knows(use: PackageUse, said: str, unsaid: str) -> None:
    (line,) = lines(use)
    assert said in line and unsaid not in line


@pytest.mark.parametrize(
    ("apis", "said"), [(("a",), "a"), (("a", "b", "a", "c"), "a, b, c"), (("a", "b", "c", "d"), "a, b, c, …")]
)
def test_a_function_names_three_apis_that_it_reaches(apis: tuple[str, ...], said: str) -> None:
    assert lines(functions=(affected("f", *apis),)) == [f"a.py:7: `f` reaches {said}"]


def test_what_is_of_unknown_support_is_in_the_data_alone() -> None:
    functions = (affected("f", "a", need=Need.UNKNOWN), affected("g", "b"))
    assert lines(functions=functions) == ["a.py:7: `g` reaches b"]
    data = third_party_data(ThirdParty(functions), TEXTS)
    assert [row["names"] for row in data["affected"]] == [["f", "package.f"], ["g", "package.g"]]
    assert data["affected"][0]["reaches"] == [{"need": "unknown_op", "api": "a", "path": "b.py", "line": 5}]


def test_the_data_has_every_package() -> None:
    unlisted, old = package("u", None), package("x", "works", versions="==1.0")
    first, second = third_party_data(ThirdParty((), (unlisted, old)), TEXTS)["packages"]
    assert (first["name"], first["status"], first["requested"], first["too_old"]) == (
        "u",
        "unlisted",
        None,
        False,
    )
    assert (second["status"], second["requested"], second["too_old"]) == ("works", "==1.0", True)
    assert (second["path"], second["line"], second["imported"], second["guarded"]) == (
        "req.txt",
        3,
        False,
        False,
    )
