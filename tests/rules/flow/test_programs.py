"""The modules that a script brings with it: itself first, then what it imports when it runs, each once."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow import programs
from gpu2ascend_rules.flow.programs import ModuleReader, executed_imports, program_of
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.codemods.distributed.conversion import Files

OPTIONS = options_from({"version": "2.8.0"})


class Module(NamedTuple):
    """What is read of a module here."""

    imports: tuple[str, ...]
    text: str


def read(source: SourceFile) -> Module:
    return Module(executed_imports(source), source.text)


def program(text: str, path: str = "train.py", **files: str) -> list[str]:
    """The paths of the modules of a program, in their order; a dot in a path is two underscores."""
    texts = {f"{name.replace('__', '/')}.py": code for name, code in files.items()}
    context = Context(SourceFile(text, path), OPTIONS, Files(texts))
    found = list(program_of(context, ModuleReader(read)))
    assert [module.text for _, module in found] == [text, *(texts[path] for path, _ in found[1:])]
    return [path for path, _ in found]


@pytest.mark.parametrize(
    ("text", "files", "paths"),
    [
        ("import a\n", {"a": "x = 1\n"}, ["train.py", "a.py"]),
        ("import a\nimport b\n", {"a": "import c\n", "b": "", "c": ""}, ["train.py", "a.py", "b.py", "c.py"]),
        ("import a\nimport a\n", {"a": ""}, ["train.py", "a.py"]),
        ("import a\n", {"a": "import b\n", "b": "import a\n"}, ["train.py", "a.py", "b.py"]),
        ("import a.b\n", {"a": "", "a__b": ""}, ["train.py", "a.py", "a/b.py"]),
        ("from a.b import c\n", {"a__b": "", "a__b__c": ""}, ["train.py", "a/b.py", "a/b/c.py"]),
        ("from .a.b import c\n", {"a": "", "a__b": ""}, ["train.py", "a.py", "a/b.py"]),
        ("from a import b\n", {"b": ""}, ["train.py"]),
        ("def f():\n    import a\n", {"a": ""}, ["train.py", "a.py"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n", {"a": ""}, ["train.py"]),
        ("import train\n", {"train": ""}, ["train.py"]),
        ("x = 'import a'\n", {"a": ""}, ["train.py"]),
    ],
)
def test_the_modules_of_a_program(text: str, files: dict[str, str], paths: list[str]) -> None:
    assert program(text, **files) == paths


def test_a_script_without_a_path_is_the_main_module() -> None:
    assert program("import a\n", "", a="") == ["__main__", "a.py"]


def test_a_large_program_is_looked_at_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = {f"m{i}": f"import m{i + 1}\n" for i in range(9)}
    assert len(program("import m0\n", **chain)) == 10
    monkeypatch.setattr(programs, "MAX_MODULES", 4)
    assert len(program("import m0\n", **chain)) == 4


def test_a_text_is_read_once_for_all_programs() -> None:
    reads: list[str] = []

    def counted(source: SourceFile) -> Module:
        reads.append(source.text)
        return read(source)

    reader = ModuleReader(counted)
    for script in ("import a\n", "import a\nx = 1\n"):
        context = Context(SourceFile(script, "train.py"), OPTIONS, Files({"a.py": "y = 1\n"}))
        assert [path for path, _ in program_of(context, reader)] == ["train.py", "a.py"]
    assert reads == ["import a\n", "y = 1\n", "import a\nx = 1\n"]
