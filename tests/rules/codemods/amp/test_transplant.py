"""AMP transplant: what ``torch.cuda.amp`` does is carried over exactly, or the file stays as it is."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.amp.on_request import AmpTransplant
from gpu2ascend_rules.messages import catalogue
from gpu2ascend_rules.model.finding import Severity
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


def check(before: str, after: str, model: str = "model") -> None:
    assert carried(dedent(before), model) == dedent(after)
    ast.parse(dedent(after))
    assert carried(dedent(after), model) == dedent(after), "a second time changes nothing"


def test_a_plain_loop() -> None:
    check(HEAD + SET_UP + LOOP, NEW_HEAD + NEW_SET_UP + NEW_LOOP)


@pytest.mark.parametrize("device", ['"cpu"', "device"])
def test_an_autocast_of_another_device_stays(device: str) -> None:
    other = f"with torch.autocast({device}):\n    y = f(x)\n"
    check(HEAD + SET_UP + LOOP + other, NEW_HEAD + NEW_SET_UP + NEW_LOOP + other)


def test_without_amp_nothing_changes() -> None:
    check("import torch\nx = torch.zeros(1).cuda()\n", "import torch\nx = torch.zeros(1).cuda()\n")


def test_gradient_accumulation_keeps_the_expression_and_the_condition() -> None:
    loop = """\
    for i, (x, y) in enumerate(loader):
        with autocast():
            loss = criterion(model(x), y)
        scaler.scale(loss / 4).backward()
        if (i + 1) % 4 == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
    """
    new = """\
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        with amp.scale_loss(loss / 4, optimizer) as scaled_loss:
            scaled_loss.backward()
        if (i + 1) % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
    """
    check(HEAD + SET_UP + dedent(loop), NEW_HEAD + NEW_SET_UP + dedent(new))


def test_clipping_is_of_what_the_optimizer_steps() -> None:
    loop = """\
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    scaler.step(optimizer)
    scaler.update()
    """
    new = """\
    with amp.scale_loss(loss, optimizer) as scaled_loss:
        scaled_loss.backward()
    torch.nn.utils.clip_grad_norm_(amp.master_params(optimizer), 1.0)
    optimizer.step()
    """
    check(HEAD + SET_UP + dedent(loop), NEW_HEAD + NEW_SET_UP + dedent(new))


@pytest.mark.parametrize("clipped", ["model.head.parameters()", "both"])
def test_clipping_of_a_part_stays_that(clipped: str) -> None:
    clip = f"torch.nn.utils.clip_grad_norm_({clipped}, 1.0)\n"
    steps = f"scaler.scale(loss).backward()\nscaler.unscale_(optimizer)\n{clip}scaler.step(optimizer)\n"
    text = carried(HEAD + SET_UP + steps, "model")
    assert clip in text and "unscale_" not in text


def test_losses_are_scaled_for_the_optimizers_that_are_stepped_next() -> None:
    before = """\
    import torch
    d, g = D().cuda(), G().cuda()
    opt_d = torch.optim.Adam(d.parameters())
    opt_g = torch.optim.Adam(g.parameters())
    scaler = torch.cuda.amp.GradScaler()
    scaler.scale(real).backward()
    scaler.scale(fake).backward(retain_graph=True)
    scaler.step(opt_d)
    scaler.scale(loss_g).backward()
    scaler.step(opt_g)
    scaler.update()
    """
    after = """\
    import torch
    from apex import amp
    d, g = D().cuda(), G().cuda()
    opt_d = torch.optim.Adam(d.parameters())
    opt_g = torch.optim.Adam(g.parameters())
    [d, g], [opt_d, opt_g] = amp.initialize(
        [d, g], [opt_d, opt_g], opt_level="O1", loss_scale="dynamic"
    )
    with amp.scale_loss(real, opt_d) as scaled_loss:
        scaled_loss.backward()
    with amp.scale_loss(fake, opt_d) as scaled_loss:
        scaled_loss.backward(retain_graph=True)
    opt_d.step()
    with amp.scale_loss(loss_g, opt_g) as scaled_loss:
        scaled_loss.backward()
    opt_g.step()
    """
    check(before, after, model="g")


def test_one_loss_for_two_optimizers() -> None:
    before = SET_UP + (
        "other = torch.optim.SGD(model.parameters(), 0.2)\n"
        "scaler.scale(loss).backward()\nscaler.step(optimizer)\nscaler.step(other)\nscaler.update()\n"
    )
    assert "with amp.scale_loss(loss, [optimizer, other]) as scaled_loss:" in carried(HEAD + before, "model")


def test_two_scalers_are_two_losses() -> None:
    before = (
        HEAD + SET_UP + "second = GradScaler()\nscaler.scale(a).backward()\nscaler.step(optimizer)\n"
        "scaler.update()\nsecond.scale(b).backward()\nsecond.step(optimizer)\nsecond.update()\n"
    )
    text = carried(before, "model")
    assert "num_losses=2" in text and "(b, optimizer, loss_id=1)" in text and "loss_id=0" in text


def test_a_condition_is_passed_on() -> None:
    before = f"import torch\n{HEAD[13:]}{IN_MAIN}"
    text = carried(before, "model")
    assert 'opt_level="O1", loss_scale="dynamic", enabled=args.amp' in text


def test_off_for_a_part_is_off_for_that_part() -> None:
    part = "with autocast(enabled=False):\n    y = f(x.float())\n"
    new = "with amp.disable_casts():\n    y = f(x.float())\n"
    check(HEAD + SET_UP + LOOP + part, NEW_HEAD + NEW_SET_UP + NEW_LOOP + new)


def test_other_contexts_and_decorators_stay() -> None:
    before = """\
    import torch
    from torch.cuda.amp import autocast, custom_bwd, custom_fwd

    class F(torch.autograd.Function):
        @staticmethod
        @custom_fwd
        def forward(ctx, x):
            return x

        @staticmethod
        @custom_bwd
        def backward(ctx, g):
            return g

    @torch.no_grad()
    @autocast()
    def evaluate():
        with torch.no_grad(), autocast():
            return model(x)
    """
    after = """\
    import torch
    from apex import amp

    class F(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    @torch.no_grad()
    def evaluate():
        with torch.no_grad():
            return model(x)
    """
    check(before, after)


def test_a_trainer_with_nested_functions_and_checkpoints() -> None:
    before = HEAD + dedent(
        """
        class Trainer:
            def __init__(self, net, amp=True):
                self.model = net.cuda()
                self.optimizer = torch.optim.SGD(self.model.parameters(), 0.1)
                self.scaler = GradScaler()

            def fit(self):
                def closure():
                    with autocast():
                        return self.model(x)

                self.scaler.scale(closure()).backward()
                self.scaler.step(self.optimizer)
                self.scaler.update()

            def state(self):
                return {"scaler": self.scaler.state_dict()}

            def load(self, state):
                self.scaler.load_state_dict(state["scaler"])
        """
    )
    text = carried(before, "model")
    assert "from apex import amp as apex_amp" in text, "the name amp is a parameter's"
    assert "self.model, self.optimizer = apex_amp.initialize(" in text
    assert "        def closure():\n            return self.model(x)\n" in text
    assert 'return {"scaler": apex_amp.state_dict()}' in text
    assert 'apex_amp.load_state_dict(state["scaler"])' in text


def test_comments_stay_when_their_statements_go() -> None:
    before = (
        HEAD
        + SET_UP
        + (
            "for x in loader:\n    # mixed\n    with autocast():  # on\n        loss = model(x)  # forward\n"
            "    scaler.scale(loss).backward()  # back\n    scaler.step(optimizer)\n    # grow\n"
            "    scaler.update()  # last\n"
        )
    )
    text = carried(before, "model")
    assert [c for c in ("# mixed", "# on", "# forward", "# back", "# grow", "# last") if c not in text] == []


STEPS = "scaler.scale(loss).backward()\nscaler.step(optimizer)\n"
DECLINED = [
    (SET_UP + "train(model, scaler)\n", "scaler-passed"),
    (SET_UP + "scaled = scaler.scale(loss)\nscaled.backward()\nscaler.step(optimizer)\n", "scaled-loss"),
    (SET_UP + LOOP + "print(scaler.get_growth_factor())\n", "method"),
    (
        SET_UP + LOOP.replace("    scaler.update()", "    old = scaler.get_scale()\n    scaler.update()"),
        "scale-compared",
    ),
    (SET_UP.replace("GradScaler()", "GradScaler(**options)") + LOOP, "scaler-arguments-hidden"),
    (SET_UP.replace("GradScaler()", "torch.amp.GradScaler('cpu')") + LOOP, "scaler-device"),
    (SET_UP + LOOP.replace("autocast()", "autocast() if use else nullcontext()"), "autocast-chosen"),
    (
        "def train(scaler):\n" + LOOP.replace("for x", "  for x").replace("\n    ", "\n      "),
        "scaler-elsewhere",
    ),
    (SET_UP + LOOP.replace("step(optimizer)", "step(*all)"), "optimizer-hidden"),
    (SET_UP + LOOP + "def save(model, s: GradScaler):\n    pass\n", "reference"),
    (
        SET_UP + "def train(opt):\n    scaler.scale(loss).backward()\n    scaler.step(opt)\n",
        "optimizer-parameter",
    ),
    (SET_UP + STEPS + "old = scaler.update()\n", "method-result"),
    (SET_UP + STEPS + "scaler.update(2.0)\n", "update-argument"),
    (SET_UP.replace("GradScaler()", "GradScaler(init_scale=128.0)") + LOOP, "scaler-arguments"),
    (SET_UP.replace("GradScaler()", "GradScaler(enabled=fp16)") + LOOP, "conditions"),
    (SET_UP, "no-step"),
    ("scaler = GradScaler()\n" + LOOP, "optimizer-elsewhere"),
    (
        "def a():\n    global optimizer\n    optimizer = torch.optim.SGD(model.parameters(), 0.1)\n"
        "def b():\n    global optimizer\n    optimizer = torch.optim.Adam(model.parameters(), 0.1)\n"
        "scaler = GradScaler()\n" + LOOP,
        "optimizer-twice",
    ),
    (
        "def a():\n    global first\n    first = torch.optim.SGD(model.parameters(), 0.1)\n"
        "def b():\n    global second\n    second = torch.optim.SGD(model.parameters(), 0.1)\n"
        "scaler = GradScaler()\nscaler.scale(loss).backward()\nscaler.step(first)\nscaler.step(second)\n",
        "optimizers-in-functions",
    ),
    (
        SET_UP + "other = torch.optim.SGD(model.parameters(), 0.1)\n"
        "def backward(loss):\n    scaler.scale(loss).backward()\n"
        "def step():\n    scaler.step(optimizer)\n    scaler.step(other)\n",
        "backward-optimizer",
    ),
    (
        "model = torch.nn.DataParallel(model)\n" + SET_UP.replace("model = Net().cuda()\n", "") + LOOP,
        "wrapped-first",
    ),
    (
        "scaler = GradScaler()\nscaler.load_state_dict(state)\n"
        + SET_UP.replace("scaler = GradScaler()\n", "")
        + LOOP,
        "loaded-first",
    ),
    (SET_UP.replace("scaler =", "self.x[0] ="), "scaler-use"),
    (SET_UP.replace("scaler = GradScaler()", "scaler = other = GradScaler()") + LOOP, "scaler-use"),
    (SET_UP.replace("scaler = GradScaler()", "if GradScaler():\n    use()") + LOOP, "scaler-use"),
    (SET_UP + "use(GradScaler())\n" + LOOP, "scaler-use"),
    (SET_UP + "scaler = GradScaler()\n" + LOOP, "several-makers"),
    ("context = autocast()\nwith context:\n    y = f(x)\n", "autocast-use"),
    ("with autocast(enabled=use):\n    y = f(x)\n", "condition-elsewhere"),
    ("with autocast(enabled=False):\n    y = f(x)\n", "off-elsewhere"),
    (IN_MAIN + "    with autocast(enabled=False):\n        metric(x)\n", "off-with-condition"),
    (IN_MAIN + "def save():\n    return scaler.state_dict()\n", "state-hidden"),
    (IN_MAIN.replace("    with auto", "    use = args.amp\n    with auto").replace("=args.amp)", "=use)"),
     "condition-hidden"),
    ("with autocast(dtype=torch.bfloat16):\n    y = f(x)\n", "dtype"),
    ("@autocast(enabled=use)\ndef f(x):\n    return x\n", "decorator-condition"),
    (
        "from torch.cuda.amp import custom_fwd\n@custom_fwd(cast_inputs=torch.float32)\n"
        "def forward(ctx, x):\n    return x\n",
        "cast-inputs",
    ),
    ("from torch.cuda.amp.autocast_mode import _cast\nwith autocast():\n    y = f(x)\n", "other-use"),
    (SET_UP.replace("model", "net") + LOOP, "other-model"),
    ("model = Net().half().cuda()\n" + SET_UP + LOOP, "model-dtype"),
    (SET_UP.replace("model.parameters()", "build()").replace("model", "net") + LOOP, "no-model"),
    ("from apex import amp\namp.initialize(m, o)\nwith autocast():\n    y = f(x)\n", "mixed"),
]  # fmt: skip
OTHERS_DECLINED = [
    (
        "import torch\ntry:\n    from torch.cuda.amp import autocast\nexcept ImportError:\n    pass\n"
        "with autocast():\n    y = 1\n",
        "import-guarded",
    ),
    ("def main():\n    import torch\n    with torch.cuda.amp.autocast():\n        y = f(x)\n", "no-import"),
]


@pytest.mark.parametrize(("text", "key"), [*((HEAD + code, key) for code, key in DECLINED), *OTHERS_DECLINED])
def test_what_cannot_be_exact_stays_as_it_was_with_the_reason(text: str, key: str) -> None:
    assert reason(text) == key
    options = options_from({"version": "1.5.0", "amp_transplant": True})
    change = AmpTransplant().apply(SourceFile(text, "train.py"), options)
    assert change is not None and change.text == text and not change.edits and not change.done
    (finding,) = change.findings
    assert finding.code == "NPU390" and finding.severity is Severity.ERROR
    assert dict(finding.message.arguments)["reason"].id.endswith(f".{key}")


def test_every_reason_is_tested() -> None:
    prefix = "amp.transplant.declined."
    known = {name.removeprefix(prefix) for name in catalogue("en") if name.startswith(prefix)}
    assert known == {key for _, key in (*DECLINED, *OTHERS_DECLINED)}
