"""Container files are read as builders read them, with the place of each part."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.dockerfile.places import BaseImage
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.kinds.shell.places import Command, Variable


def places(text: str) -> list[tuple[str, str]]:
    """The places of a file: what sort, and the text at the span."""
    file = text_file(text, "Dockerfile")
    data = text.encode()
    return [(type(place).__name__, data[place.start : place.end].decode()) for place in file.places()]


@pytest.mark.parametrize("name", ["Dockerfile", "docker/Dockerfile.gpu", "train.dockerfile", "Containerfile"])
def test_names(name: str) -> None:
    assert type(text_file("FROM a\n", name)).__name__ == "Dockerfile"


@pytest.mark.parametrize("name", ["docker.py", "dockerfiles.md", "docker-compose.yml", "Dockerfile/x.txt"])
def test_other_names(name: str) -> None:
    assert type(text_file("", name)).__name__ != "Dockerfile"


@pytest.mark.parametrize(
    "text",
    [
        "FROM nvidia/cuda:12\n",
        "from   nvidia/cuda:12 as build",
        "# syntax=docker/dockerfile:1\n\nFROM --platform=linux/amd64 nvidia/cuda:12 AS build\r\n",
        "FROM \\\n  # why\n  nvidia/cuda:12\n",
        "# escape=`\nFROM `\n nvidia/cuda:12\n",
        "ARG BASE=nvidia/cuda:12\nFROM ${BASE}\n",
        'ARG BASE="nvidia/cuda:12"\nFROM $BASE AS x\n',
    ],
)
def test_the_image_of_a_stage(text: str) -> None:
    assert ("BaseImage", "nvidia/cuda:12") in places(text)


def test_an_image_that_nothing_says_is_as_it_is_written() -> None:
    (place,) = text_file("FROM ${BASE}:${TAG}\n", "Dockerfile").places()
    assert isinstance(place, BaseImage) and place.name == "${BASE}:${TAG}"


def test_variables_of_the_image() -> None:
    text = 'ENV A=1 B="x y" \\\n    C=$A\nENV CUDA_HOME /usr/local/cuda\n'
    found = [place for place in text_file(text, "Dockerfile").places() if isinstance(place, Variable)]
    assert [(place.name, place.value.text if place.value else None) for place in found] == [
        ("A", "1"),
        ("B", "x y"),
        ("C", None),
        ("CUDA_HOME", "/usr/local/cuda"),
    ]


def test_shell_code_has_its_place_also_behind_comments_between_lines() -> None:
    run = "RUN --mount=type=cache,target=/x apt update && \\\n# why\n\n    nvidia-smi -L\n"
    text = f"FROM a\n{run}CMD python é.py\n"
    assert [found for found in places(text) if found[0] == "Command"] == [
        ("Command", "apt update"),
        ("Command", "nvidia-smi -L"),
        ("Command", "python é.py"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "RUN <<EOF\n#!/usr/bin/env python3\nnvidia-smi\nEOF\n",
        "COPY <<EOF /x\nnvidia-smi\nEOF\n",
        "LABEL a=nvidia-smi\n",
        "# nvidia-smi\n",
    ],
)
def test_what_is_no_shell_code_of_an_instruction(text: str) -> None:
    assert not any(isinstance(place, Command) for place in text_file(text, "Dockerfile").places())


@pytest.mark.parametrize(
    "text",
    [
        'CMD ["nvidia-smi", "-L"]\n',
        'RUN [ "nvidia-smi",\\\n   "-L" ]\r\n',
        'ENTRYPOINT ["bash", "-c", "cd /é && nvidia-smi -L"]\n',
        "RUN <<EOF\ncd /é\nnvidia-smi -L\nEOF\n",
        "RUN --mount=type=tmpfs,target=/x <<-'END'\n\tnvidia-smi -L\n\tEND\n",
        "RUN <<EOF\n#!/bin/bash -e\nnvidia-smi -L\nEOF\n",
    ],
)
def test_commands_in_lists_and_in_scripts_that_are_put_in(text: str) -> None:
    found = [place for place in text_file(text, "Dockerfile").places() if isinstance(place, Command)]
    (command,) = (place for place in found if place.program == "nvidia-smi")
    assert [word.text for word in command.words] == ["nvidia-smi", "-L"]
    spans = [text.encode()[word.start : word.end].decode().strip("\"'") for word in command.words]
    assert spans == ["nvidia-smi", "-L"]


def test_only_the_words_of_a_list_are_written_as_a_list() -> None:
    text = 'CMD ["bash", "-c", "nvidia-smi"]\n'
    found = [place for place in text_file(text, "Dockerfile").places() if isinstance(place, Command)]
    assert [(place.program, place.is_list) for place in found] == [("bash", True), ("nvidia-smi", False)]


def test_an_instruction_behind_a_here_document_is_seen() -> None:
    assert places("COPY <<EOF /x\nFROM x\nEOF\nFROM b\n") == [("BaseImage", "b")]


@pytest.mark.parametrize(
    "text",
    ["", "\\", "FROM", "FROM \\", "ENV", "ENV =", "RUN", "RUN (", "\0\ufeff", "ARG A=\nFROM $A", "RUN <<A"],
)
def test_any_text_is_survived(text: str) -> None:
    data = text.encode()
    assert all(0 <= place.start <= place.end <= len(data) for place in text_file(text, "Dockerfile").places())  # type: ignore[attr-defined]
