"""The output of nvidia-smi: what a program counts or parses has no fix, what it shows has one."""

from __future__ import annotations

import pytest

from tests.rules.catalog.saying import fixed, said

HEAD = "import os\nimport subprocess\n"


def keys(code: str) -> list[str]:
    """Key, applicability and severity of each finding."""
    return [line.partition(":")[0] for line in said("NPU904", HEAD + code)]


COUNTED = {
    "lines of popen": "n = len(os.popen('nvidia-smi -L').read().strip().split('\\n'))",
    "lines of popen by variables": "p = os.popen('nvidia-smi -L')\np = p.read()\nn = len(p.splitlines())",
    "a word": "n = os.popen('nvidia-smi -L').read().count('UUID')",
    "check_output": "out = subprocess.check_output(['nvidia-smi', '-L'])\nn = out.count(b'GPU')",
    "run": "r = subprocess.run(['nvidia-smi', '-L'], capture_output=True)\nn = len(r.stdout.splitlines())",
    "Popen": "p = subprocess.Popen(['nvidia-smi', '-L'], stdout=-1)\nn = len(p.communicate()[0].split())",
    "a command in a variable": "cmd = 'nvidia-smi -L'\nn = len(os.popen(cmd).readlines())",
    "a loop": "for line in os.popen('nvidia-smi -L'):\n    n += 1",
    "a returned output": "def devices():\n    return os.popen('nvidia-smi -L').read()",
    "a pipe": "n = int(os.popen('nvidia-smi -L | wc -l').read())",
    "a pipe with grep": "n = int(subprocess.getoutput('nvidia-smi --list-gpus | grep -c GPU'))",
    "a pipe of a query": "os.system('nvidia-smi --query-gpu=name --format=csv,noheader | wc -l')",
    "a query of the number": "n = subprocess.check_output(['nvidia-smi', '--query-gpu=count'])",
    "an unknown reader": "jobs = {'cmd': 'nvidia-smi -L'}",
}


@pytest.mark.parametrize("code", COUNTED.values(), ids=COUNTED)
def test_a_number_of_devices_is_an_error_without_a_fix(code: str) -> None:
    assert keys(code) == ["counted manual error"]
    assert fixed("NPU904", HEAD + code) == HEAD + code


SHOWN = {
    "output to the terminal": "os.system('nvidia-smi -L')",
    "unused": "os.popen('nvidia-smi -L').read()",
    "printed": "print(os.popen('nvidia-smi -L').read())",
    "printed by a variable": "out = subprocess.check_output(['nvidia-smi', '-L'])\nprint(out.decode())",
    "logged in a text": "log.info(f\"{os.popen('nvidia-smi -L').read()}\")",
    "the status alone": "r = subprocess.run(['nvidia-smi', '-L'])\nok = r.returncode == 0",
}


@pytest.mark.parametrize("code", SHOWN.values(), ids=SHOWN)
def test_a_list_that_is_only_shown_is_offered_that_of_the_npu(code: str) -> None:
    assert keys(code) == ["plain unsafe warning"]


@pytest.mark.parametrize(
    "code",
    [
        "names = [line[5:20] for line in os.popen('nvidia-smi').read().splitlines()]",
        "out = subprocess.check_output('nvidia-smi', shell=True)\nused = int(parse(out))",
    ],
)
def test_a_table_that_is_parsed_has_no_fix(code: str) -> None:
    assert keys(code) == ["query manual error"]


def test_a_table_that_is_printed_has_a_safe_fix() -> None:
    assert keys("print(os.popen('nvidia-smi').read())") == ["plain safe warning"]
