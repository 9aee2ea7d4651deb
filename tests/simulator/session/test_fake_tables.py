"""Well-known files of numbers are made up where they are not here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gpu2ascend_simulator.session.fake_data import rows
from gpu2ascend_simulator.session.fake_data.tables import make_up_tables


class Frame:
    """As a data frame of pandas."""

    def __init__(self, values: Any, columns: list[str]) -> None:
        self.columns, self.shape = columns, values.shape

    def __len__(self) -> int:
        return int(self.shape[0])

    def insert(self, place: int, name: str, values: Any) -> None:
        """Put a column in."""
        self.columns.insert(place, name)


class Dates(list[str]):
    """As dates of pandas."""

    def strftime(self, format: str) -> Dates:
        """The same as texts."""
        return self


class Pandas:
    """As the module, which reads the text of a file."""

    DataFrame = Frame

    def __init__(self) -> None:
        self.read_csv: Any = lambda path: Path(path).read_text()

    def date_range(self, first: str, periods: int, freq: str) -> Dates:
        """Dates that are not asked for."""
        return Dates()


@pytest.fixture
def pandas() -> Pandas:
    """The module, changed; what it noted is in ``noted``."""
    pytest.importorskip("numpy")
    made: Any = Pandas()
    made.noted = []
    make_up_tables(made, made.noted.append)
    return made  # type: ignore[no-any-return]


def test_a_well_known_file_has_its_rows_and_columns(pandas: Any) -> None:
    made = pandas.read_csv("nowhere/exchange_rate.csv")
    assert made.shape == (7588, 8)
    assert made.columns == ["date", "0", "1", "2", "3", "4", "5", "6", "OT"]
    assert pandas.noted == ["pandas exchange_rate.csv (7588 rows)"]


def test_what_is_here_is_read(pandas: Any, tmp_path: Path) -> None:
    (tmp_path / "ETTh1.csv").write_text("real")
    assert (pandas.read_csv(tmp_path / "ETTh1.csv"), pandas.noted) == ("real", [])


def test_of_an_unknown_file_nothing_is_made_up(pandas: Any) -> None:
    with pytest.raises(FileNotFoundError):
        pandas.read_csv("nowhere/own.csv")


def test_every_row_of_the_table_is_whole() -> None:
    assert {len(row) for row in rows("files.tsv")} == {4}
