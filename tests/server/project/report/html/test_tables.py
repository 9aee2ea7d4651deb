"""Tables of the page: every row has a cell for each column, and the first is its heading."""

from __future__ import annotations

import pytest

from gpu2ascend.project.report.html.tables import Column, table

COLUMNS = (Column("File", "path"), Column("Count", "number"), Column("Why"))


def test_a_cell_has_the_kind_of_its_column_and_the_first_is_the_heading_of_the_row() -> None:
    html = table("what", COLUMNS, [("a.py", "3", "so")])
    assert '<th scope="row" class="path">a.py</th><td class="number">3</td><td>so</td>' in html
    assert html.count("<tr") == 2 and "<caption>what</caption>" in html


@pytest.mark.parametrize("cells", [("a.py",), ("a.py", "3"), ("a.py", "3", "so", "more")])
def test_a_row_with_more_or_fewer_cells_than_columns_is_a_mistake(cells: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="zip"):
        table("what", COLUMNS, [cells])
