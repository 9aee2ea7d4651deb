"""What a summary of shell code lists: who sets, reads, shows and passes on a variable, and what runs what."""

from __future__ import annotations

from typing import cast

from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.kinds.shell.places import Use
from gpu2ascend_rules.kinds.shell.summary import ShellSummary, count_in, summarise

SCRIPT = """\
source path.sh
DEVICE=cuda
CARDS=(cuda:0 "cuda:1")
train() { python train.py --device "$DEVICE" $1 > log; }
for card in "${CARDS[@]}"; do
  echo $card
  DEVICE=$card train $card
done
eval "$(setup)"
python - <<'EOF'
print("$DEVICE")
EOF
"""


def summary_of(text: str, path: str = "a.sh") -> ShellSummary:
    file = kind_file(path, text)
    assert file is not None
    return summarise(file.places())


SUMMARY = summary_of(SCRIPT)


def test_the_values_of_a_variable_are_in_the_order_of_the_text() -> None:
    assert [item.value and item.value.raw for item in SUMMARY.sets["DEVICE"]] == ["cuda", "$card"]
    assert [item.use for item in SUMMARY.sets["DEVICE"]] == [Use.SET, Use.PREFIX]


def test_an_array_has_its_elements() -> None:
    (cards,) = SUMMARY.sets["CARDS"]
    assert [item.text for item in cards.items] == ["cuda:0", "cuda:1"]
    assert all(SCRIPT[item.start : item.end] == item.raw for item in cards.items)


def test_a_word_that_is_a_variable_is_passed_to_its_option_or_as_an_argument() -> None:
    (given,) = SUMMARY.passed["DEVICE"]
    command = SUMMARY.commands[given.number]
    assert (given.option, command.words[given.nth].raw, command.start) == ("--device", '"$DEVICE"', given.at)
    assert [item.option for item in SUMMARY.passed["card"]] == ["", ""]


def test_what_is_shown_and_what_is_read_are_counted_by_offsets() -> None:
    (loop,) = SUMMARY.loops["card"]
    assert count_in(SUMMARY.prints["card"], loop.start, loop.end) == 1
    assert count_in(SUMMARY.reads["card"], loop.start, loop.end) == 4  # the head of the loop is one
    assert count_in(SUMMARY.reads["card"], 0, loop.start) == 0


def test_a_command_knows_the_loops_around_it() -> None:
    inner = summary_of("for a in 1; do\nfor b in 2; do x; done\ny\ndone\nz\n")
    around = {
        command.program: [loop.name for loop in inner.around.get(command.start, ())]
        for command in inner.commands
    }
    assert around == {"x": ["a", "b"], "y": ["a"], "z": []}


def test_a_function_has_its_body_and_its_calls() -> None:
    (function,) = SUMMARY.functions["train"]
    assert SCRIPT[slice(*function.body)].startswith("{ python")
    assert [command.words[1].raw for command in SUMMARY.calls["train"]] == ["$card"]


def test_files_that_are_read_are_listed() -> None:
    assert [word.text for word in SUMMARY.sourced] == ["path.sh"]


def test_a_here_document_is_known_where_nothing_is_replaced() -> None:
    log, document = SUMMARY.redirections
    assert (log.operator, log.word.text) == (">", "log")
    assert (document.operator, document.word.text) == ("<<", 'print("$DEVICE")\n')
    assert SCRIPT[document.word.start : document.word.end] == document.word.raw
    (replaced,) = summary_of("cat <<EOF\n$A\nEOF\n").redirections
    assert (replaced.word.text, replaced.word.raw) == (None, "$A\n")


def test_code_that_a_shell_is_given_as_a_text_keeps_its_offsets() -> None:
    text = "ssh host 'f() { cat <<< word; }'\n"
    summary = summary_of(text)
    (function,), (redirection,) = summary.functions["f"], summary.redirections
    assert text[function.start : function.end] == "f"
    assert text[slice(*function.body)] == "{ cat <<< word; }"
    assert text[redirection.word.start : redirection.word.end] == "word"


def test_the_settings_of_a_makefile_and_its_recipes_are_one_summary() -> None:
    summary = summary_of("D = cuda\ntrain:\n\tpython t.py --device $(D)\n", "Makefile")
    assert [cast(str, item.value and item.value.text) for item in summary.sets["D"]] == ["cuda"]
    assert [command.words[1].text for command in summary.commands] == ["t.py"]
