"""The edit that silences a finding, wherever the finding is."""

from __future__ import annotations

from configparser import ConfigParser

import pytest
import yaml

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.checking import silenced as count_silenced
from gpu2ascend_rules.edits.offsets import apply_edits
from gpu2ascend_rules.edits.suppression import ignore_file, ignore_line
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU101"]})
CALL = "torch.cuda.empty_cache()"
PLACES = {
    "a line": f"{CALL}\n",
    "the last line, which no newline ends": CALL,
    "beside a comment": f"{CALL}  # frees memory\n",
    "beside a marker": f"{CALL}  # gpu2ascend: ignore[NPU110]\n",
    "beside a marker with a reason": f"{CALL}  # gpu2ascend: ignore[NPU110] wanted, see the wiki [1]\n",
    "beside a marker behind a comment": f"{CALL}  # noqa: E501  # gpu2ascend: ignore[NPU110]: wanted\n",
    "a continued line": f"x = {CALL} + \\\n  1\n",
    "the middle of continued lines": f"x = 1 + \\\n  {CALL} + \\\n  1\n",
    "a continued line with a marker at its end": f"x = {CALL} + \\\n  1  # gpu2ascend: ignore[NPU110] why\n",
    "a formatted string of several lines": f"x = f'''\n{{{CALL}}}\n'''\n",
    "the first line of a formatted string": f"x = f'''{{{CALL}}}\n'''\n",
    "the last line of a formatted string": f"x = f'''\n{{{CALL}}}'''\n",
    "a string with a marker at its end": f"x = f'''\n{{{CALL}}}\n'''  # gpu2ascend: ignore[NPU110]\n",
    "a formatted string within a call": f"print(f'''\n{{{CALL}}}\n''', 1)\n",
    "a string and a continuation": f"x = f'''\n{{{CALL}}}\n''' + \\\n  ''\n",
    "text of a string that reads like a marker": f"x = '# gpu2ascend: ignore[NPU110]', {CALL}\n",
    "Windows line ends": f"{CALL}\r\nx = 1\r\n",
}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_finding_is_silenced_and_the_code_is_the_same(place: str) -> None:
    source = SourceFile(f"import torch\n{place}")
    (finding,) = check(source, OPTIONS)
    edit = ignore_line(source, finding)
    assert edit is not None
    silenced = apply_edits(source.data, [edit]).decode()
    assert check(SourceFile(silenced), OPTIONS) == ()
    assert code_of(silenced) == code_of(source.text)


def code_of(text: str) -> bytes:
    return compile(text, "a.py", "exec").co_code


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_rule_is_silenced_in_the_file(place: str) -> None:
    source = SourceFile(f"import torch\n{place}")
    (finding,) = check(source, OPTIONS)
    silenced = apply_edits(source.data, [ignore_file(source, finding)]).decode()
    assert check(SourceFile(silenced), OPTIONS) == ()


def test_a_second_code_joins_the_first_before_the_reason() -> None:
    source = SourceFile(f"import torch\n{CALL}  # gpu2ascend: ignore[NPU110] wanted\n")
    (finding,) = check(source, OPTIONS)
    edit = ignore_line(source, finding)
    assert edit is not None
    line = apply_edits(source.data, [edit]).decode().split("\n")[1]
    assert line == f"{CALL}  # gpu2ascend: ignore[NPU110, NPU101] wanted"


CONTAINER = options_from({"version": "2.8.0", "select": ["NPU1004"]})
INSTRUCTIONS = {
    "the first line": "RUN nvidia-smi\n",
    "behind directives": "# syntax=docker/dockerfile:1\nRUN nvidia-smi\n",
    "behind another instruction": "FROM a\n  RUN nvidia-smi",
    "a continued instruction": "FROM a\nRUN ls && \\\n  cd /x && \\\n  nvidia-smi\n",
    "a continued instruction with comments": "FROM a\nRUN ls && \\\n# why\n  nvidia-smi\n",
    "a list of words": 'FROM a\r\nCMD ["nvidia-smi"]\r\n',
    "a script that is put in": "FROM a\nRUN <<EOF\nls\nnvidia-smi\nEOF\n",
    "below a comment": "FROM a\n# to see the cards\nRUN nvidia-smi\n",
    "below a marker": "FROM a\n# gpu2ascend: ignore[NPU1301] wanted\n# to see the cards\nRUN nvidia-smi\n",
}


@pytest.mark.parametrize("text", INSTRUCTIONS.values(), ids=INSTRUCTIONS)
def test_a_comment_above_an_instruction_silences_it(text: str) -> None:
    file = text_file(text, "Dockerfile")
    (finding,) = check(file, CONTAINER)
    for edit in (ignore_line(file, finding), ignore_file(file, finding)):
        assert edit is not None
        silenced = apply_edits(file.data, [edit]).decode()
        assert check(text_file(silenced, "Dockerfile"), CONTAINER) == ()
        assert [line for line in silenced.splitlines() if not line.strip().startswith("#")] == [
            line for line in text.splitlines() if not line.strip().startswith("#")
        ]
        assert not text.startswith("# syntax") or silenced.startswith("# syntax")


@pytest.mark.parametrize(
    "text",
    [
        "# gpu2ascend: ignore[NPU1004]\nFROM a\nRUN nvidia-smi\n",
        "# gpu2ascend: ignore[NPU1004]\n\nRUN nvidia-smi\n",
        "# gpu2ascend: ignore[NPU1301]\nRUN nvidia-smi\n",
        "RUN nvidia-smi\n# gpu2ascend: ignore[NPU1004]\n",
    ],
)
def test_a_comment_that_is_not_directly_above_silences_nothing(text: str) -> None:
    assert len(check(text_file(text, "Dockerfile"), CONTAINER)) == 1


def test_a_comment_between_the_lines_of_an_instruction_is_for_the_next_line() -> None:
    text = "RUN nvidia-smi && \\\n# gpu2ascend: ignore[NPU1004]\n  nvidia-smi\n"
    (finding,) = check(text_file(text, "Dockerfile"), CONTAINER)
    assert finding.start == len("RUN ")


SETTING = "CUDA_VISIBLE_DEVICES=0 python a.py"
VALUES = {
    "the folded block of a configuration": ("a.yaml", f"a:\n  cmd: >\n    {SETTING}\n    --x 1\n  b: 1\n"),
    "the literal block of a configuration": ("a.yaml", f"a:\n  - |\n    ls\n    {SETTING}\n    ls\n"),
    "the last block of a configuration": ("a.yaml", f"cmd: >-\n  {SETTING}"),
    "a block of a service": ("compose.yaml", f"services:\n  a:\n    command: >\n      {SETTING}\n      -x\n"),
    "a value of an INI file": ("a.ini", f"[a]\ncmd = {SETTING}\n"),
    "a further line of a value of an INI file": ("a.ini", f"[a]\ncmd =\n  ls\n  {SETTING}\n  ls\n"),
}


def values_of(name: str, text: str) -> object:
    if not name.endswith(".ini"):
        return yaml.safe_load(text)
    parser = ConfigParser()
    parser.read_string(text)
    return {section: dict(parser[section]) for section in parser}


@pytest.mark.parametrize(("name", "text"), VALUES.values(), ids=VALUES)
def test_a_comment_leaves_the_values_of_a_configuration(name: str, text: str) -> None:
    options = options_from({"version": "2.8.0", "select": ["NPU1013"]})
    file = text_file(text, name)
    (finding,) = check(file, options)
    edit = ignore_line(file, finding)
    assert edit is not None
    silenced = apply_edits(file.data, [edit]).decode()
    assert check(text_file(silenced, name), options) == ()
    assert values_of(name, silenced) == values_of(name, text)


def test_a_comment_behind_a_value_of_an_ini_file_silences_it_still() -> None:
    options = options_from({"version": "2.8.0", "select": ["NPU1201"]})
    text = "[a]\ndevice = cuda{}\n"
    assert len(check(text_file(text.format(""), "a.ini"), options)) == 1
    assert check(text_file(text.format("  # gpu2ascend: ignore[NPU1201]"), "a.ini"), options) == ()


def test_what_comments_in_a_part_silence_is_counted() -> None:
    options = options_from({"version": "2.8.0", "select": ["NPU110"]})
    mark = "  # gpu2ascend: ignore[NPU110]"
    text = f"python - <<E\nimport torch\ntorch.zeros(1).cuda(){mark}\nE\npython -c 'torch.ones(1).cuda()'\n"
    assert count_silenced(text_file(text, "a.sh"), options).on_lines == 1
    assert count_silenced(text_file(text.replace(mark, ""), "a.sh"), options).on_lines == 0


@pytest.mark.parametrize(
    ("text", "silenced"),
    [
        ("NCCL_DEBUG = INFO\n", "# gpu2ascend: ignore[NPU1001]\nNCCL_DEBUG = INFO\n"),
        ("export NCCL_DEBUG := INFO\n", "# gpu2ascend: ignore[NPU1001]\nexport NCCL_DEBUG := INFO\n"),
        ("a:\n\tNCCL_DEBUG=INFO ls\n", "a:\n\tNCCL_DEBUG=INFO ls  # gpu2ascend: ignore[NPU1001]\n"),
    ],
)
def test_a_comment_adds_no_blanks_to_a_variable_of_make(text: str, silenced: str) -> None:
    options = options_from({"version": "2.8.0", "select": ["NPU1001"]})
    file = text_file(text, "Makefile")
    (finding,) = check(file, options)
    edit = ignore_line(file, finding)
    assert edit is not None and apply_edits(file.data, [edit]).decode() == silenced
    assert check(text_file(silenced, "Makefile"), options) == ()
