"""The texts that an annotation admits."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.flow.templates import literal_texts
from gpu2ascend_rules.text.source_file import SourceFile
from gpu2ascend_rules.text.syntax import field


@pytest.mark.parametrize(
    ("annotation", "texts"),
    [
        ("Literal['cuda', 'cpu']", {"cuda", "cpu"}),
        ("typing.Literal['cuda']", {"cuda"}),
        ("Optional[Literal['cuda']]", {"cuda"}),
        ("Literal['cuda'] | None", {"cuda"}),
        ("Union[Literal['cuda'], Literal['cpu'], int]", {"cuda", "cpu"}),
        ("list[Literal['cuda', 'cpu']]", {"cuda", "cpu"}),
        ("Annotated[Literal['cuda'], 'cpu']", {"cuda"}),
        ("Annotated[str, 'cuda']", set()),
        ("list['Device']", set()),
        ("Optional['cuda']", set()),
        ("'cuda'", set()),
        ("Field('cuda')", set()),
        ("str", set()),
    ],
)
def test_the_texts_of_an_annotation_are_those_of_its_literals(annotation: str, texts: set[str]) -> None:
    source = SourceFile(f"x: {annotation} = y\n")
    statement = source.root.named_children[0].named_children[0]
    given = field(statement, "type")
    assert given is not None
    assert set(literal_texts(given)) == texts
