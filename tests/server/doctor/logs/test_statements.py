"""An exception that no table knows is answered by what it says, what led to it, and whose check it is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.doctor.logs.failures import Failure, failures
from gpu2ascend.doctor.logs.reasons import answer_of
from gpu2ascend.doctor.tables import rows
from gpu2ascend.texts.catalogue import Texts

START = "Traceback (most recent call last):"
OWN = ('  File "/home/them/job/train.py", line 7, in main', "    serve(args)")
SETTINGS = (
    '  File "/usr/lib/python3.11/site-packages/fastserve/config/lanes.py", line 4, in check',
    '    raise ValueError("x must be 1")',
)
LIBRARY = '  File "/usr/lib/python3.11/site-packages/fastserve/engine.py", line 40, in start'
REFUSES = (LIBRARY, '    raise OddError("no")')
MEETS = (LIBRARY, "    return table[key]")
CAUSED = ("", "The above exception was the direct cause of the following exception:", "")
WHILE = ("", "During handling of the above exception, another exception occurred:", "")
SENTENCE = "OddError: a lane takes four riders at most here"


def only(*lines: str) -> Failure:
    (found,) = failures(lines)
    return found


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((SENTENCE, "Take fewer riders.", "", "step 3"), f"{SENTENCE} Take fewer riders."),
        (("OddError: these lanes:", "", "  a", "  b", START), "OddError: these lanes: a b"),
        ((SENTENCE, "2026-11-30 10:00:00 INFO bye"), SENTENCE),
        (
            ("(Worker pid=3) OddError: odd", "(Worker pid=3) so it ends", "(Main pid=2) bye"),
            "OddError: odd so it ends",
        ),
    ],
)
def test_a_message_goes_on_to_a_blank_line_or_one_of_another_kind(lines: tuple[str, ...], said: str) -> None:
    assert only(START, *REFUSES, *lines).statement == said


@pytest.mark.parametrize(
    ("inner", "link", "told", "outer"),
    [
        (SENTENCE, CAUSED, SENTENCE, "OddError: the engine did not start up"),
        (SENTENCE, WHILE, SENTENCE, "OddError: the engine did not start up"),
        ("OddError: riders", CAUSED, "OddError: riders", "OddError: the engine did not start up"),
        ("OddError: riders", WHILE, "OddError: the engine did not start up", ""),
    ],
)
def test_of_exceptions_raised_from_each_other_the_one_that_says_why_is_told(
    inner: str, link: tuple[str, ...], told: str, outer: str
) -> None:
    found = only(START, *REFUSES, inner, *link, START, *OWN, "OddError: the engine did not start up")
    assert (found.text, found.outer) == (told, outer)


@pytest.mark.parametrize("link", [CAUSED, WHILE])
@pytest.mark.parametrize("count", [3, 2000])
def test_a_chain_is_followed_as_far_as_it_goes(link: tuple[str, ...], count: int) -> None:
    chain = [
        line
        for number in range(count)
        for line in (START, *OWN, f"OddError: a lane takes {number} riders at most", *link)
    ]
    found = only(*chain, START, *OWN, "OddError: the engine did not start up")
    assert found.text == "OddError: a lane takes 0 riders at most"
    assert found.outer == "OddError: the engine did not start up"


@pytest.mark.parametrize(
    ("frames", "message", "kind"),
    [
        ((*OWN, *REFUSES), SENTENCE, "unknown.check-at"),
        (REFUSES, SENTENCE, "unknown.check"),
        ((*OWN, *SETTINGS), "ValueError: x must be 1", "refused.settings-at"),
        ((*OWN, *MEETS), "TypeError: odd thing", "unknown.met"),
        (OWN, SENTENCE, "unknown.own"),
        ((*OWN, *REFUSES), "OddError: the npu takes no riders", "unknown.no-npu"),
        ((), "OddError: the riders in /data/odd/list are missing", "unknown.path"),
        ((), "OddError: failed to fetch the riders", "unknown.network"),
        ((), "OddError: not enough disk for riders", "unknown.limit"),
        ((), "OddError: the rider process exited with code 3", "unknown.child"),
        ((), "OddError: command 'g++' failed", "unknown.build"),
    ],
)
def test_its_kind_follows_from_what_it_says_and_from_its_frames(
    frames: tuple[str, ...], message: str, kind: str
) -> None:
    start = (START,) if frames else ()
    assert answer_of(only(*start, *frames, message)).cause.id == f"doctor.log.{kind}.cause"


def test_the_answer_quotes_the_sentence_the_place_and_the_lines_of_the_check() -> None:
    found = answer_of(only(START, *OWN, *REFUSES, SENTENCE))
    cause = Texts("en").of(found.cause)
    assert "a lane takes four riders" in cause and "/home/them/job/train.py:7" in cause
    assert "fastserve" in cause
    assert found.command == "sed -n 28,40p /usr/lib/python3.11/site-packages/fastserve/engine.py"


def test_a_page_shows_the_whole_message_and_what_became_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "train.log"
    text = (START, *REFUSES, "OddError: riders", "too many", *CAUSED, START, *OWN, "OddError: no start")
    log.write_text("\n".join(text), "utf-8")
    assert main(["--language", "en", "doctor", "--log", str(log)]) == 1
    assert {"riders too many", "OddError: no start"} <= set(
        re.findall("riders too many|OddError: no start", capsys.readouterr().out)
    )


def test_each_kind_of_statement_has_an_answer() -> None:
    asked = " ".join(row["said"] for row in rows("reasons"))
    for row in rows("statements"):
        re.compile(row["pattern"])
        assert f"about={row['about']}" in asked


@pytest.mark.parametrize(
    ("message", "asks"),
    [
        ("OddError: no lane is free. Set `lanes` to 4 or more. Bye", "Set `lanes` to 4 or more."),
        ("OddError: riders must be even", "riders must be even"),
        ("OddError: it broke. Please see the log above", ""),
        ("OddError: it broke", ""),
    ],
)
def test_what_a_message_asks_for_is_told_by_itself(message: str, asks: str) -> None:
    assert only(START, *REFUSES, message).asks == asks


def test_a_defect_of_a_package_that_pip_builds_is_of_its_build() -> None:
    setup = '  File "/tmp/pip-install-a1/odd-lanes_0123456789abcdef/setup.py", line 4, in <module>'
    found = answer_of(only(START, setup, "    import x", "AttributeError: 'X' object has no attribute 'y'"))
    assert found.cause.id == "doctor.log.unknown.building.cause"
    assert found.command.endswith(" odd-lanes")


def test_an_exception_with_its_module_is_of_that_library() -> None:
    found = answer_of(only("oddlib.errors.OddError: the Trainer has no lanes at all"))
    assert dict(found.cause.arguments)["package"] == "oddlib"


@pytest.mark.parametrize(
    "frames",
    [
        ("File /usr/lib/python3.11/site-packages/fastserve/engine.py:40, in start(x)", "     39 if not x:",
         '---> 40     raise OddError("no")'),
        ("│ /usr/lib/python3.11/site-packages/fastserve/engine.py:40 in start   │",
         '│ ❱   40 │   │   raise OddError("no")      │'),
    ],
)  # fmt: skip
def test_frames_of_ipython_and_rich_are_frames(frames: tuple[str, ...]) -> None:
    found = answer_of(only(START, *frames, "", SENTENCE))
    assert found.cause.id == "doctor.log.unknown.check.cause"
    assert "fastserve" in Texts("en").of(found.cause)
