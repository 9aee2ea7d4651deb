"""What a statement gives a name or an attribute."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import text_of
from gpu2ascend_rules.text.uses import values_of_attribute


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = 1\nf(x)\n", "1"),
        ("def f(x=1):\n    f(x)\n", ""),
        ("x = 1\nx = 2\nf(x)\n", ""),
        ("for x in y:\n    f(x)\n", ""),
        ("def g():\n    x = 1\nf(x)\n", ""),
    ],
)
def test_the_only_value_of_a_variable_is_that_of_its_one_assignment(text: str, value: str) -> None:
    source = SourceFile(text)
    read = source.identifiers("x")[-1]
    assert text_of(source.names.only_value(read)) == value


def test_the_values_of_an_attribute_are_assigned_where_it_is_written_the_same() -> None:
    source = SourceFile("self.a = 1\nself.a = b = 2\nother.a = 3\nself.a += 4\nf(self.a)\n")
    read = source.identifiers("a")[-1].parent
    assert read is not None
    assert list(map(text_of, values_of_attribute(read, source))) == ["1", "b = 2"]
