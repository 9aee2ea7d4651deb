"""What a parser is spared of a text changes neither where anything stands nor what it is."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.limits.long_runs import blanked, long_runs
from gpu2ascend_rules.limits.parsing import parse
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
COMMENTS = "".join(f"    # {number} don't\n\n" for number in range(100))
CONTINUED = "\\\n" * 200
AFTER = "    return x.cuda()\n"
HEAD = "import torch\ndef f(x: torch.Tensor):\n"


def hidden(text: str) -> str:
    """What the parser does not see of a text."""
    data = text.encode()
    return "".join(data[start:end].decode() for start, end in long_runs(data))


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n# a comment\n" * 200,
        "# a comment\n" * 63,
        "\n" * 1000,
        f"if x:\n    y\n{CONTINUED}z\n",
        f"x = '''{COMMENTS.replace(chr(39), '')}'''\n",
        f'x = """{COMMENTS}"""\n',
        'x = 1; """\\"""\n' + COMMENTS,
    ],
)
def test_nothing_is_hidden_of_short_runs_and_of_strings(text: str) -> None:
    assert hidden(text) == ""


@pytest.mark.parametrize("before", range(9))
@pytest.mark.parametrize("line", ["# a comment\n", "    # one\n", "\t\f# one\n"])
def test_a_run_of_the_least_length_is_found_wherever_it_begins(before: int, line: str) -> None:
    assert hidden("x = 1\n" * before + line * 64 + "y = 2\n") != ""


@pytest.mark.parametrize("text", [HEAD + COMMENTS + AFTER, HEAD.replace("\n", "\r\n") + COMMENTS + AFTER])
def test_the_middle_of_a_long_run_is_hidden(text: str) -> None:
    assert "# 3 " not in hidden(text) and "# 50 " in hidden(text) and "# 99 " not in hidden(text)


@pytest.mark.parametrize(
    "text", [HEAD + COMMENTS + AFTER, f"x = 1 + {CONTINUED}2\n", f"if x:\n    y = f(1, {CONTINUED}2)\n"]
)
def test_what_is_hidden_keeps_its_place_and_the_tree_is_the_same_but_for_comments(text: str) -> None:
    data = text.encode()
    spans = long_runs(data)
    assert spans and len(blanked(data, spans)) == len(data)

    def nodes(tree) -> list[tuple[str, int, int]]:
        pending, found = [tree.root_node], []
        while pending:
            node = pending.pop()
            pending += node.children
            if node.type not in ("comment", "line_continuation"):
                found.append((node.type, node.start_byte, node.end_byte))
        return sorted(found)

    assert nodes(parse(data, None, spans)) == nodes(parse(data))


def test_a_run_in_a_string_that_is_not_seen_as_one_is_not_hidden() -> None:
    inner = "# no comment\n" * 100
    text = f'x = f"""{{a["""b"""]}}{inner}"""\n'
    source = SourceFile(text)
    node = source.node_at(text.index("# no") + 700, text.index("# no") + 702)
    assert node is not None and "string" in node.type


def test_a_check_finds_the_same_and_comments_in_it_count() -> None:
    found = check(SourceFile(HEAD + AFTER), OPTIONS)
    source = SourceFile(HEAD + COMMENTS + AFTER)
    assert found and [item.code for item in check(source, OPTIONS)] == [item.code for item in found]
    suppressed = COMMENTS.replace("# 50 ", "# gpu2ascend: ignore-file ")
    assert check(SourceFile(HEAD + suppressed + AFTER), OPTIONS) == ()
