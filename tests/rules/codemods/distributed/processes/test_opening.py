"""A file that one process alone has is the null device in the others, where that has all it is asked for."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.rules.codemods.distributed.conversion import Converted, converted, script

IMPORTS = "import bz2, codecs, fcntl, gzip, io, mmap, os, sys, tarfile\nfrom PIL import Image\n"
NOWHERE = "if is_main_process() else os.devnull"


def after_training(lines: str, before: str = "") -> Converted:
    """A script with lines after its loop."""
    return converted(script(body=indent(lines, "    "), before=IMPORTS + before))


@pytest.mark.parametrize(
    "rest",
    [
        "open(p$, 'w')",
        "open(p$, mode='wb')",
        "open(p$, 'bw')",
        "io.open(p$, 'a')",
        "gzip.open(p$, 'wt')",
        "bz2.open(p$, 'wb')",
        "codecs.open(p$, 'w', 'utf-8')",
    ],
)
def test_functions_are_given_the_mode_after_the_path(rest: str) -> None:
    done = after_training(f"f = {rest.replace('$', '')}\n")
    assert f"    f = {rest.replace('$', f' {NOWHERE}')}\n" in done.text
    assert not done.left


@pytest.mark.parametrize("opened", ["p.open('w')", "p.open(mode='a')", "(folder / 'a').open('wb')"])
def test_the_method_of_a_path_is_given_the_mode_first(opened: str) -> None:
    done = after_training(f"with {opened} as f:\n    f.write('a')\n")
    assert f"    if is_main_process():\n        with {opened} as f:\n" in done.text


@pytest.mark.parametrize(
    "opened",
    [
        "gzip.open('a/weights.gz', 'r')",
        "gzip.open('weights.gz')",
        "open('weights.txt')",
        "Image.open('w.png')",
        "tarfile.open('a', 'r')",
        "archive.open('weights.txt')",
        "p.open()",
    ],
)
def test_what_is_opened_to_read_stays(opened: str) -> None:
    lines = f"with {opened} as f:\n    step(f)\n"
    done = after_training(lines)
    assert indent(lines, "    ") in done.text and not done.left


@pytest.mark.parametrize("opened", ["open(p, 'w+')", "open(p, 'x')", "open(p, 'a' if resumed else 'w')"])
def test_what_is_not_only_written_is_said(opened: str) -> None:
    done = after_training(f"f = {opened}\n")
    assert f"    f = {opened}\n" in done.text and done.left == ["NPU426.unsure"]


ASKED = ("os.fsync(f.fileno())", "f.truncate()", "mmap.mmap(f.fileno(), 9)", "fcntl.flock(f, fcntl.LOCK_EX)")


@pytest.mark.parametrize("asked", ASKED)
def test_what_the_null_device_has_not_is_said(asked: str) -> None:
    for lines in (
        f"with open(p, 'wb') as f:\n    step(x)\n    {asked}\n",
        f"f = open(p, 'wb')\nstep(x)\n{asked}\n",
    ):
        done = after_training(lines)
        assert indent(lines, "    ") in done.text and done.left == ["NPU426.unsure"]


def test_also_where_a_function_is_given_the_file() -> None:
    before = "def to_disk(g):\n    os.fsync(g.fileno())\n"
    done = after_training("f = open(p, 'w')\nto_disk(f)\n", before)
    assert "devnull" not in done.text and done.left == ["NPU426.unsure"]


@pytest.mark.parametrize(
    "before",
    [
        "def keep(s):\n    with open(q, 'wb') as g:\n        g.write(s)\n        os.fsync(g.fileno())\n",
        "terminal = sys.stdout.fileno()\n",
    ],
)
def test_what_is_asked_of_another_file_does_not_matter(before: str) -> None:
    assert f"    f = open(p {NOWHERE}, 'w')\n" in after_training("f = open(p, 'w')\n", before).text
