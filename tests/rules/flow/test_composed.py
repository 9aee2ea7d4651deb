"""What expressions make of literals."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow.composed import composed_from
from gpu2ascend_rules.text.source_file import SourceFile


def outermost(code: str) -> str:
    """What the outermost expression gives that the first literal of a text goes into."""
    source = SourceFile(code)
    texts = (ref.node for _, ref in scan_strings(source, ["a", "A", "u", "%", "{"]))
    first = min(texts, key=start)
    found = list(composed_from(first, source))
    return found[-1].text if found else ""


def start(node: object) -> int:
    return int(node.start_byte)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'CUDA'.lower()", "cuda"),
        ("'cuda '.strip()", "cuda"),
        ("'cuda!'.rstrip('!')", "cuda"),
        ("'cu' + 'da' + ':0'", "cuda:0"),
        ("('cu' 'da')", "cuda"),
        ("'cu%s' % 'da'", "cuda"),
        ("'%s:%d' % ('CUDA', 0)", "CUDA:0"),
        ("'{}:{}'.format('cuda', 1)", "cuda:1"),
        ("f\"{'CUDA'.lower()}:{i}\"", "cuda:{}"),
        ("'a'.join(['cud', ''])", "cuda"),
        ("b'cuda'.decode('ascii')", "cuda"),
        ("str('cuda0'[:4])", "cuda"),
        ("'cuXda'.replace('X', '')", "cuda"),
        ("'CUDA'.lower() + ':' + str(i)", "cuda:{}"),
        ("'npuCUDA'.removeprefix('npu').casefold()", "cuda"),
        ("'cudaXX'.removesuffix('XX')", "cuda"),
        ("'a{}'.format('b')", "ab"),
        ("'A{1}{0}'.format('b', 'c')", "Acb"),
        ("'a'.join(('b', i))", "ba{}"),
        ("'a'.join(['b', 'c'])", "bac"),
        ("'cuda0'[0:4]", "cuda"),
        ("'cuda0'[:-1]", "cuda"),
        ("'xcuda'[1:]", "cuda"),
        ("('a' 'b' 'c').upper()", "ABC"),
        ("('CUDA')", "CUDA"),
        ("str('a')", "a"),
        ("'a'.encode().decode()", "a"),
        ("'a' + str(0)", "a0"),
        ("'a' + y + 'b'", "a{}b"),
        ("'a%s%s' % ('b', y)", "ab{}"),
        ("'A%d' % 3", "A3"),
        ("f'a{1}'.lower()", "a1"),
        ("f\"a{'b':>3}\".lower()", "a{}"),
    ],
)
def test_what_an_expression_gives(expression: str, text: str) -> None:
    assert outermost(f"x = {expression}\n") == text


@pytest.mark.parametrize(
    "expression",
    [
        "'CUDA'.translate(table)",
        "read('CUDA')",
        "'CUDA' * 2",
        "'CUDA' - 'A'",
        "names['CUDA']",
        "'CUDA'[i]",
        "'CUDA'[0:4:2]",
        "'CUDA'[0]",
        "'CUDA'[a:b]",
        "str('CUDA', 'ascii')",
        "str(*['CUDA'])",
        "'CUDA'.replace('A')",
        "'CUDA'.lower(x)",
        "x.join(['CUDA'])",
        "'CUDA'.join(names)",
        "'CUDA'.join([])",
        "y + 'CUDA'",
    ],
)
def test_what_is_not_plain_is_not_known(expression: str) -> None:
    assert outermost(f"x = {expression}\n") == ""
    assert outermost("x = 'CUDA'.lower()\n") == "cuda"


def test_a_variable_that_is_given_one_value_is_followed() -> None:
    assert outermost("kind = 'CUDA'\nx.to(kind.lower())\n") == "cuda"


def test_a_variable_with_several_values_is_not() -> None:
    assert outermost("kind = 'CUDA'\nkind = read()\nx.to(kind.lower())\n") == ""
    assert outermost("kind = 'CUDA'\nx.to(kind.lower())\n") == "cuda"


def test_a_variable_that_depends_on_itself_ends() -> None:
    assert outermost("a = 'cu' + b\nb = a + 'x'\n").startswith("cu")


@pytest.mark.parametrize("repeated", [" + 'cu'", " 'cu'", ".replace('cu', 'cu')"])
def test_a_long_expression_is_left_soon(repeated: str) -> None:
    """The expressions around its first literal are looked at up to where they are too long for a name."""
    source = SourceFile("x = 'cu'" + repeated * 100 + "\n")
    found = list(composed_from(source.node_at(4, 8), source))
    assert all(len(item.text) <= 64 for item in found)


def test_the_items_of_a_percent_sign_count() -> None:
    assert outermost("x = 'AB%s' % ('CUDA',)\n") == "ABCUDA"
