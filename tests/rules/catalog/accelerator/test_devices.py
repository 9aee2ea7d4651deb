"""Which texts are devices of the machine that runs the code, and which only mention CUDA."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.fixing import apply_fixes
from gpu2ascend_rules.model.project.decisions import Decision, FileDecisions, Outcome, Place
from gpu2ascend_rules.model.project.project_view import NoProgram, Standalone
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0", "target": "accelerator", "select": ["ACC105"]})
CHOSEN = "'cuda' if torch.cuda.is_available() else 'cpu'"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (f"x.to({CHOSEN})", ["device"]),
        (f"make({CHOSEN})", ["device"]),
        ("x.to('cuda')", ["device"]),
        (f"lib.make({CHOSEN})", ["unsure"]),
        ("lib.make('cuda')", ["unsure"]),
        ("make('cuda')", ["unsure"]),
        ("make('cuda' if c else 'cpu')", ["unsure"]),
        (f"print({CHOSEN})", []),
        ("print('cuda')", []),
        ("make(b'cuda')", []),
    ],
)
def test_what_torch_takes_or_cuda_chooses_is_a_device_and_what_a_library_takes_is_not_sure(
    code: str, expected: list[str]
) -> None:
    found = check(SourceFile(f"import torch\nimport lib\n{code}\n"), OPTIONS)
    assert [item.message.id for item in found] == [f"ACC105.{key}" for key in expected]


def test_a_default_that_is_chosen_by_a_test_changes_with_it() -> None:
    text = (
        "import torch\ndef f(d=torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')):\n    pass\n"
    )
    options = options_from({"target": "accelerator", "version": "2.10.0"})
    new = apply_fixes(SourceFile(text), options).text
    assert "f'{torch.accelerator.current_accelerator().type}:0' if torch.accelerator.is_available()" in new


def test_what_callers_may_give_a_number_is_not_compared_with_the_cpu() -> None:
    text = "import torch\ndef f(d='cuda'):\n    if d != 'cuda':\n        torch.cuda.set_device(d)\n"
    options = options_from({"target": "accelerator", "version": "2.10.0"})
    new = apply_fixes(SourceFile(text), options).text
    kind = "torch.accelerator.current_accelerator().type"
    assert f"if (not (torch.accelerator.is_available() and d == {kind})):" in new


def test_a_text_in_a_later_arm_is_compared_with_the_accelerators() -> None:
    text = (
        "import torch\ndef f(device='cuda'):\n    if device == 'cpu':\n        return 1\n"
        "    elif device == 'cuda':\n        return torch.ones(1, device=device)\n"
    )
    options = options_from({"target": "accelerator", "version": "2.10.0"})
    kind = "torch.accelerator.current_accelerator().type"
    expected = f"elif (torch.accelerator.is_available() and device == {kind}):"
    assert expected in apply_fixes(SourceFile(text), options).text


def test_a_device_that_is_asked_for_beside_a_test_is_left_to_a_person() -> None:
    text = (
        "import torch\ndef f(args):\n    if args.device == 'cuda' and not torch.cuda.is_available():\n"
        "        args.device = 'cpu'\n    return torch.ones(1, device=args.device)\n"
    )
    options = options_from({"target": "accelerator", "version": "2.10.0"})
    assert "args.device == 'cuda' and not" in apply_fixes(SourceFile(text), options).text


OPTION = (
    "import argparse\nimport torch\np = argparse.ArgumentParser()\np.add_argument('--kind', default='cuda')\n"
)
CHOOSER = """\
import torch
def place(args):
    if args.kind == 'cuda':
        return torch.device('cuda:{}'.format(args.number))
    elif args.kind == 'OTHER':
        torch.OTHER.empty_cache()
        return torch.device('OTHER')
    return torch.device('cpu')
"""


class Shared(NoProgram):
    """A program in which the word of an option is the one that a test of another file compares."""

    def decisions(self, path: str, options: object) -> FileDecisions:
        words = (Place("chooses.py", 3), Place("train.py", 4))
        decided = {OPTION.index("'cuda'"): Decision(Outcome.MOVES, words=words)}
        return FileDecisions.about(OPTION.encode(), decided) if path == "train.py" else FileDecisions()


@pytest.mark.parametrize(("other", "moves"), [("mps", False), ("cpu", True)])
def test_a_default_stays_where_the_test_stays_that_makes_it_a_device(other: str, moves: bool) -> None:
    class Two(Standalone):
        program = Shared()

        def text_at(self, path: str) -> str | None:
            return CHOOSER.replace("OTHER", other)

    found = check(SourceFile(OPTION, "train.py"), OPTIONS, project=Two())
    assert bool(found) is moves
