"""Which defects are tried, and against which tests; what is listed as equivalent is of today's code."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("cosmic_ray", reason="the mutation tool is not installed")

from coverage import CoverageData

from tools.mutants import again, equivalent
from tools.mutants.covering import TESTS, Coverage, halves, marks_of, new_tests, own_tests, room_tests
from tools.mutants.equivalent import ANY, Equivalent, outdated, reason
from tools.mutants.plan import WITHOUT_EDITORS, Step, steps
from tools.mutants.running import interpreter
from tools.mutants.sampling import PACKAGES, Mutant, modules, mutants_of, mutated, mutations, sample

if TYPE_CHECKING:
    from collections.abc import Iterable

ROOT = Path(__file__).parents[3]


def all_mutated(code: str) -> list[str]:
    """All that mutation makes of a module."""
    found = [item for items in mutations(code).values() for item in items]
    return [mutated(code, operator, occurrence) or "" for operator, occurrence in found]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if a:\n    b()\n", {"if True:", "if False:", "if not a:"}),
        ("if a:\n    b()\nelif c:\n    d()\n", {"elif True:", "elif False:"}),
        ("x = a if b else c\n", {"x = a if True else c", "x = a if False else c", "x = a if not b else c"}),
        ("x = [a for a in b if c]\n", {"x = [a for a in b if True]", "x = [a for a in b if False]"}),
        ("x = a in b\n", {"x = a not in b"}),
        ("x = a not in b\n", {"x = a in b"}),
        ("x = a and b\n", {"x = a or b"}),
        ("x = a or b\n", {"x = a and b"}),
        ("x = a is b\n", {"x = a is not b"}),
        ("x = a < b\n", {"x = a <= b", "x = a >= b"}),
        ("x = True\n", {"x = False"}),
        ("for a in b:\n    c()\n", {"for a in []:"}),
    ],
)
def test_what_is_made_of_code(code: str, expected: set[str]) -> None:
    made = [" ".join(line.split()) for text in all_mutated(code) for line in text.splitlines()]
    assert expected <= set(made)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("def f(a: int | None) -> str | None: ...\n", id="annotations"),
        pytest.param(
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n", id="imports of types"
        ),
        pytest.param("T = TypeVar('T', covariant=True)\n", id="type variables"),
        pytest.param("class P(Protocol):\n    @property\n    def a(self): ...\n", id="protocols"),
        pytest.param("class R:\n    examples = (Example('a', manual=True),)\n", id="examples of rules"),
        pytest.param("@lru_cache(maxsize=1)\ndef f(): ...\n", id="kept results"),
    ],
)
def test_what_no_test_could_notice_is_left_out(code: str) -> None:
    assert mutations(code) == {}
    assert mutations(code + "x = True\n") != {}


def test_how_arguments_must_be_written_is_for_type_checkers() -> None:
    made = all_mutated("@attrs.frozen(kw_only=True, eq=True)\nclass A: ...\n")
    assert any("eq=False" in text for text in made)
    assert not any("kw_only=False" in text for text in made)


def test_of_the_covering_tests_those_of_the_nearest_rooms_come_first_and_functions_take_turns(
    tmp_path: Path,
) -> None:
    module = "server/gpu2ascend/cli/pages/verdict.py"
    source = tmp_path / "sources" / module
    source.parent.mkdir(parents=True)
    source.write_text("x = 1\n")
    near, above, far = (
        f"tests/{room}/test_x.py::test" for room in ("server/cli/pages", "server/cli", "security")
    )
    data = CoverageData(str(tmp_path / "coverage"))
    for context in (f"{far}_a", f"{above}_a", f"{near}_a[1]", f"{near}_a[2]", f"{near}_b"):
        data.set_context(f"{context}|run")
        data.add_lines({str(source.resolve()): [1]})
    data.write()
    found = Coverage(tmp_path).tests_of(module, 1, "x = 1\n")
    assert [test.partition("[")[0] for test in found] == [
        f"{near}_a",
        f"{near}_b",
        f"{near}_a",
        f"{above}_a",
        f"{far}_a",
    ]


def described(mutants: Iterable[Mutant]) -> list[tuple[str, str]]:
    return [(mutant.path, mutant.code) for mutant in mutants]


def test_a_seed_gives_the_same_sample_and_another_seed_another() -> None:
    first = described(sample(ROOT, ["rules/gpu2ascend_rules/limits"], 4, 3))
    assert first == described(sample(ROOT, ["rules/gpu2ascend_rules/limits"], 4, 3))
    assert first != described(sample(ROOT, ["rules/gpu2ascend_rules/limits"], 4, 4))
    assert len(set(first)) == 4


def test_every_package_has_modules_and_a_missing_one_is_an_error() -> None:
    for package in PACKAGES:
        assert modules(ROOT, [package])
    with pytest.raises(ValueError, match="no modules in rules/missing"):
        modules(ROOT, ["rules/missing"])


@pytest.mark.parametrize(
    ("module", "expected"),
    [
        ("server/gpu2ascend/project/migrate/staging.py", "tests/server/project/migrate/test_staging.py"),
        (
            "rules/gpu2ascend_rules/codemods/distributed/data/roles.py",
            "tests/rules/codemods/distributed/test_roles.py",
        ),
        ("server/gpu2ascend/isolation.py", "tests/server/test_isolation.py"),
    ],
)
def test_the_test_of_a_module_mirrors_it_in_its_room_or_in_one_above(module: str, expected: str) -> None:
    assert own_tests(ROOT, module) == [expected]


def test_the_test_of_another_module_of_that_name_is_not_its_own() -> None:
    above = "tests/server/project/report/test_unexamined.py"
    assert own_tests(ROOT, "server/gpu2ascend/project/report/unexamined.py") == [above]
    assert above not in own_tests(ROOT, "server/gpu2ascend/project/report/html/sections/unexamined.py")


def test_a_module_without_a_test_of_its_name_has_those_that_import_it(tmp_path: Path) -> None:
    tests = tmp_path / "tests" / "server" / "cli"
    (tests / "pages").mkdir(parents=True)
    for name, line in {
        "test_a": "from gpu2ascend.cli.pages import page, verdict\n",
        "test_b": "from gpu2ascend.cli.pages.verdict import Verdict\n",
        "test_c": "from gpu2ascend.cli.pages.verdicts import Verdict\n",
        "pages/test_d": "import os\nimport gpu2ascend.cli.pages.verdict\n",
    }.items():
        (tests / f"{name}.py").write_text(line)
    found = own_tests(tmp_path, "server/gpu2ascend/cli/pages/verdict.py")
    assert found == [f"tests/server/cli/{name}.py" for name in ("pages/test_d", "test_a", "test_b")]
    assert own_tests(tmp_path, "server/gpu2ascend/cli/pages/__init__.py") == []


def test_what_runs_projects_is_tested_by_running_them() -> None:
    assert "execution" not in marks_of("server/gpu2ascend/verify/running/supervise.py")
    assert "not execution" in marks_of("server/gpu2ascend/project/regular_files.py")


def test_a_module_without_a_test_of_its_own_has_those_of_its_room() -> None:
    module = "rules/gpu2ascend_rules/catalog/device/map_location.py"
    found = room_tests(ROOT, module)
    assert own_tests(ROOT, module) == []
    assert "tests/rules/catalog/device/test_devices.py" in found
    assert {Path(path).parent.as_posix() for path in found} == {"tests/rules/catalog/device"}


@pytest.mark.parametrize(
    ("packages", "expected"),
    [
        (["server/gpu2ascend/lsp", "server/gpu2ascend/cli/main.py"], ["server"]),
        (["rules/gpu2ascend_rules/flow"], ["rules"]),
        (PACKAGES, ["rules", "server"]),
    ],
)
def test_the_tests_of_the_mutated_halves_are_recorded(packages: list[str], expected: list[str]) -> None:
    assert halves(packages) == expected
    assert all((ROOT / tests).is_dir() for half in expected for tests in TESTS[half])


def test_what_survived_is_found_again_after_lines_moved_and_not_where_it_changed(tmp_path: Path) -> None:
    module, kept = tmp_path / "a.py", tmp_path / "kept" / "survivors.json"
    module.write_text("if a:\n    b()\nif a:\n    c()\n")
    first, second = mutants_of(tmp_path, "a.py", "ConditionIsTrue")
    again.keep(kept, [second])
    module.write_text("import x\n\nif a:\n    b()\nif a:\n    d()\n")
    (found,) = again.load(tmp_path, kept)
    assert (found.line, found.code) == (5, "import x\n\nif a:\n    b()\nif True:\n    d()\n")
    module.write_text("if c:\n    b()\n")
    assert list(again.load(tmp_path, kept)) == []
    assert first.before == "if a:"


@pytest.mark.slow
def test_a_program_of_a_copy_is_the_copys_also_where_it_is_isolated(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for package in ("rules/gpu2ascend_rules", "server/gpu2ascend"):
        (copy / package).mkdir(parents=True)
        (copy / package / "__init__.py").touch()
    code = "import gpu2ascend, gpu2ascend_rules as rules, pytest; print(gpu2ascend.__file__, rules.__file__)"
    command = [str(interpreter(copy)), "-I", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout.split()
    assert [Path(path).is_relative_to(copy) for path in found] == [True, True]


MUTANT = Mutant("a.py", "AddNot", 3, "if a:", "if not a:", "")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Equivalent("a.py", "if a:", "if not a:", "why"), "why"),
        (Equivalent("a.py", "if a:", ANY, "why"), "why"),
        (Equivalent("b.py", "if a:", ANY, "why"), None),
        (Equivalent("a.py", "if b:", ANY, "why"), None),
        (Equivalent("a.py", "if a:", "if True:", "why"), None),
    ],
)
def test_a_row_is_of_one_change(row: Equivalent, expected: str | None) -> None:
    assert reason(MUTANT, [row]) == expected


def test_every_listed_equivalent_is_of_code_that_there_is_and_has_a_reason() -> None:
    listed = equivalent.load()
    assert listed
    assert list(outdated(ROOT, listed)) == []
    assert all(len(item.reason) > 20 for item in listed)
    assert len(set(listed)) == len(listed)


def test_a_row_of_code_that_has_gone_is_outdated() -> None:
    gone = Equivalent("tools/mutants/equivalent.py", "no such" + " line", ANY, "why")
    assert list(outdated(ROOT, [gone])) == [gone]
    assert list(outdated(ROOT, [gone._replace(path="no/such/file.py")])) != []


def planned(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """The steps of a mutant of a module of which nothing is recorded."""
    monkeypatch.chdir(ROOT)
    mutant = MUTANT._replace(path=module, line=1)
    return steps(mutant, (ROOT / module).read_text(encoding="utf-8"), Coverage(tmp_path))


def test_a_mutant_of_the_language_server_meets_those_that_start_it_and_then_editors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(WITHOUT_EDITORS, raising=False)
    *_, sessions, editors = planned("server/gpu2ascend/lsp/server.py", tmp_path, monkeypatch)
    assert sessions.files[0] == "tests/server/lsp/test_whole_sessions.py"
    assert "tests/server/lsp/commands/test_commands.py" in sessions.files
    assert all(file.startswith("tests/lsp/") for file in editors.files)
    monkeypatch.setenv(WITHOUT_EDITORS, "1")
    assert planned("server/gpu2ascend/lsp/server.py", tmp_path, monkeypatch)[-1] == sessions
    assert all(
        not file.startswith("tests/server/lsp/")
        for step in planned("server/gpu2ascend/cli/selection.py", tmp_path, monkeypatch)
        for file in step.files
    )


def test_tests_that_are_newer_than_a_record_are_told_from_the_others(tmp_path: Path) -> None:
    checkout, sources = tmp_path / "checkout", tmp_path / "sources"
    for folder, text in ((checkout, "new"), (sources, "old")):
        for name, content in {"test_same": "same", "test_changed": text}.items():
            path = folder / "tests" / "rules" / "flow" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    (checkout / "tests" / "rules" / "test_added.py").write_text("")
    assert new_tests(checkout, sources, ["rules"]) == [
        "tests/rules/flow/test_changed.py",
        "tests/rules/test_added.py",
    ]


def test_a_line_that_few_tests_run_is_tested_by_those_of_its_module_too(tmp_path: Path) -> None:
    module, text = "rules/gpu2ascend_rules/flow/x.py", "a = 1\nb = 2\n"
    source = tmp_path / "sources" / module
    source.parent.mkdir(parents=True)
    source.write_text(text)
    data = CoverageData(str(tmp_path / "coverage"))
    for context, line in (
        ("", 2),
        ("tests/rules/test_a.py::test|run", 1),
        ("tests/rules/test_b.py::test|run", 2),
    ):
        data.set_context(context)
        data.add_lines({str(source.resolve()): [line]})
    data.write()
    record = Coverage(tmp_path, tmp_path / "none")
    assert record.tests_of(module, 1, text) == ["tests/rules/test_a.py::test", "tests/rules/test_b.py::test"]
    assert record.tests_of(module, 2, text) == ["tests/rules/test_b.py::test", "tests/rules/test_a.py::test"]
    assert record.runs_at_import(module, 2, text) and not record.runs_at_import(module, 1, text)
