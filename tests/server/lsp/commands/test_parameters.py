"""Parameters of commands may be any JSON: what is of another type counts as missing, or is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu2ascend.lsp.commands.parameters import Parameters, location_of
from gpu2ascend.project.errors import ProjectError


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ((), {}),
        (({"a": 1},), {"a": 1}),
        (({"a": 1}, {"b": 2}), {"a": 1}),
        ((None,), {}),
        (("text",), {}),
        (([{"a": 1}],), {}),
    ],
)
def test_the_first_argument_has_them(arguments: tuple[object, ...], values: dict[str, object]) -> None:
    assert Parameters.of(*arguments).values == values


@pytest.mark.parametrize(("value", "text"), [("a", "a"), ("", None), (3, None), (None, None), (["a"], None)])
def test_a_text(value: object, text: str | None) -> None:
    assert Parameters.of({"x": value}).text("x") == text


@pytest.mark.parametrize(("value", "mapping"), [({"a": 1}, {"a": 1}), ([1], {}), (None, {}), ("a", {})])
def test_an_object(value: object, mapping: dict[str, object]) -> None:
    assert Parameters.of({"x": value}).mapping("x") == mapping
    assert Parameters.of({}).mapping("x") == {}


@pytest.mark.parametrize("token", [1, "token", None])
def test_the_token_is_the_clients_own(token: object) -> None:
    assert Parameters.of({"workDoneToken": token}).token == token


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
@pytest.mark.parametrize(
    ("value", "path"),
    [
        ("/a/b", Path("/a/b")),
        ("file:///a%20b", Path("/a b")),
        ("/file:a", Path("/file:a")),
        ("a/b", None),
        ("file:a", None),
        ("file://host/a", None),
        ("/a\0b", None),
        ("untitled:a", None),
        ("", None),
        (3, None),
        (None, None),
    ],
)
def test_a_place_is_an_absolute_path_or_the_uri_of_one(value: object, path: Path | None) -> None:
    assert location_of(value) == path
    if value is None:
        assert Parameters.of({"x": value}).path("x") is None
    elif path is not None:
        assert Parameters.of({"x": value}).path("x") == path
    else:
        with pytest.raises(ProjectError) as caught:
            Parameters.of({"x": value}).path("x")
        assert caught.value.message.id == "lsp.bad_location"


def test_of_what_is_no_place_the_beginning_is_told() -> None:
    with pytest.raises(ProjectError) as caught:
        Parameters.of({"x": "a" * 500}).path("x")
    assert dict(caught.value.message.arguments)["value"] == "'" + "a" * 199
