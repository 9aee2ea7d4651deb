"""URIs of documents: one key however a client spells it, and the path if it is a file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpu2ascend.lsp.conversion.uris import document_key, path_of, uri_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///a%20b.py", "file:///a b.py"),
        ("FILE:///a.py", "file:///a.py"),
        ("file://localhost/a.py", "file:///a.py"),
        ("file:///C:/a.py", "file:///c%3A/a.py"),
        ("file://C:/a.py", "file://c:/a.py"),
        ("untitled:a%20b", "untitled:a b"),
        ("a%20b", "a b"),
    ],
)
def test_spellings_of_one_document_have_one_key(one: str, other: str) -> None:
    assert document_key(one) == document_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("file:///a.py", "file:///A.py"),
        ("file:///C/a.py", "file:///c/a.py"),
        ("untitled:/C:/a", "untitled:/c:/a"),
        ("file://localhosts/a.py", "file:///a.py"),
        ("untitled://localhost/a", "untitled:///a"),
        ("file:///a.py", "vscode-notebook-cell:///a.py"),
    ],
)
def test_other_documents_have_other_keys(one: str, other: str) -> None:
    assert document_key(one) != document_key(other)


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", Path("/a/b.py")),
        ("FILE:///a%20b.py", Path("/a b.py")),
        ("file://localhost/a.py", Path("/a.py")),
        ("file://host/a.py", None),
        ("file:///a%00.py", None),
        ("file:", None),
        ("file://", None),
        ("untitled:Untitled-1", None),
        ("http:///a.py", None),
        ("file://[::1", None),
        ("", None),
    ],
)
def test_the_path_of_a_document_that_is_a_file(uri: str, path: Path | None) -> None:
    assert path_of(uri) == path


@pytest.mark.skipif(os.name == "nt", reason="paths of POSIX")
@pytest.mark.parametrize(
    "name", ["a.py", "a b.py", "数据.py", "a#b?c%d.py", os.fsdecode(b"\xff.py"), "a:b@c.py"]
)
def test_a_path_comes_back_from_its_uri(name: str) -> None:
    path = Path("/dir") / name
    uri = uri_of(path)
    assert uri.startswith("file:///dir/") and uri.isascii() and " " not in uri
    assert path_of(uri) == path
