"""Keys that fill the fields of dataclasses change with the fields' defaults."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.kinds.registry import text_file
from gpu2ascend_rules.model.project.project_view import Standalone
from gpu2ascend_rules.options.options import options_from

OPTIONS = options_from({"version": "2.8.0", "select": ["NPU1201", "NPU1202", "NPU1009", "NPU2xx", "NPU4xx"]})
HEAD = "from dataclasses import dataclass, field\nfrom typing import Literal, Optional\nimport torch\n"
USE = (
    "from transformers import HfArgumentParser\n"
    "def main():\n    (a,) = HfArgumentParser((A,)).parse_yaml_file('a.yaml')\n"
    "    torch.distributed.init_process_group(a.kind)\n    return torch.zeros(1, device=a.where)\n"
)
FIELDS = (
    HEAD
    + "@dataclass\nclass A:\n    where: str = 'cuda'\n    kind: str = 'nccl'\n    note: str = 'x'\n"
    + USE
)


class Program(Standalone):
    """A project with one Python file, whose dataclasses are filled from files."""

    def __init__(self, code: str, *, is_filled: bool = True) -> None:
        self.code = code
        self.read_settings = frozenset({"fields:files"} if is_filled else ())

    def text_at(self, path: str) -> str | None:
        return self.code if path == "train.py" else None

    def declared_in(self, option: str) -> tuple[str, ...]:
        return ("train.py",) if f" {option[2:]}:" in self.code else ()

    def find_module(self, importer_path: str, module: str) -> tuple[str, str] | None:
        return ("train.py", self.code) if module == "train" else None


def after(text: str, path: str, code: str = FIELDS, *, is_filled: bool = True) -> str:
    return apply_fixes(text_file(text, path), OPTIONS, Program(code, is_filled=is_filled)).text


@pytest.mark.parametrize(
    ("path", "before", "expected"),
    [
        (
            "a.yaml",
            "where: cuda:1  # card\nkind: nccl\nnote: cuda\n",
            "where: npu:1  # card\nkind: hccl\nnote: cuda\n",
        ),
        ("a.json", '{"where": "cuda", "kind": "nccl"}', '{"where": "npu", "kind": "hccl"}'),
        ("a.toml", 'where = "cuda"\n', 'where = "npu"\n'),
    ],
)
def test_a_key_follows_the_field_that_it_fills(path: str, before: str, expected: str) -> None:
    assert after(before, path) == expected


@pytest.mark.parametrize(
    "declared",
    [
        "where: str = field(default='cpu')",
        "where: str = field(metadata={'help': 'x'})",
        "where: Optional[str] = None",
        "where: str",
        "where: Literal['cuda', 'cpu'] = 'cpu'",
    ],
)
def test_however_the_field_is_declared(declared: str) -> None:
    code = HEAD + f"@dataclass\nclass A:\n    {declared}\n    kind: str = 'gloo'\n" + USE
    assert after("where: cuda\n", "a.yaml", code) == "where: npu\n"


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(HEAD + "@dataclass\nclass A:\n    where: str = 'x'\nprint(A().where)\n", id="printed"),
        pytest.param(HEAD + "class A:\n    where: str = 'cuda'\n" + USE, id="no dataclass"),
        pytest.param(HEAD + "@dataclass\nclass A:\n    other: str = 'cuda'\n" + USE, id="no such field"),
    ],
)
def test_what_becomes_no_device_stays(code: str) -> None:
    assert after("where: cuda\n", "a.yaml", code) == "where: cuda\n"


def test_a_project_that_fills_no_fields_from_files_has_none() -> None:
    assert after("where: cuda\n", "a.yaml", is_filled=False) == "where: cuda\n"


def test_options_of_scripts_follow_fields_too() -> None:
    before = "python train.py --where cuda --kind=nccl --note cuda\n"
    assert after(before, "run.sh") == "python train.py --where npu --kind=hccl --note cuda\n"
