"""A bracket that has just been typed costs no look through the rest of the file, and takes nothing away."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from tree_sitter import Point

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.limits import open_brackets as module
from gpu2ascend_rules.limits.checkpoints import asking
from gpu2ascend_rules.limits.open_brackets import open_brackets
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text import parsed_text
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
REST = "def f(a, b):\n    return a.cuda() + b.cuda()\n\nx = f(torch.ones(2), [1, 2])\n"
FILE = f"import torch\n\n{REST}"
PLACE = FILE.index("\n\n") + 1
"""An empty line, before code that goes on."""


def after(source: SourceFile, at: int, old: str, new: str) -> SourceFile:
    """The next version of a text, parsed from the tree of this one as the server does."""
    text = source.text
    assert text[at : at + len(old)] == old
    tree = source.editable_tree
    assert tree is not None
    tree = tree.copy()
    first, last = len(text[:at].encode()), len(text[: at + len(old)].encode())
    end = first + len(new.encode())
    result = text[:at] + new + text[at + len(old) :]
    tree.edit(first, last, end, point(text, at), point(text, at + len(old)), point(result, at + len(new)))
    return SourceFile(result, "", tree)


def point(text: str, at: int) -> Point:
    return Point(text.count("\n", 0, at), len(text[text.rfind("\n", 0, at) + 1 : at].encode()))


def parsed(text: str) -> SourceFile:
    source = SourceFile(text)
    assert source.root is not None
    return source


def typed(source: SourceFile, at: int, keys: str) -> list[SourceFile]:
    """Every version while keys are typed."""
    versions = [source]
    for key in keys:
        versions.append(after(versions[-1], at, "", key))
        assert versions[-1].root is not None
        at += 1
    return versions


def shape(source: SourceFile) -> str:
    return str(source.root)


def statements(source: SourceFile) -> list[str]:
    """The statements of the module, behind the line that is typed."""
    kept = [node for node in source.root.children if node.type != "ERROR"]
    return [str(node) for node in kept][-2:]


LINES = ["y = f(", "y = [1, ", "y = {'a': g(b, ", "with open(a", "print(a[", "def g(a, b", "y = f(a)("]
HEADS = [
    "def g(:",
    "def g(a, b=1:",
    "def g(a: int) -> f(:",
    "def g(a -> int:  # of",
    "class A(:",
    "class A(B:",
]


@pytest.mark.parametrize("line", LINES)
def test_the_rest_of_the_file_stays_what_it_was(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = parsed(FILE)
    now = typed(before, PLACE, line)[-1]
    assert now.open_brackets
    assert statements(now) == statements(before)
    monkeypatch.setattr(parsed_text, "open_brackets", lambda data: ())
    assert statements(SourceFile(now.text)) != statements(before)  # which is why


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("body", ["", "\n    x =", "\n    x = (\n", "\n    return f(["])
def test_a_head_that_is_not_closed_takes_nothing_of_the_file(head: str, body: str) -> None:
    before = parsed(FILE)
    now = typed(before, PLACE, head + body)[-1]
    assert now.open_brackets
    assert statements(now) == statements(before)


@pytest.mark.parametrize(
    "line", [*LINES, *HEADS, "if (a", "@g(", "y = f(']')[", "y = f(a))", "y = (a +\n    [b"]
)
def test_the_tree_is_that_of_the_text_whatever_was_before(line: str) -> None:
    versions = typed(parsed(FILE), PLACE, line)
    assert [shape(version) for version in versions] == [
        shape(SourceFile(version.text)) for version in versions
    ]
    assert any(version.has_syntax_error for version in versions)


@pytest.mark.parametrize(
    "line",
    ["y = f(a, [1, {2: 3}])", "y = f('(', \"[\")  # ((", "y = (a +\n     b)", 'y = """(\n["""', "y = f(\n)"],
)
def test_once_it_is_closed_the_tree_is_that_of_the_text(line: str) -> None:
    for version in typed(parsed(FILE), PLACE, line):
        if not SourceFile(version.text).has_syntax_error:
            assert shape(version) == shape(SourceFile(version.text))
            assert not version.has_syntax_error
    assert not version.open_brackets


def test_a_whole_program_that_is_typed_has_its_own_tree() -> None:
    text = (
        FILE
        + "class A(B):\n    def g(self):\n        d = {\n            'a': (1,\n            2),\n        }\n"
    )
    versions = typed(parsed("\n"), 0, text)
    sound = [version for version in versions if not SourceFile(version.text).has_syntax_error]
    assert len(sound) > len(text) // 4
    assert [shape(version) for version in sound] == [shape(SourceFile(version.text)) for version in sound]
    assert any(version.open_brackets for version in versions)


def test_a_bracket_that_is_taken_away_again_leaves_nothing() -> None:
    opened = typed(parsed(FILE), PLACE, "f(")[-1]
    assert opened.open_brackets
    closed = after(opened, PLACE + 1, "(", "")
    assert not closed.open_brackets
    assert shape(closed) == shape(SourceFile(closed.text))


def test_an_end_that_is_deleted_opens_its_bracket() -> None:
    before = parsed(FILE)
    now = after(before, FILE.index("torch.ones(2)") + len("torch.ones(2"), ")", "")
    assert [now.text[at : at + 9] for at in now.open_brackets] == ["(torch.on"]
    assert statements(now)[0] == statements(before)[0]


def test_a_bracket_that_is_closed_further_down_stays() -> None:
    text = "x = f(\n    a,\n    b,\n)\ny = 1\n"
    for at, key in ((6, "c, "), (text.index("a") + 1, "a"), (text.index("b"), "f(1), ")):
        now = after(parsed(text), at, "", key)
        assert not now.open_brackets
        assert shape(now) == shape(SourceFile(now.text))


def test_within_such_a_bracket_one_that_is_new_is_found() -> None:
    text = "x = f(\n    a,\n    b,\n)\ny = 1\n"
    now = after(parsed(text), text.index("a"), "", "g(")
    assert [now.text[at - 1] for at in now.open_brackets] == ["g"]
    assert now.root.children[-1].type == "expression_statement"


@pytest.mark.parametrize("text", ['"""\n\n"""\nx = 1\n', "def f():\n    '''\n\n    '''\n"])
def test_a_bracket_in_a_string_is_none(text: str) -> None:
    now = after(parsed(text), text.index("\n\n") + 1, "", "f(")
    assert not now.open_brackets
    assert shape(now) == shape(SourceFile(now.text))


def test_a_text_with_an_open_bracket_has_a_syntax_error() -> None:
    assert typed(parsed(FILE), PLACE, "f(")[-1].has_syntax_error
    assert not parsed(FILE).has_syntax_error


def test_findings_further_down_stay() -> None:
    before = parsed(FILE)
    codes = [(item.code, item.message) for item in check(before, OPTIONS)]
    assert codes
    for version in typed(before, PLACE, "y = f(g[{"):
        assert [(item.code, item.message) for item in check(version, OPTIONS)] == codes


def test_it_costs_no_look_through_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the reports of the parser's progress, of which there is one for so many of its operations."""
    source = parsed(FILE + REST * 500)
    middle = source.text.index("\n\n", len(source.text) // 2) + 1

    def reports(line: str) -> int:
        counted = 0

        def count() -> None:
            nonlocal counted
            counted += 1

        version = after(source, middle, "", line)
        with asking(count):
            assert version.root is not None
        return counted

    usual, opened = reports("y = a, b"), reports("y = [a, b")
    monkeypatch.setattr(parsed_text, "open_brackets", lambda data: ())
    assert opened <= 1.1 * usual
    assert reports("y = [a, b") > 1.2 * usual


PIECES = [
    *'()[]{}"\'\\#x', '"""', "'''", "\n", "\n", "\n  ", "\n    ", "\n)", "\n#", "\\\n", " = f(", "def f(:",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_parts_that_are_looked_at_by_themselves_say_what_the_whole_says(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    texts = ["".join(random.choices(PIECES, k=random.randrange(3, 90))).encode() for _ in range(100)]
    in_parts = [open_brackets(text) for text in texts]
    monkeypatch.setattr(module, "_MARGIN", re.compile(rb"(?!)"))  # one part alone
    assert in_parts == [open_brackets(text) for text in texts]
    assert any(in_parts) and not all(in_parts)


def test_a_key_has_one_part_of_the_text_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[bytes] = []
    block = module._block

    def noting(data: bytes) -> tuple[object, ...]:
        looked_at.append(data)
        return block(data)

    monkeypatch.setattr(module, "_block", noting)
    monkeypatch.setattr(module, "_seen", module._Seen())
    text = (REST * 50 + "y = g(a\n" + REST * 50).encode()
    assert open_brackets(text)
    assert len(looked_at) == 5  # each text that differs, though the parts are a hundred and one
    assert open_brackets(text.replace(b"g(a", b"g(ab"))
    assert looked_at[5:] == [b"\ny = g(ab"]


def test_strings_over_many_parts_are_looked_at_a_few_times_each(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    block = module._block

    def counting(data: bytes) -> tuple[object, ...]:
        nonlocal looked_at
        looked_at += len(data)
        return block(data)

    monkeypatch.setattr(module, "_block", counting)
    monkeypatch.setattr(module, "_seen", module._Seen())
    text = b"x = f(" + b'"""\na\n""", ' * 4_000
    assert open_brackets(text) == (5,)
    assert looked_at < 5 * len(text)


def test_what_is_large_is_parsed_as_it_stands() -> None:
    assert open_brackets(b"f(" + b" " * 3_000_000) == ()
    assert open_brackets(b"f(" + b" " * 3_000) == (1,)


@pytest.mark.parametrize(
    "text",
    [
        "x = f(a,\nb)  # :(\n",
        "x = [\n1,\n2\n]\ny = '('\n",
        "x = f(\n    a\n) + [\n    b\n]\ny = ']'\n",
        "class A(\nB): pass\n# ((\n",
        'x = f("""(""", \'\'\'[\'\'\', r"\\\\", b"{")\n',
        "x = f'{a[1]}(' + f(\n'{'\n)\n",
    ],
)
def test_a_sound_text_has_none_however_its_lines_are_broken(text: str) -> None:
    compile(text, "a.py", "exec", dont_inherit=True)
    assert open_brackets(text.encode()) == ()
    assert open_brackets(f"{text}f(\n".encode()) != ()


def test_the_code_of_this_project_has_none() -> None:
    files = sorted(Path(parsed_text.__file__).parents[1].rglob("*.py"))
    assert len(files) > 500
    assert not [path.name for path in files if open_brackets(path.read_bytes())]
