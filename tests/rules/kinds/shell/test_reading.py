"""Which places of shell code rules are shown, and that each stands where it says."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.shell.places import Command, Directive, FileTest, Loop, Unread, Use, Variable
from gpu2ascend_rules.kinds.shell.script import ShellFile
from gpu2ascend_rules.text.parts.part import moved


def script(text: str) -> ShellFile:
    file = kind_file("a.sh", text)
    assert isinstance(file, ShellFile)
    return file


def variables(text: str) -> list[tuple[str, Use]]:
    file = script(text)
    found = [place for place in file.places() if isinstance(place, Variable)]
    assert all(file.slice(place.start, place.end) == place.name for place in found)
    return [(place.name, place.use) for place in found]


def commands(text: str) -> list[Command]:
    return [place for place in script(text).places() if isinstance(place, Command)]


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("A=1\n", Use.SET),
        ("export A=1\n", Use.SET),
        ("declare -x A=1\n", Use.SET),
        ("A=1 run\n", Use.PREFIX),
        ("env A=1 run\n", Use.PREFIX),
        ("echo $A\n", Use.READ),
        ('echo "on ${A:-0}"\n', Use.READ),
        ("echo ${A//,/ }\n", Use.READ),
        ("echo $((${#A} / 2))\n", Use.READ),
        ("echo $((A / 2))\n", Use.READ),
        ('run <<< "$A"\n', Use.READ),
        ("cat <<END\n$A\nEND\n", Use.READ),
        ("unset A\n", Use.NAME),
        ("export A\n", Use.NAME),
        ("[[ -v A ]]\n", Use.NAME),
        ("read -r A\n", Use.NAME),
    ],
)
def test_a_variable_and_what_is_done_with_it(text: str, use: Use) -> None:
    assert variables(text) == [("A", use)]


@pytest.mark.parametrize("text", ["# A=1\n", "echo 'A=1 $A'\n", "cat <<'END'\n$A\nEND\n", "echo A=1\n"])
def test_no_variable(text: str) -> None:
    assert variables(text) == []


def test_the_value_of_a_variable() -> None:
    file = script("export A='x y'\n")
    place = next(place for place in file.places() if isinstance(place, Variable))
    assert place.value is not None
    assert (place.value.text, file.slice(place.value.start, place.value.end)) == ("x y", "'x y'")


def test_the_words_of_a_command() -> None:
    (command,) = commands("A=1 python train.py --lr \\\n  1e-3 \"$B\" 'c d' e\\ f > log\n")
    assert [word.text for word in command.words] == ["python", "train.py", "--lr", "1e-3", None, "c d", "e f"]
    assert command.program == "python"


@pytest.mark.parametrize(
    ("text", "is_captured"),
    [
        ("run\n", False),
        ("x=$(run)\n", True),
        ("x=`run 2>/dev/null`\n", True),
        ("run | wc -l\n", True),
        ("diff <(run) b\n", True),
        ("run > log\n", False),
        ("a && run\n", False),
    ],
)
def test_whether_other_code_takes_what_a_command_prints(text: str, is_captured: bool) -> None:
    assert [item.is_captured for item in commands(text) if item.program == "run"] == [is_captured]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[ -e /a ] && x", [("-e", "/a")]),
        ('if [[ ! -d /a && -x "/b c" ]]; then x; fi', [("-d", "/a"), ("-x", "/b c")]),
        ("[ ! -e /a -o -d /b ] || x", [("-e", "/a"), ("-d", "/b")]),
        ("test -c /a -a -r $b", [("-c", "/a"), ("-r", None)]),
        ("bash -c 'test -f /a'", [("-f", "/a")]),
        ("[ -n /a ] && [ /a = /b ] && ls -d /a", []),
        ("[ -v a ] && test -z /a", []),
    ],
)
def test_the_files_that_are_tested_for(text: str, expected: list[tuple[str, str | None]]) -> None:
    places = list(script(f"{text}\n[ -e /control ]\n").places())
    found = [place for place in places if isinstance(place, FileTest)]
    assert [(place.operator, place.word.text) for place in found] == [*expected, ("-e", "/control")]
    assert all(text.encode()[place.start : place.end].decode() == place.word.raw for place in found[:-1])


def test_a_comment_that_a_scheduler_reads() -> None:
    file = script("#!/bin/bash\n#SBATCH --gres=gpu:4  # four\n# SBATCH no\n")
    (place,) = (place for place in file.places() if isinstance(place, Directive))
    assert (place.scheduler, place.text) == ("SBATCH", "--gres=gpu:4  # four")
    assert file.slice(place.text_start, place.end) == place.text


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("run\n", 0, 0),
        ("run \\\n  a \\\n  b\n", 0, 2),
        ("run 'a\nb'\n", 0, 1),
        ("cat <<END\na\nEND\nrun\n", 1, 0),
    ],
)
def test_the_line_at_whose_end_a_comment_can_stand(text: str, line: int, expected: int) -> None:
    assert script(text).line_for_comment(line) == expected


@pytest.mark.parametrize(
    "text",
    [
        "export CUDA_VISIBLE_DEVICES=0\nif [ 1 ; then\n  nvidia-smi -q '\n",
        "export CUDA_VISIBLE_DEVICES={{ devices }}\n{% if x %}\nnvidia-smi -q\n{% endif %}\n",
    ],
)
def test_no_place_lies_in_what_is_not_understood(text: str) -> None:
    places = list(script(text).places())
    unread = [place for place in places if isinstance(place, Unread)]
    assert unread
    for place in places:
        assert place in unread or not any(part.start <= place.start < part.end for part in unread)


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ("if x; then\n  run\n", "fi\n"),
        ("for i in 1 2; do\n  run\n", "done\n"),
        ("while x; do\n  run\n", "done\n"),
        ("case $x in\n  a) run ;;\n", "esac\n"),
        ("f() {\n  run\n", "}\n"),
        ("a=$(run\n", ")\n"),
        ("(cd a && run\n", ")\n"),
    ],
)
def test_what_is_opened_and_never_closed_is_not_understood(opened: str, closed: str) -> None:
    """A shell runs none of it: the grammar supplies the word that is missing, which is not the same."""
    assert "run" not in [item.program for item in commands("first\n" + opened)]
    assert any(isinstance(place, Unread) for place in script("first\n" + opened).places())
    assert "run" in [item.program for item in commands("first\n" + opened + closed)]


def test_the_words_of_a_loop() -> None:
    text = "ls\nfor d in a 'b c' $D; do\n  run $d\ndone\nls\n"
    (loop,) = (place for place in script(text).places() if isinstance(place, Loop))
    assert (loop.name, [word.text for word in loop.words]) == ("d", ["a", "b c", None])
    assert text[loop.start : loop.end].startswith("for") and text[loop.start : loop.end].endswith("done")
    shifted = moved(loop, 2)
    assert (shifted.start - loop.start, shifted.words[0].start - loop.words[0].start) == (2, 2)


def test_a_loop_over_what_the_script_is_given_has_no_words() -> None:
    assert not [place for place in script("for d; do run $d; done\n").places() if isinstance(place, Loop)]
    assert [place for place in script("for d in a; do run $d; done\n").places() if isinstance(place, Loop)]


@pytest.mark.parametrize(
    "line",
    [
        "bash -c 'python train.py'",
        'sh -lc "python train.py"',
        "ssh node1 'cd /data && python train.py'",
        'sshpass -p x ssh -p 22 node1 "python train.py"',
        'eval "python train.py"',
        "tmux new -d -s a 'python train.py'",
        "pdsh -w n[1-2] 'python train.py'",
        "ssh node1 bash -c 'python train.py'",
    ],
)
def test_code_that_a_shell_is_given_as_a_text_is_read(line: str) -> None:
    (command,) = (one for one in commands(f"{line}\n") if one.words[0].text == "python")
    assert line.encode()[command.start : command.end] == b"python train.py"


@pytest.mark.parametrize(
    "line",
    [
        "echo 'python train.py'",
        "ssh 'python train.py' node1",
        "bash run.sh 'python train.py'",
        'ssh node1 "python \\"train.py\\""',
        "eval",
    ],
)
def test_another_text_is_none(line: str) -> None:
    assert not [one for one in commands(f"{line}\n") if one.words[0].text == "python"]
