"""The dynamic symbols of a library are read without a tool."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gpu2ascend_simulator.cann.elf import Library, NotElf, Symbol
from tests.simulator.cann.libraries import library

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other libraries")

TEXT = """
#include <stdlib.h>
int absent(int);
__attribute__((weak)) int perhaps(int);
int own(int value) { return absent(value) + (perhaps ? perhaps(value) : abs(rand())); }
"""


@pytest.fixture
def symbols(tmp_path: Path) -> dict[str, Symbol]:
    return {symbol.name: symbol for symbol in Library(library(tmp_path / "a.so", TEXT)).symbols()}


def test_what_a_library_defines(symbols: dict[str, Symbol]) -> None:
    assert [name for name, symbol in symbols.items() if symbol.is_defined] == ["own"]


def test_what_it_needs_from_others(symbols: dict[str, Symbol]) -> None:
    assert symbols["absent"] == Symbol("absent", is_defined=False, is_weak=False, is_versioned=False)


def test_what_it_can_do_without(symbols: dict[str, Symbol]) -> None:
    assert symbols["perhaps"].is_weak


def test_what_the_system_has_is_known_by_its_version(symbols: dict[str, Symbol]) -> None:
    assert symbols["rand"].is_versioned


def test_libraries_that_it_is_linked_with(tmp_path: Path) -> None:
    library(tmp_path / "libother.so", "int other;")
    made = library(tmp_path / "a.so", TEXT, f"-L{tmp_path}", "-Wl,--no-as-needed", "-lother")
    assert "libother.so" in Library(made).needed()


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", b"\x7fELF\x02\x01", b"\x7fELF\x01\x01" + bytes(64)])
def test_what_is_no_library(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.so"
    path.write_bytes(content)
    with pytest.raises(NotElf):
        Library(path)
