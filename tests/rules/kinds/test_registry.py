"""A file's kind shows in its name, else in its begin, else in what an editor calls its language."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.kinds.kind import KindFile
from gpu2ascend_rules.kinds.registry import all_kinds, kind_called, kind_file, kind_of, text_file
from gpu2ascend_rules.text.source_file import SourceFile


@pytest.mark.parametrize("path", ["run.sh", "a/b/RUN.SH", "job.sbatch", "job.slurm", "job.sb", "x.bash"])
def test_a_name_shows_the_kind(path: str) -> None:
    found = kind_of(path)
    assert found is not None and found.name == "shell"


@pytest.mark.parametrize(
    ("path", "name"),
    [("job.yaml-template", "yaml"), ("a/run.sh.j2", "shell"), ("Dockerfile.tmpl", "dockerfile")],
)
def test_a_template_is_of_the_kind_of_what_is_made_of_it(path: str, name: str) -> None:
    found = kind_of(path)
    assert found is not None and found.name == name
    assert kind_of("train.py.j2") is None


@pytest.mark.parametrize(
    "line", ["#!/bin/bash", "#!/usr/bin/env bash", "#!/bin/sh -e", "#! /usr/bin/env -S zsh -f"]
)
def test_the_first_line_shows_the_kind_where_the_name_has_no_suffix(line: str) -> None:
    found = kind_of("bin/launch", f"{line}\nexit\n")
    assert found is not None and found.name == "shell"


@pytest.mark.parametrize(
    "text",
    [
        "# LLaMA with LoRA\nCUDA_VISIBLE_DEVICES=0 python finetune.py --lr 1\n",
        "\nWORLD_SIZE=2 A=1 torchrun --nproc_per_node=2 train.py\n",
        "python -m pkg.train\n",
        "sbatch run.sh\n",
    ],
)
def test_a_list_of_commands_that_start_programs_is_a_script(text: str) -> None:
    found = kind_of("commands", text)
    assert found is not None and found.name == "shell"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("commands.txt", "python train.py\n"),
        ("NOTES", "python is slow, train.py even more\n"),
        ("NOTES", "# Notes\nStart it with python train.py\n"),
        ("notes.txt", "#!/bin/bash\n"),
        ("launch", "#!/usr/bin/env python3\n"),
        ("launch", "echo #!/bin/bash\n"),
        ("a.py", "#!/bin/bash\n"),
        ("LICENSE", "Apache\n"),
    ],
)
def test_what_shows_no_kind_has_none(path: str, text: str) -> None:
    assert kind_of(path, text) is None
    assert isinstance(text_file(text, path), SourceFile)


def test_an_editor_says_what_a_document_without_a_name_is() -> None:
    found = kind_file("", "echo\n", "shellscript")
    assert isinstance(found, KindFile) and found.kind is kind_called("shell")


@pytest.mark.parametrize("kind", all_kinds(), ids=lambda kind: kind.name)
def test_every_kind_parses_any_text_and_gives_only_places_of_its_classes(kind) -> None:  # type: ignore[no-untyped-def]
    for text in ("", "a: [b\n", "{", "export A=$(\n", "[x]\ny = 'z\n", "\0\udcff\n", "RUN a && \\\n"):
        file = kind.file(kind, text)
        for place in file.places():
            assert type(place) in kind.places
            assert 0 <= place.start <= place.end <= len(file.data)
