"""Numbers that count the letters of a device's name change with it, in whatever file they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.finding import Applicability
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.program.marked import OPTIONS, project_of

TRAIN = "import torch\nfrom parse import of\nname = 'cuda:0'\nn = of(name)\nx = torch.zeros(2, device=name)\n"
PARSE = "def of(device):\n    return {0}\n"
COUNTS = [
    ("int(device[5:])", "int(device[4:])"),
    ("int(device[5])", "int(device[4])"),
    ("int(device[5:6])", "int(device[4:5])"),
    ("device[4] == ':'", "device[3] == ':'"),
    ("device[4:] == ':0'", "device[3:] == ':0'"),
    ("(device[:4], device[5:])", "(device[:3], device[4:])"),
    ("device[:4] == 'cuda'", "device[:3] == 'npu'"),
    ("str(device)[5:]", "str(device)[4:]"),
    ("f'{device}'[5:]", "f'{device}'[4:]"),
    ("device[device.find('cuda:') + 5:]", "device[device.find('npu:') + 4:]"),
    ("device[device.index('cuda:') + len('cuda:'):]", "device[device.index('npu:') + len('npu:'):]"),
    ("device[5:] if len(device) > 5 else 0", "device[4:] if len(device) > 4 else 0"),
    ("device[5:] if 6 <= len(device) else 0", "device[4:] if 5 <= len(device) else 0"),
]
OTHERS = [
    "device[-1]",
    "device[1:]",
    "device[:3] == 'cpu'",
    "device[10:]",
    "device.split(':')[1]",
    "device.partition(':')[2]",
    "device[device.find(':') + 1:]",
    "len(device) > 2",
    "len(device) == 4",
    "[1, 2, 3, 4, 5, 6][5]",
]
ASSIGNED = {
    "a variable": ("name = device\n    return name[5:]", "name = device\n    return name[4:]"),
    "a constant": ("AT = 5\n    return device[AT:]", "AT = 4\n    return device[AT:]"),
    "what is left": ("rest = device[4:]\n    return rest[1:]", "rest = device[3:]\n    return rest[1:]"),
    "an attribute": (
        "it = Run()\n    it.device = device\n    return it.device[5:]\nclass Run: ...",
        "it = Run()\n    it.device = device\n    return it.device[4:]\nclass Run: ...",
    ),
}


def migrated(path: str, files: dict[str, str], root: Path) -> str:
    return apply_fixes(SourceFile(files[path], path), OPTIONS, project_of(files, root)).text


@pytest.mark.parametrize(("cut", "new"), COUNTS)
def test_a_number_changes_with_the_word_of_another_file(cut: str, new: str, tmp_path: Path) -> None:
    files = {"train.py": TRAIN, "parse.py": PARSE.format(cut)}
    assert migrated("parse.py", files, tmp_path) == PARSE.format(new)


@pytest.mark.parametrize("cut", OTHERS)
def test_other_numbers_stay(cut: str, tmp_path: Path) -> None:
    files = {"train.py": TRAIN, "parse.py": PARSE.format(cut)}
    assert migrated("parse.py", files, tmp_path) == PARSE.format(cut)


@pytest.mark.parametrize(("cut", "new"), ASSIGNED.values(), ids=ASSIGNED)
def test_a_number_changes_with_a_word_that_is_kept(cut: str, new: str, tmp_path: Path) -> None:
    files = {"train.py": TRAIN, "parse.py": f"def of(device):\n    {cut}\n"}
    assert migrated("parse.py", files, tmp_path) == f"def of(device):\n    {new}\n"


def test_a_length_changes_with_a_word_whatever_is_cut(tmp_path: Path) -> None:
    parse = "def of(text):\n    return text[text.index('{0}:') + len('{0}:'):]\n"
    files = {"train.py": TRAIN, "parse.py": parse.format("cuda")}
    assert migrated("parse.py", files, tmp_path) == parse.format("npu")


def test_a_word_moves_that_a_pattern_divides_into_parts(tmp_path: Path) -> None:
    train = "import torch\nfrom parse import of\nSPEC = '{0}:0'\nkind, index = of(SPEC)\n"
    train += "x = torch.zeros(2, device=f'{{kind}}:{{index}}')\n"
    parse = "import re\ndef of(text):\n    found = re.match(r'({0}|cpu):(\\d+)', text)\n"
    parse += "    return found.group(1), int(found.group(2))\n"
    files = {"train.py": train.format("cuda"), "parse.py": parse.format("cuda")}
    assert migrated("parse.py", files, tmp_path) == parse.format("npu")
    assert "'npu:0'" in migrated("train.py", files, tmp_path)


def test_a_number_changes_once_where_a_test_of_the_same_text_does(tmp_path: Path) -> None:
    cut = "device[{0}:] if device.startswith('{1}:') else device[:{2}] == '{1}'"
    files = {"train.py": TRAIN, "parse.py": PARSE.format(cut.format(5, "cuda", 4))}
    assert migrated("parse.py", files, tmp_path) == PARSE.format(cut.format(4, "npu", 3))


def test_a_number_stays_with_a_word_that_stays(tmp_path: Path) -> None:
    train = "import cupy\nfrom parse import of\nn = of('cuda:0')\nprint(n)\n"
    files = {"train.py": train, "parse.py": PARSE.format("int(device[5:])")}
    assert migrated("parse.py", files, tmp_path) == files["parse.py"]


def test_a_word_stays_whose_letters_an_ignored_line_counts(tmp_path: Path) -> None:
    cut = "int(device[5:])  # gpu2ascend: ignore[NPU202]"
    files = {"train.py": TRAIN, "parse.py": PARSE.format(cut)}
    assert "cuda:0" in migrated("train.py", files, tmp_path)


def test_a_number_that_may_count_other_letters_is_told(tmp_path: Path) -> None:
    parse = "def of(text):\n    return text[5:]\n"
    train = TRAIN + "print(of('layer.weight'))\n"
    project = project_of({"train.py": train, "parse.py": parse}, tmp_path)
    (found,) = check(SourceFile(parse, "parse.py"), OPTIONS, project)
    assert (found.message.id, found.applicability) == ("NPU202.may_count", Applicability.UNSAFE)


def test_a_number_that_is_given_nothing_else_changes_whatever_it_is_called(tmp_path: Path) -> None:
    parse = "def of(text):\n    return text[{0}:]\n"
    files = {"train.py": TRAIN + "print(of('cpu'))\n", "parse.py": parse.format(5)}
    assert migrated("parse.py", files, tmp_path) == parse.format(4)


LISTED = {
    "a comprehension": "[int(d[{0}:]) for d in devices]",
    "a function that is mapped": "list(map(one, devices))\ndef one(device):\n    return int(device[{0}:])",
}


@pytest.mark.parametrize("cut", LISTED.values(), ids=LISTED)
def test_a_number_changes_with_the_words_of_a_list(cut: str, tmp_path: Path) -> None:
    train = "import torch\nfrom parse import of\nnames = ['cuda:0', 'cuda:1']\nn = of(names)\n"
    train += "x = [torch.zeros(2, device=name) for name in names]\n"
    parse = "def of(devices):\n    return " + cut + "\n"
    files = {"train.py": train, "parse.py": parse.format(5)}
    assert migrated("parse.py", files, tmp_path) == parse.format(4)


@pytest.mark.parametrize("declared", ["default='cpu'", "required=True"])
def test_a_number_changes_with_the_words_that_scripts_give_an_option(declared: str, tmp_path: Path) -> None:
    train = f"import argparse, torch\nfrom parse import of\nparser = argparse.ArgumentParser()\n\
parser.add_argument('--device', {declared})\nargs = parser.parse_args()\nn = of(args)\n\
x = torch.zeros(2, device=args.device)\n"
    files = {"train.py": train, "parse.py": "def of(args):\n    return int(args.device[5:])\n"}
    assert migrated("parse.py", files, tmp_path) == files["parse.py"].replace("5", "4")
