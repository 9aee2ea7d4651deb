"""What a message is depends on the fields that JSON-RPC gives it, whatever JSON is in them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import ErrorCodes

from gpu2ascend.lsp.startup.shapes import Kind, Shape, shape_of
from tests.server.lsp.any_json import ODD_VALUES, messages


def shape(**fields: object) -> Shape:
    return shape_of(json.dumps({"jsonrpc": "2.0", **fields}).encode())


NO_IDS = [value for value in ODD_VALUES if not isinstance(value, (int, str)) or isinstance(value, bool)]
NO_METHODS = [value for value in ODD_VALUES if not isinstance(value, str)]
NO_PARAMETERS = [value for value in ODD_VALUES if not isinstance(value, (dict, list, type(None)))]


@pytest.mark.parametrize("number", [0, -7, 2**70, "", "a"], ids=repr)
def test_a_request_has_an_id_of_the_protocol(number: object) -> None:
    assert shape(id=number, method="x")[:3] == (
        Kind.REQUEST,
        {"jsonrpc": "2.0", "id": number, "method": "x"},
        number,
    )


@pytest.mark.parametrize("number", NO_IDS, ids=repr)
def test_a_request_with_another_id_is_refused_without_one(number: object) -> None:
    assert shape(id=number, method="x")[2:4] == (None, ErrorCodes.InvalidRequest)


@pytest.mark.parametrize("method", NO_METHODS, ids=repr)
def test_a_method_that_is_no_string_is_refused(method: object) -> None:
    assert shape(id=3, method=method)[2:4] == (3, ErrorCodes.InvalidRequest)


@pytest.mark.parametrize("value", NO_PARAMETERS, ids=repr)
def test_parameters_are_an_object_or_an_array(value: object) -> None:
    assert shape(id=3, method="x", params=value)[2:4] == (3, ErrorCodes.InvalidParams)
    assert shape(method="x", params=value).kind is Kind.IGNORED


def test_a_notification_with_an_id_is_refused_since_who_sends_an_id_waits() -> None:
    assert shape(id=3, method="textDocument/didOpen", params={})[2:4] == (3, ErrorCodes.InvalidRequest)


@pytest.mark.parametrize("method", ["textDocument/hover", "shutdown", "gpu2ascend/migrate"])
def test_a_request_without_an_id_is_ignored_since_its_answer_would_reach_nobody(method: str) -> None:
    assert shape(method=method, params={}).kind is Kind.IGNORED


@pytest.mark.parametrize("fields", [{"error": {}}, {"result": 1}, {}], ids=repr)
@pytest.mark.parametrize("number", NO_IDS, ids=repr)
def test_an_answer_without_an_id_is_ignored(number: object, fields: dict[str, object]) -> None:
    assert shape(id=number, **fields).kind is Kind.IGNORED


def test_an_error_that_is_null_beside_a_result_is_none() -> None:
    assert shape(id=3, result=[1], error=None).data == {"jsonrpc": "2.0", "id": 3, "result": [1]}
    assert "error" in shape(id=3, error=None).data


@pytest.mark.parametrize("version", [*ODD_VALUES, "1.0"], ids=repr)
def test_another_version_is_refused(version: object) -> None:
    assert shape(id=3, method="x", jsonrpc=version)[2:4] == (3, ErrorCodes.InvalidRequest)


@pytest.mark.parametrize("body", [b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"x"}]', b"3", b"null", b'"x"'])
def test_what_is_no_object_is_refused_as_a_whole(body: bytes) -> None:
    assert shape_of(body)[2:4] == (None, ErrorCodes.InvalidRequest)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 10_000], ids=len)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    assert shape_of(body)[2:4] == (None, ErrorCodes.ParseError)


@given(messages() | st.binary())
def test_any_bytes_have_a_shape(body: bytes) -> None:
    assert shape_of(body).kind in Kind
