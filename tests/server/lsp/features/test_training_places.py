"""Where the refactorings of a training stand in a menu that nobody opened for them."""

from __future__ import annotations

import pytest

from gpu2ascend.lsp.features.code_actions import is_in_training
from gpu2ascend_rules.text.source_file import SourceFile

SCRIPT = """\
import torch

# trains
def main():
    for x in loader:
        loss = model(x)
        # a comment in the loop

        loss.backward()  # at the end
    for x in loader:
        print(x)

if __name__ == "__main__":
    main()
"""


def offered(line: str, within: str = "") -> bool:
    """Whether they are, with the cursor in the line that holds a text."""
    start = SCRIPT.index(line) + (line.index(within) if within else 0)
    return is_in_training(SourceFile(SCRIPT, "train.py"), start, start)


@pytest.mark.parametrize(
    "line", ["    for x in loader:\n        loss", "loss = model", "loss.backward", "if __name__"]
)
def test_in_the_loop_that_trains_and_where_the_script_starts(line: str) -> None:
    assert offered(line)


@pytest.mark.parametrize(
    "line",
    ["import torch", "\n# trains", "# trains", "def main", "# a comment", "print(x)", "main()\n", "# at the"],
)
def test_not_on_other_code_nor_on_comments_and_blank_lines(line: str) -> None:
    assert not offered(line)


def test_not_on_a_blank_line_of_the_loop() -> None:
    blank = SCRIPT.index("\n\n        loss.back") + 1
    assert not is_in_training(SourceFile(SCRIPT, "train.py"), blank, blank)


def test_where_the_cursor_is_in_its_line_does_not_matter() -> None:
    start = SCRIPT.index("        loss = model")
    assert is_in_training(SourceFile(SCRIPT, "train.py"), start, start)
