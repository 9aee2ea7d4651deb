"""``--ignore`` and ignore comments: a step is really left out, or the rule says why it is not."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.codemods.amp.on_request import AmpTransplant
from gpu2ascend_rules.engine.dispatch import names_a_rule
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.codemods.distributed.conversion import converted, script

REPORT = '        print("epoch done")\n        torch.save(model.state_dict(), "model.pt")\n'
WRITER = "from torch.utils.tensorboard import SummaryWriter\nwriter = SummaryWriter()"
AMP = """\
import torch
from torch.cuda.amp import autocast
with autocast():
    y = f(x)
"""


def marked(text: str, line: str, comment: str) -> str:
    assert line in text
    return text.replace(line, f"{line}  # gpu2ascend: {comment}", 1)


def test_all_codes_can_be_named() -> None:
    assert all(names_a_rule(f"NPU{number}") for number in (390, *range(420, 430)))
    assert names_a_rule("distributed-sampler") and not names_a_rule("NPU999")


@pytest.mark.parametrize(
    ("code", "gone"),
    [
        ("NPU421", ["DistributedSampler", "set_epoch"]),
        ("NPU422", ["set_epoch"]),
        ("NPU426", ["is_main_process"]),
    ],
)
@pytest.mark.parametrize("by", ["option", "file", "lines"])
def test_what_a_script_does_without_is_left_out(code: str, gone: list[str], by: str) -> None:
    text = script(body=REPORT)
    if by == "option":
        result = converted(text, ignore=(code,))
    elif by == "file":
        result = converted(f"# gpu2ascend: ignore-file[{code}]\n{text}")
    else:
        lines = [
            f"{line}  # gpu2ascend: ignore[{code}]"
            if line.lstrip().startswith(("loader =", "for epoch", "print(", "torch.save("))
            else line
            for line in text.split("\n")
        ]
        result = converted("\n".join(lines))
    assert [name for name in gone if name in result.text] == []
    assert "DistributedDataParallel(model" in result.text and "setup_distributed()" in result.text
    assert result.left == []


def test_a_step_is_left_out_by_its_name() -> None:
    assert "is_main_process" in converted(script(body=REPORT)).text
    assert "is_main_process" not in converted(script(body=REPORT), ignore=("distributed-main-process",)).text


def test_a_line_says_nothing_of_the_others() -> None:
    text = marked(script(body=REPORT), 'print("epoch done")', "ignore[NPU426]")
    result = converted(text)
    assert '\n        print("epoch done")' in result.text
    assert "if is_main_process():\n            torch.save(" in result.text


@pytest.mark.parametrize("code", ["NPU420", "NPU423", "NPU425"])
def test_what_a_script_needs_is_done_all_the_same_and_said(code: str) -> None:
    text = script(body=REPORT)
    result = converted(text, ignore=(code,))
    assert result.text == converted(text).text
    assert result.left == ["NPU420.kept"], "once, whatever the number of places"


@pytest.mark.parametrize(
    ("line", "comment", "kept"),
    [
        ("    model = nn.Linear(2, 1).cuda()", "ignore[NPU423]", "DistributedDataParallel(model"),
        ('torch.save(model.state_dict(), "model.pt")', "ignore[NPU425]", "unwrap_model(model).state_dict()"),
        ('torch.load("model.pt")', "ignore[NPU426]", "dist.barrier()"),
        ('writer.add_scalar("loss", 0.0, epoch)', "ignore[NPU426]", "if is_main_process():"),
    ],
)
def test_comments_at_what_a_script_needs_are_answered(line: str, comment: str, kept: str) -> None:
    body = REPORT + '        writer.add_scalar("loss", 0.0, epoch)\n        torch.load("model.pt")\n'
    result = converted(marked(script(body=body, before=WRITER), line, comment))
    assert kept in result.text
    assert set(result.left) == {"NPU420.kept_here"}


def test_a_writer_is_left_out_with_all_its_uses() -> None:
    body = '        writer.add_scalar("loss", 0.0, epoch)\n'
    text = marked(script(body=body, before=WRITER), "writer = SummaryWriter()", "ignore[NPU426]")
    assert "is_main_process" not in converted(text).text
    assert "is_main_process" in converted(script(body=body, before=WRITER)).text


@pytest.mark.parametrize("code", ["NPU427", "NPU42", "NPU4"])
def test_what_is_only_said_is_silenced(code: str) -> None:
    assert "NPU427.batch" in converted(script()).said["train.py"]
    said = converted(script(), ignore=(code,)).said.get("train.py", [])
    assert [item for item in said if item.startswith("NPU427")] == []


def test_a_program_that_is_distributed_already_may_be_silent_about_it() -> None:
    text = "import torch.distributed as dist\ndist.init_process_group('nccl')\nmodel = 1\n"
    assert converted(text).left == ["NPU429.recognized"]
    assert converted(text, ignore=("NPU429",)).left == []


def test_select_chooses_among_rules_and_not_among_steps() -> None:
    """Who asks for the rule has chosen all of it."""
    options = options_from({"version": "1.5.0", "amp_transplant": True, "select": ("NPU101",)})
    assert transplanted(SourceFile(AMP, "a.py"), options) is not None


transplanted = AmpTransplant().apply


def test_amp_transplant_is_left_out_for_all_or_for_a_file() -> None:
    asked = {"version": "1.5.0", "amp_transplant": True}
    assert transplanted(SourceFile(AMP, "a.py"), options_from({**asked, "ignore": ("NPU390",)})) is None
    assert transplanted(SourceFile(AMP, "a.py"), options_from(asked)) is not None
    silent = f"# gpu2ascend: ignore-file[NPU390]\n{AMP}"
    assert transplanted(SourceFile(silent, "a.py"), options_from(asked)) is None


def test_what_amp_transplant_says_of_a_line_is_silenced() -> None:
    text = marked(AMP, "with autocast():", "ignore[NPU390]")
    change = AmpTransplant().apply(
        SourceFile(text, "a.py"), options_from({"version": "1.5.0", "amp_transplant": True})
    )
    assert change is not None and change.edits and change.findings == ()
