"""AMP transplant: set-ups, scalers and conditions in other forms."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.amp.on_request import AmpTransplant
from gpu2ascend_rules.codemods.amp.to_apex.transplant import transplanted
from gpu2ascend_rules.codemods.codemod import Declined
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.codemods.amp.transplanting import (
    HEAD,
    IN_MAIN,
    LOOP,
    NEW_HEAD,
    NEW_LOOP,
    NEW_SET_UP,
    SET_UP,
    carried,
    reason,
)


def test_the_state_of_a_scaler_that_may_be_off() -> None:
    before = IN_MAIN + dedent(
        """
            if args.resume:
                # where it was
                scaler.load_state_dict(state["scaler"])
            torch.save({"scaler": scaler.state_dict()}, "last.pt")
        """
    ).replace("\n", "\n    ").rstrip(" ")
    text = carried(before.join([HEAD, ""]), "model")
    assert 'torch.save({"scaler": amp.state_dict() if args.amp else {}}, "last.pt")' in text
    assert "        # where it was\n        if args.amp:\n            amp.load_state_dict(state" in text


def test_a_model_by_its_parts() -> None:
    before = HEAD + SET_UP.replace("model.parameters()", "model.head.parameters()") + LOOP
    assert "model, optimizer = amp.initialize(model, optimizer," in carried(before, "model")


def test_a_model_that_moves_behind_its_optimizer() -> None:
    moved = "if torch.cuda.is_available():\n    model.cuda()\n"
    before = HEAD + SET_UP.replace("Net().cuda()", "Net()").replace("scaler =", f"{moved}scaler =") + LOOP
    text = carried(before, "model")
    assert text.index("model.cuda()") < text.index("amp.initialize(")


@pytest.mark.parametrize(
    ("code", "key"),
    [
        (SET_UP + "scaler.load_state_dict(state)\n" + LOOP, "state"),
        ("with autocast():\n    y = model(x)\n", "initialized-elsewhere"),
        (SET_UP + LOOP, None),
    ],
)
def test_what_the_rest_of_the_program_must_be_like(code: str, key: str | None) -> None:
    options = options_from({"version": "1.5.0", "amp_transplant": True})
    change = AmpTransplant().apply(SourceFile(HEAD + code, "train.py"), options)
    assert change is not None and change.edits
    said = [finding.message.id.rpartition(".")[2] for finding in change.findings]
    assert said == ([key] if key else [])


def test_the_default_arguments_written_out_are_the_defaults() -> None:
    before = HEAD + SET_UP.replace("GradScaler()", "GradScaler(2.0 ** 16, growth_interval=2000)") + LOOP
    assert carried(before, "model") == NEW_HEAD + NEW_SET_UP + NEW_LOOP


@pytest.mark.parametrize(
    ("enabled", "asked", "becomes"),
    [
        ("", "log(scaler.get_scale())", 'log(amp.state_dict()["loss_scaler0"]["loss_scale"])'),
        (
            "enabled=fp16",
            "x = 2 * scaler.get_scale()",
            'x = 2 * (amp.state_dict()["loss_scaler0"]["loss_scale"] if fp16 else 1.0)',
        ),
        ("", "if scaler.is_enabled():\n        log()", "if True:\n        log()"),
        ("enabled=fp16", "log(scaler.is_enabled())", "log(fp16)"),
    ],
)
def test_what_a_scaler_is_asked(enabled: str, asked: str, becomes: str) -> None:
    loop = LOOP.replace("autocast()", f"autocast({enabled})") + f"    {asked}\n"
    before = HEAD + "fp16 = True\n" + SET_UP.replace("GradScaler()", f"GradScaler({enabled})") + loop
    assert becomes in carried(before, "model")


@pytest.mark.parametrize(
    ("given", "becomes"),
    [
        (
            "    scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()  # go\n",
            "    with amp.scale_loss(loss, optimizer) as scaled_loss:\n        scaled_loss.backward()\n"
            "    optimizer.step()\n    # go\n",
        ),
        (
            "    if fine: scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update()\n",
            "    if fine:\n        with amp.scale_loss(loss, optimizer) as scaled_loss:\n"
            "            scaled_loss.backward()\n        optimizer.step()\n",
        ),
        (
            "    scaler.scale(outputs=loss).backward()\n    scaler.step(optimizer=optimizer)\n",
            "    with amp.scale_loss(loss, optimizer) as scaled_loss:\n        scaled_loss.backward()\n"
            "    optimizer.step()\n",
        ),
    ],
)
def test_statements_are_carried_over_however_they_are_written(given: str, becomes: str) -> None:
    start = LOOP[: LOOP.index("    scaler.scale")]
    assert carried(HEAD + SET_UP + start + given, "model").endswith(becomes)


def test_a_set_up_of_one_line_and_an_annotated_scaler() -> None:
    one = SET_UP.split("\n")[1] + "; scaler: GradScaler = torch.amp.GradScaler('cuda')\n"
    text = carried(HEAD + "model = Net().cuda()\n" + one + LOOP, "model")
    assert text.startswith(NEW_HEAD) and NEW_SET_UP in text and "scaler" not in text.replace("scaled", "")


def test_an_optimizer_that_is_unpacked_is_made_there() -> None:
    made = "optimizer, schedule = build(model.parameters())\n"
    text = carried(HEAD + "model = Net().cuda()\n" + made + "scaler = GradScaler()\n" + LOOP, "model")
    assert f"{made}model, optimizer = amp.initialize(model, optimizer, " in text


def test_the_line_of_a_reason_is_that_of_the_text_as_it_was_given() -> None:
    text = HEAD + SET_UP.replace("\nscaler", "; scaler") + LOOP + "train(scaler)\n"
    with pytest.raises(Declined) as raised:
        transplanted(text, "model")
    assert raised.value.line == text.count("\n")


def test_a_scaler_of_any_name_steps_on_one_line() -> None:
    imports = "import torch\nfrom torch.cuda.amp import autocast as ac, GradScaler as GS\n"
    made = "optimizer = torch.optim.SGD(model.parameters(), 0.1); s = GS()\n"
    loop = "for x in loader:\n    with ac(): loss = model(x)\n"
    loop += "    s.scale(loss).backward(); s.step(optimizer); s.update()\n"
    text = carried(imports + "model = Net().cuda()\n" + made + loop, "model")
    assert text.endswith(
        "    loss = model(x)\n    with amp.scale_loss(loss, optimizer) as scaled_loss:\n"
        "        scaled_loss.backward()\n    optimizer.step()\n"
    )


def test_a_condition_that_an_attribute_keeps_is_the_same() -> None:
    before = HEAD + dedent(
        """
        class Trainer:
            def __init__(self, args):
                self.args = args
                self.model = Net().cuda()
                self.optimizer = torch.optim.SGD(self.model.parameters(), 0.1)
                self.scaler = GradScaler(enabled=args.amp)

            def fit(self):
                with autocast(enabled=self.args.amp):
                    loss = self.model(x)
                self.scaler.scale(loss).backward()
                self.scaler.step(self.optimizer)
                self.scaler.update()
        """
    )
    assert "enabled=args.amp" in carried(before, "model")


SEVERAL = """\
import torch
from torch.cuda.amp import GradScaler, autocast

def train(p, loader):
    {here}optimizer = torch.optim.SGD(p, 0.1)
    scaler = GradScaler()
    for x, y in loader:
        with autocast():
            loss = criterion(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

def test():
    {there}return None
"""
MADE = "model = Net().cuda()\n    "


def test_parameters_that_do_not_say_their_model_are_those_of_the_one_made_beside_the_optimizer() -> None:
    assert "model, optimizer = amp.initialize(model, optimizer" in carried(
        SEVERAL.format(here=MADE, there=""), "model"
    )


def test_a_model_that_another_function_makes_is_not_it() -> None:
    assert reason(SEVERAL.format(here="", there=MADE)) == "no-model"
