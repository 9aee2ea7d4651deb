"""Enable AMP: a plain float32 loop gets autocast and a gradient scaler where they belong, or a reason."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.amp.enable import Precision, with_amp
from gpu2ascend_rules.codemods.amp.module import Declined
from tests.rules.codemods.amp.enabling import AMP, BACK, LOSS, MADE, enabled, reason


def test_the_forward_pass_and_the_loss_are_under_autocast() -> None:
    before = """\
    import torch
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in loader:
        optimizer.zero_grad()
        # forward
        output = model(x)
        loss = criterion(output, y)
        loss.backward()
        optimizer.step()
        print(loss.item())
    """
    after = """\
    import torch
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    scaler = torch_npu.npu.amp.GradScaler()
    for x, y in loader:
        optimizer.zero_grad()
        # forward
        with torch_npu.npu.amp.autocast():
            output = model(x)
            loss = criterion(output, y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        print(loss.item())
    """
    assert enabled(before) == dedent(after)


def test_gradients_are_unscaled_before_they_are_clipped_and_once_for_a_step() -> None:
    before = """\
    import torch
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y) / 4
        loss.backward()
        if (i + 1) % 4 == 0:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    """
    after = """\
        if (i + 1) % 4 == 0:
            scaler.unscale_(optimizer)
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    """
    assert dedent(after) in dedent(enabled(before).partition(".backward()\n")[2])


LOOKS = {
    "clamped": "for p in model.parameters():\n    p.grad.clamp_(-1, 1)",
    "logged": "print(sum(p.grad.norm() for p in model.parameters()))",
    "in a condition": "if max(p.grad.abs().max() for p in ps) > 1:\n    print('large')",
    "where asked for": "if args.clip:\n    torch.nn.utils.clip_grad_norm_(ps, 1.0)",
    "in one line": "if args.clip: torch.nn.utils.clip_grad_value_(ps, 1.0)",
    "imported": "clip_grad_norm_(ps, 1.0)",
    "by a function of the module": "limit(model)",
    "twice": "print(w.grad)\ntorch.nn.utils.clip_grad_norm_(ps, 1.0)",
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_gradients_are_unscaled_once_before_anything_looks_at_them(look: str) -> None:
    limit = "def limit(m):\n    for p in m.parameters():\n        p.grad *= 0.5\n"
    new = enabled(f"import torch\n{limit}{MADE}{LOSS}{BACK}{look}\no.step()\n")
    assert f"scaler.scale(loss).backward()\nscaler.unscale_(o)\n{look}\nscaler.step(o)" in new
    assert new.count("unscale_") == 1


def test_every_optimizer_that_steps_next_is_unscaled() -> None:
    other = "q = torch.optim.SGD(b, 0.1)\n"
    new = enabled(f"import torch\n{MADE}{other}{LOSS}{BACK}print(w.grad)\no.step()\nq.step()\n")
    assert "scaler.unscale_(o)\nscaler.unscale_(q)\nprint(w.grad)\n" in new


def test_what_stands_behind_the_step_sees_unscaled_gradients_anyway() -> None:
    new = enabled(f"import torch\n{MADE}{LOSS}{BACK}o.step()\nprint(w.grad)\n")
    assert "scaler.step(o)" in new and "unscale_" not in new


@pytest.mark.parametrize(
    ("made", "call"),
    [
        ("c = torch.nn.BCELoss()\n", "c"),
        ("c = torch.nn.BCELoss().to(device)\n", "c"),
        ("", "torch.nn.functional.binary_cross_entropy"),
        ("", "torch.nn.BCELoss()"),
    ],
)
def test_a_loss_that_autocast_refuses_is_computed_in_float32(made: str, call: str) -> None:
    forward = f"out = model(x)\nloss = {call}(out[0], y + 1)\n"
    assert (
        "    out = model(x)\n"
        "    with torch_npu.npu.amp.autocast(enabled=False):\n"
        f"        loss = {call}(out[0].float(), (y + 1).float())\n"
    ) in enabled(f"import torch\n{made}{MADE}{forward}{BACK}o.step()\n")


def test_two_optimizers_that_step_together_are_updated_once() -> None:
    before = """\
    import torch
    a = torch.optim.SGD(p, 0.1)
    b = torch.optim.SGD(q, 0.1)
    for x in loader:
        loss = model(x).sum()
        loss.backward()
        a.step()
        b.step()
    """
    new = enabled(before)
    assert "    scaler.step(a)\n    scaler.step(b)\n    scaler.update()\n" in new
    assert new.count("update()") == 1


def test_each_loss_of_a_gan_is_scaled_and_stepped() -> None:
    before = """\
    import torch
    a = torch.optim.SGD(d.parameters(), 0.1)
    b = torch.optim.SGD(g.parameters(), 0.1)
    for x in loader:
        loss_d = criterion(d(x))
        loss_d.backward()
        a.step()
        loss_g = criterion(d(g(z)))
        loss_g.backward()
        b.step()
    """
    new = enabled(before, "d")
    assert new.count("with torch_npu.npu.amp.autocast():") == 2
    assert new.count(".update()") == 2 and "scaler.step(b)" in new


def test_a_trainer_keeps_its_scaler() -> None:
    before = """\
    import torch

    class Trainer:
        def __init__(self):
            self.optimizer = torch.optim.SGD(p, 0.1)

        def step(self, x):
            self.loss = self.model(x)
            self.loss.backward()
            self.optimizer.step()
    """
    new = enabled(before)
    assert "        self.scaler = torch_npu.npu.amp.GradScaler()\n" in new
    assert "self.scaler.scale(self.loss).backward()" in new and "self.scaler.step(self.optimizer)" in new


def test_a_function_that_gets_its_optimizer_shares_one_scaler() -> None:
    before = """\
    import torch

    def train(model, optimizer):
        loss = model(x)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
    """
    assert enabled(before).startswith(
        "import torch\n\nscaler = torch_npu.npu.amp.GradScaler()\n\n\ndef train(model, optimizer):\n"
    )


def test_a_name_in_use_is_not_taken() -> None:
    before = """\
    import torch
    scaler = StandardScaler()
    optimizer = torch.optim.SGD(p, 0.1)
    loss = model(scaler(x))
    loss.backward()
    optimizer.step()
    """
    assert "scaler_2.step(optimizer)" in enabled(before)


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("print(1)\n", "no-loop"),
        ("loss = model(x)\nloss.backward()\n", "no-step"),
        ("o = torch.optim.LBFGS(p)\nloss = model(x)\nloss.backward()\no.step(closure)\n", "closure"),
        ("o = torch.optim.SGD(p)\nloss = model(x)\nif a: loss.backward()\no.step()\n", "one-line"),
        ("o = torch.optim.SGD(p)\nloss = net(x)\nloss.backward()\no.step()\n", "forward"),
        ("o = torch.optim.SGD(p)\ncriterion(model(x)).backward()\no.step()\n", "forward"),
        (f"{MADE}{LOSS}loss.backward(create_graph=True)\no.step()\n", "create-graph"),
        (
            f"{MADE}{LOSS}g = torch.autograd.grad(loss, x, create_graph=True)\n{BACK}o.step()\n",
            "create-graph",
        ),
        (f"{MADE}{LOSS}{BACK}print(w.grad)\nif last:\n    o.step()\n", "gradients"),
        (f"{MADE}{LOSS}{BACK}print(w.grad)\n{LOSS}{BACK}o.step()\n", "gradients"),
        (f"c = torch.nn.BCELoss()\n{MADE}loss = c(model(x), y)\n{BACK}o.step()\n", "bce"),
        (
            f"c = [torch.nn.BCELoss()]\n{MADE}out = model(x)\nloss = c[0](out, y)\n{BACK}o.step()\n",
            "bce-hidden",
        ),
        (f"{MADE}w.register_hook(lambda g: g.clamp(-1, 1))\n{LOSS}{BACK}o.step()\n", "hook"),
        (f"{MADE}{LOSS}loss = loss + gradient_penalty(model, x)\n{BACK}o.step()\n", "penalty"),
        (f"{MADE}model.half()\n{LOSS}{BACK}o.step()\n", "dtype"),
        (f"model = Net().half().cuda()\n{MADE}{LOSS}{BACK}o.step()\n", "dtype"),
        (f"model = Net().to('cuda', torch.float16)\n{MADE}{LOSS}{BACK}o.step()\n", "dtype"),
        (f"model = Net().to(dtype=torch.bfloat16)\n{MADE}{LOSS}{BACK}o.step()\n", "dtype"),
        (f"model = Net().half() if a else Net()\n{MADE}{LOSS}{BACK}o.step()\n", "dtype"),
        (
            f"def make():\n    return Net().half()\nmodel = make().cuda()\n{MADE}{LOSS}{BACK}o.step()\n",
            "dtype",
        ),
        (
            "def make():\n    n = Net()\n    n.half()\n    return n\nmodel = make()\n"
            f"{MADE}{LOSS}{BACK}o.step()\n",
            "dtype",
        ),
        (f"model = Net()\nmodel.cuda().half()\n{MADE}{LOSS}{BACK}o.step()\n", "dtype"),
        (f"torch.set_default_dtype(torch.float64)\n{MADE}{LOSS}{BACK}o.step()\n", "dtype"),
        (f"{MADE}{LOSS}accelerator.backward(loss)\no.step()\n", "engine"),
        (f"{MADE}{LOSS}engine.backward(loss)\nengine.step()\n", "engine"),
        (
            f"{MADE}def closure():\n    loss = model(x)\n    loss.backward()\n    return loss\n"
            "o.step(closure)\n",
            "closure",
        ),
        (
            f"{MADE}q = torch.optim.SGD(b)\n{LOSS}{BACK}if a:\n    o.step()\nif b:\n    q.step()\n",
            "steps-apart",
        ),
        (
            f"{MADE}q = torch.optim.SGD(b)\n{LOSS}{BACK}o.step()\n{LOSS}{BACK}if last:\n    q.step()\n",
            "accumulates",
        ),
        ("with torch.autocast('npu'):\n    pass\n", "already"),
        ("s = torch.cuda.amp.GradScaler()\n", "already"),
    ],
)
def test_what_is_no_plain_loop_is_declined_with_the_reason(code: str, key: str) -> None:
    assert reason("import torch\n" + code) == key


@pytest.mark.parametrize(
    "made",
    [
        "model = Net().half().float()\n",
        "model = Net().to(torch.float32)\n",
        "model = Net()\nmodel.half().float()\n",
        "other = Net().half()\n",
        "def make():\n    return Net()\nmodel = make().cuda()\nx = x.half()\n",
    ],
)
def test_a_model_of_float32_in_the_end_is_trained_in_mixed_precision(made: str) -> None:
    assert "scaler.step(o)" in enabled(f"import torch\n{made}{MADE}{LOSS}{BACK}o.step()\n")


def test_the_scaler_is_updated_where_something_has_stepped_for_certain() -> None:
    other = "q = torch.optim.SGD(b, 0.1)\n"
    new = enabled(f"import torch\n{MADE}{other}{LOSS}{BACK}o.step()\nif rarely:\n    q.step()\n")
    assert "scaler.step(o)\nif rarely:\n    scaler.step(q)\nscaler.update()\n" in new


def test_optimizers_that_step_in_a_loop_are_updated_behind_it() -> None:
    new = enabled(f"import torch\n{LOSS}{BACK}for opt in all_of_them:\n    opt.step()\n")
    assert "    scaler.step(opt)\nscaler.update()\n" in new


@pytest.mark.parametrize(
    "look",
    [
        "clip_gradient(o, 0.5)",
        "watch(model.named_parameters())",
        "norm_of(model)",
        "getattr(w, 'grad').mul_(2)",
    ],
)
def test_what_is_given_gradients_to_look_at_finds_them_unscaled(look: str) -> None:
    new = enabled(f"import torch\n{MADE}{LOSS}{BACK}{look}\no.step()\n")
    assert f"scaler.unscale_(o)\n{look}\n" in new


@pytest.mark.parametrize("call", ["print(len(model))", "torch.set_grad_enabled(True)", "o.zero_grad()"])
def test_what_does_not_look_at_gradients_needs_none(call: str) -> None:
    assert "unscale_" not in enabled(f"import torch\n{MADE}{LOSS}{BACK}{call}\no.step()\n")


def test_statements_of_one_line_get_a_line_each() -> None:
    new = enabled(f"import torch\n{MADE}{LOSS}loss.backward(); clip_grad_norm_(ps, 1); o.step()  # go\n")
    assert new.endswith(
        "scaler.scale(loss).backward()\nscaler.unscale_(o)\nclip_grad_norm_(ps, 1)\n"
        "scaler.step(o)  # go\nscaler.update()\n"
    )


def test_a_place_is_that_in_the_text_as_it_was_given() -> None:
    text = f"import torch\n{MADE}o.zero_grad(); loss = a.grad; x = 3\n{BACK}o.step()\n"
    with pytest.raises(Declined) as raised:
        enabled(text)
    assert raised.value.line == 4


def test_the_functions_that_can_train_do_and_the_others_have_a_reason() -> None:
    attack = "def attack(x):\n    out = model(x)\n    out.backward()\n    return x.grad.sign()\n"
    text = f"import torch\n{attack}{MADE}{LOSS}{BACK}o.step()\n"
    done = with_amp(text, "model", Precision(AMP))
    assert "scaler.scale(loss).backward()" in done.text and attack in done.text
    assert [(reason.line, reason.reason.id) for reason in done.declined] == [
        (4, "amp.enable.declined.no-step")
    ]


def test_a_forward_pass_around_a_condition_is_shared_by_its_branches() -> None:
    text = """\
    import torch
    o = torch.optim.SGD(p)
    for x, y in loader:
        out = net(x)
        loss_a = out.mean()
        loss_b = out.sum()
        if a:
            loss_a.backward()
        else:
            loss_b.backward()
        o.step()
    net.train()
    """
    assert (
        "    with torch_npu.npu.amp.autocast():\n"
        "        out = net(x)\n        loss_a = out.mean()\n        loss_b = out.sum()\n"
        "    if a:\n        scaler.scale(loss_a).backward()\n"
    ) in enabled(text)


def test_each_class_has_its_scaler() -> None:
    trainer = (
        "class {name}:\n    def __init__(self):\n        self.opt = torch.optim.SGD(p)\n"
        "    def step(self, x):\n        loss = self.model(x)\n        loss.backward()\n"
        "        self.opt.step()\n"
    )
    new = enabled("import torch\n" + trainer.format(name="A") + trainer.format(name="B"))
    assert new.count("        self.scaler = torch_npu.npu.amp.GradScaler()\n") == 2


def test_a_refused_loss_in_a_function_that_the_forward_pass_runs_is_in_float32() -> None:
    helper = "def bce(a, b):\n    return torch.nn.functional.binary_cross_entropy(a, b)\n"
    new = enabled(f"import torch\n{helper}{MADE}loss = bce(model(x), y)\n{BACK}o.step()\n")
    assert (
        "def bce(a, b):\n    with torch_npu.npu.amp.autocast(enabled=False):\n"
        "        return torch.nn.functional.binary_cross_entropy(a.float(), b.float())\n"
    ) in new
