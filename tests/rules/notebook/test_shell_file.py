"""What rules are shown of the shell code of a notebook."""

from __future__ import annotations

from gpu2ascend_rules.kinds.shell.places import Command, Use, Variable
from gpu2ascend_rules.notebook.composite import Composite
from gpu2ascend_rules.notebook.source import NotebookSource


def places(*cells: str) -> list[object]:
    source = Composite(cells).source
    assert isinstance(source, NotebookSource)
    return list(source.shell.places())


def words(*cells: str) -> list[list[str | None]]:
    return [[word.text for word in place.words] for place in places(*cells) if isinstance(place, Command)]


def test_each_line_is_code_of_its_own() -> None:
    assert words("!echo 'a\n!ls b") == [["echo"], ["ls", "b"]]


def test_a_script_is_read_as_a_whole() -> None:
    assert words("%%bash\nls \\\n  a\n") == [["ls", "a"]]


def test_what_run_starts_is_python() -> None:
    assert words("%run a.py --device cuda") == [["python", "a.py", "--device", "cuda"]]


def test_the_interpreter_of_the_notebook_is_python() -> None:
    assert words("!{sys.executable} -m pip list") == [["python", "-m", "pip", "list"]]


def test_values_of_python_are_not_known() -> None:
    assert words("!ls {name} $name {items[0]}") == [["ls", None, None, None]]


def test_words_are_given_as_they_are_written() -> None:
    (command,) = (place for place in places("!ls {name}") if isinstance(place, Command))
    assert command.words[1].raw == "{name}"


def test_a_magic_sets_a_variable() -> None:
    (first, second, third) = (
        place for place in places("%env A=x\n%env B y z\n%env C={d}") if isinstance(place, Variable)
    )
    assert (first.name, first.use, first.value and first.value.text) == ("A", Use.SET, "x")
    assert (second.name, second.value and second.value.text) == ("B", "y z")
    assert (third.name, third.value and third.value.text) == ("C", None)


def test_a_magic_reads_a_variable() -> None:
    (place,) = (place for place in places("%env A") if isinstance(place, Variable))
    assert (place.use, place.value) == (Use.READ, None)


def test_python_is_no_shell_code() -> None:
    assert words("ls = 1\n!ls") == [["ls"]]
