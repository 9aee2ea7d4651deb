"""What expressions make of literals."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.flow import device_flow
from gpu2ascend_rules.flow.tracing.texts import Texts
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.probing import OPTIONS


def given(code: str) -> str:
    """What the expression gives that the last statement of a text is, or assigns."""
    source = SourceFile(code)
    statement = source.root.named_children[-1].named_children[0]
    return Texts(source).of(statement.child_by_field_name("right") or statement)


def becoming(code: str, literal: str) -> list[str]:
    """The names of devices that expressions make of a literal."""
    source = SourceFile(code)
    start = code.index(literal)
    node = source.node_at(start, start + len(literal))
    assert node is not None
    return [text for _, text in device_flow(Context(source, OPTIONS)).becoming(node)]


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("'CUDA'.lower()", "cuda"),
        ("'cuda '.strip()", "cuda"),
        ("'cuda!'.rstrip('!')", "cuda"),
        ("'cu' + 'da' + ':0'", "cuda:0"),
        ("('cu' 'da')", "cuda"),
        ("'cuda' * use_gpu", "cuda"),
        ("'cuda' * 2", "{}"),
        ("'cu%s' % 'da'", "cuda"),
        ("'%s:%d' % ('CUDA', 0)", "CUDA:0"),
        ("'{}:{}'.format('cuda', 1)", "cuda:1"),
        ("f\"{'CUDA'.lower()}:{i}\"", "cuda:{}"),
        ("'a'.join(['cud', ''])", "cuda"),
        ("b'cuda'.decode('ascii')", "cuda"),
        ("str('cuda0'[:4])", "cuda"),
        ("'cuXda'.replace('X', '')", "cuda"),
        ("'CUDA'.lower() + ':' + str(i)", "cuda:{}"),
        ("'cuda:' + str(i + 1)", "cuda:{}"),
        ("'cuda:%d' % (1 + i)", "cuda:{}"),
        ("'cuda:{}'.format(i + j)", "cuda:{}"),
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
    assert given(f"x = {expression}\n") == text


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
    assert given(f"x = {expression}\n").startswith("{}")
    assert given("x = 'CUDA'.lower()\n") == "cuda"


def test_a_variable_that_is_given_one_value_is_known() -> None:
    assert given("kind = 'CUDA'\nkind.lower()\n") == "cuda"


def test_a_variable_with_several_values_is_not() -> None:
    assert given("kind = 'CUDA'\nkind = read()\nkind.lower()\n") == "{}"


def test_a_variable_that_depends_on_itself_ends() -> None:
    assert given("a = 'cu' + b\nb = a + 'x'\n").startswith("cu")


@pytest.mark.parametrize("repeated", [" + 'cu'", " 'cu'", ".replace('cu', 'cu')"])
def test_the_begin_of_a_long_expression_is_not_known(repeated: str) -> None:
    assert given("x = 'cu'" + repeated * 100 + "\n").startswith("{}")


def test_the_items_of_a_percent_sign_count() -> None:
    assert given("x = 'AB%s' % ('CUDA',)\n") == "ABCUDA"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        pytest.param("kind = 'CUDA'\nx.to(kind.lower())\n", ["cuda"], id="by a name"),
        pytest.param("x.to('CUDA'.lower() + ':1')\n", ["cuda", "cuda:1"], id="in two steps"),
        pytest.param("def f(kind): x.to(kind.lower())\nf('CUDA')\n", ["cuda"], id="through a call"),
        pytest.param("x.to(y + 'CUDA'.lower())\n", ["cuda"], id="behind something else"),
        pytest.param("x.to('CUDA')\n", [], id="as it is"),
    ],
)
def test_a_literal_becomes_the_name_of_a_device(code: str, found: list[str]) -> None:
    assert becoming(code, "'CUDA'") == found
