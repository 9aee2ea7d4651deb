"""The table of calls that are given paths says what the signatures say."""

from __future__ import annotations

import pytest

from tools.path_parameters import main, positions_of


def test_the_table_agrees_with_what_is_installed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--check"]) == 0, capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "parameters", "positions"),
    [
        ("shutil.copy", ("src", "dst"), ["0", "1"]),
        ("open", ("file",), ["0"]),
        ("os.listdir", ("folder",), ["missing"]),
        ("no_such_package.load", ("path",), None),
        (".to_csv", ("path",), None),
    ],
)
def test_positions_are_read_from_the_signature(
    name: str, parameters: tuple[str, ...], positions: list[str] | None
) -> None:
    assert positions_of(name, parameters) == positions
