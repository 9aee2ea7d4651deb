"""The model is wrapped at the right place, and asked past its wrapper for what the wrapper does not have."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, errors, script

WRAPPED = "model = DistributedDataParallel(model, device_ids=[torch_npu.npu.current_device()])"


def program(setup: str, model: str = "model", after: str = "") -> str:
    """A script whose model is made by some statements."""
    lines = "\n".join(f"    {line}" for line in setup.splitlines())
    return f"""\
import copy
import torch
from apex import amp
from torch import nn
from torch.utils.data import DataLoader

def main(args):
{lines}
    loader = DataLoader(data, 4)
    for epoch in range(3):
        for x in loader:
            {model}(x).sum().backward()
    {after or "pass"}

if __name__ == "__main__":
    main(parse())
"""


def line_before_wrapping(text: str, model: str = "model") -> str:
    lines = [line.strip() for line in text.splitlines()]
    place = next(index for index, line in enumerate(lines) if line.startswith(f"{model} = Distributed"))
    assert lines[place - 1] == "if dist.is_initialized():"
    return lines[place - 2]


TWO_NAMES = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
def build():
    net = nn.Linear(1, 1)
    net.cuda()
    return net, torch.optim.SGD(net.parameters(), 0.1)
class Trainer:
    def __init__(self, net):
        self.network = net
        self.loader = DataLoader(data, 4)
    def fit(self):
        for epoch in range(3):
            for x in self.loader:
                self.network(x).backward()
        write(self.network.state_dict())
if __name__ == "__main__":
    model, optimizer = build()
    Trainer(model).fit()
"""


class TestWrapping:
    @pytest.mark.parametrize(
        ("setup", "last"),
        [
            ("model = Net().cuda()", "model = Net().cuda()"),
            ("model = Net()\nmodel = model.to(args.device)\nx = 1", "model = model.to(args.device)"),
            ("model = Net()\nmodel.cuda()\nother()", "model.cuda()"),
            ("model = Net()\nif args.cuda:\n    model.cuda()\nx = 1", "model.cuda()"),
            ("if args.big:\n    model = Big()\nelse:\n    model = Small()\nmodel.cuda()", "model.cuda()"),
            (
                "model = Net().cuda()\nopt = Adam(model.parameters())\n"
                "model, opt = amp.initialize(model, opt, opt_level='O1')",
                "model, opt = amp.initialize(model, opt, opt_level='O1')",
            ),
            (
                "model = Net().cuda()\nfor p in model.body.parameters():\n    p.requires_grad = False\nx = 1",
                "p.requires_grad = False",
            ),
        ],
    )
    def test_comes_when_the_model_is_ready(self, setup: str, last: str) -> None:
        assert line_before_wrapping(converted(program(setup)).text) == last

    def test_comes_once_although_the_best_state_is_loaded_later(self) -> None:
        text = converted(program("model = Net().cuda()", after="model = torch.load('best.pt')")).text
        assert line_before_wrapping(text) == "model = Net().cuda()"
        assert text.count("DistributedDataParallel(model") == 1

    def test_of_an_attribute(self) -> None:
        text = """\
            import torch
            from torch.utils.data import DataLoader
            class Trainer:
                def __init__(self, model):
                    self.model = model.cuda()
                    self.loader = DataLoader(data, 4)
                def fit(self):
                    for epoch in range(3):
                        for x in self.loader:
                            self.model(x).backward()
                    torch.save(self.model.state_dict(), "x.pt")
            if __name__ == "__main__":
                trainer = Trainer(Net())
                trainer.fit()
            """
        for name in ("self.model", "trainer.model"):
            done = converted(text, model=name).text
            assert "self.model = DistributedDataParallel(self.model, device_ids=" in done
            assert "torch.save(unwrap_model(self.model).state_dict()" in done

    def test_of_a_model_that_is_never_moved_names_no_device(self) -> None:
        done = converted(program("model = Net()"))
        assert "model = DistributedDataParallel(model)\n" in done.text
        assert "NPU423.unmoved" in done.left

    @pytest.mark.parametrize(
        ("base", "wrapped"),
        [("", False), ("(Plain)", False), ("(t.Generic[T], metaclass=M)", False), ("(Unknown)", True)],
    )
    def test_of_what_is_no_module_is_left_out(self, base: str, wrapped: bool) -> None:
        text = program("model = Points()").replace(
            "if __name__", f"class Plain:\n    pass\nclass Points{base}:\n    pass\nif __name__", 1
        )
        done = converted(text)
        assert ("DistributedDataParallel(model" in done.text) is wrapped
        assert ("NPU423.no_module" in done.left) is not wrapped

    def test_moves_a_model_first_that_only_a_later_function_would(self) -> None:
        text = """\
            import torch
            from torch import nn
            from torch.utils.data import DataLoader
            class Trainer:
                def __init__(self):
                    self.model = nn.Linear(1, 1)
                    self.loader = DataLoader(data, 4)
                def fit(self, gpu_ids):
                    self.model.to(gpu_ids[0])
                    for epoch in range(3):
                        for x in self.loader:
                            self.model(x.cuda(gpu_ids[0])).backward()
            if __name__ == "__main__":
                Trainer().fit([0])
            """
        done = converted(text, model="self.model")
        current = "torch_npu.npu.current_device()"
        assert f"DistributedDataParallel(self.model.to({current}), device_ids=[{current}])" in done.text
        assert 'self.model.to("cuda" if dist.is_initialized() else gpu_ids[0])' in done.text
        assert 'x.to("cuda" if dist.is_initialized() else f"cuda:{gpu_ids[0]}")' in done.text
        assert "NPU423.unmoved" not in done.left

    @pytest.mark.parametrize("names", ["model,self.network", "self.network,model", "model"])
    def test_of_two_names_of_one_object_comes_once(self, names: str) -> None:
        done = converted(TWO_NAMES, model=names)
        assert done.text.count("= DistributedDataParallel(") == 1
        assert "NPU423.other" not in done.left and "NPU423.unmoved" not in done.left
        assert "write(unwrap_model(self.network).state_dict())" in done.text or names != "model"

    def test_in_a_function_that_trains_a_model_again_comes_once(self) -> None:
        text = (
            program("model = Net()")
            .replace("main(args)", "main(model)")
            .replace("main(parse())", "main(main(m))")
        )
        text = text.replace("    model = Net()", "    model = model.to(d)") + "    main(m)\n"
        assert (
            "if dist.is_initialized() and not isinstance(model, DistributedDataParallel):"
            in converted(text).text
        )

    def test_of_a_part_keeps_the_names_in_the_checkpoints_of_the_whole(self) -> None:
        text = program("model = Whole().cuda()").replace(
            "def main",
            "class Whole(nn.Module):\n    def __init__(self):\n        self.net = Net()\n\ndef main",
        )
        done = converted(text, model="self.net")
        assert "self.net = keep_checkpoint_names(DistributedDataParallel(self.net.to(" in done.text

    def test_of_several_models(self) -> None:
        setup = "netG = G().cuda()\nnetD = D().cuda()\no = torch.optim.SGD(netG.parameters(), 1)"
        both = converted(program(setup, model="netG"), model="netG, netD").text
        assert "netG = DistributedDataParallel(netG" in both and "netD = DistributedDataParallel(netD" in both

    def test_a_second_model_that_is_trained_is_asked_for(self) -> None:
        setup = (
            "netG = G().cuda()\nnetD = D().cuda()\n"
            "o = torch.optim.SGD(netG.parameters(), 1)\np = torch.optim.SGD(netD.parameters(), 1)"
        )
        assert "NPU423.other" in converted(program(setup, model="netG"), model="netG").left

    def test_where_the_model_is_made_in_another_module(self) -> None:
        entry = """\
            from build import make
            from torch.utils.data import DataLoader
            def main():
                net = make()
                for epoch in range(3):
                    for x in DataLoader(data, 4):
                        net(x).backward()
            if __name__ == "__main__":
                main()
            """
        build = """\
            def make():
                model = Net()
                model.cuda()
                return model
            """
        done = converted(entry, build=build)
        assert line_before_wrapping(done.files["build.py"]) == "model.cuda()"


class TestState:
    @pytest.mark.parametrize(
        ("given", "made"),
        [
            ("torch.save(model.state_dict(), 'x')", "torch.save(unwrap_model(model).state_dict(), 'x')"),
            ("model.load_state_dict(state)", "unwrap_model(model).load_state_dict(state)"),
            ("torch.save(model, 'x')", "torch.save(unwrap_model(model), 'x')"),
            ("torch.save({'net': model}, 'x')", "torch.save({'net': unwrap_model(model)}, 'x')"),
            ("best = copy.deepcopy(model)", "best = copy.deepcopy(unwrap_model(model))"),
            ("model.head.bias.zero_()", "unwrap_model(model).head.bias.zero_()"),
            ("for name, p in model.named_parameters(): pass", "in unwrap_model(model).named_parameters()"),
            ("model.eval()", "    model.eval()"),
            ("n = sum(p.numel() for p in model.parameters())", "for p in model.parameters())"),
        ],
    )
    def test_is_reached_past_the_wrapper(self, given: str, made: str) -> None:
        assert made in converted(program("model = Net().cuda()", after=given)).text

    def test_stays_on_its_device_where_its_state_is_taken_off(self) -> None:
        text = converted(
            program("model = Net().cuda()", after="torch.save(model.cpu().state_dict(), p)")
        ).text
        assert "torch.save(copy.deepcopy(unwrap_model(model)).cpu().state_dict(), p)" in text
        given = "torch.save(model.state_dict(), p)"
        assert "deepcopy" not in converted(program("model = Net().cuda()", after=given)).text

    def test_is_left_alone_before_the_wrapping(self) -> None:
        setup = "model = Net()\nmodel.load_state_dict(state)\nmodel = model.cuda()"
        assert "    model.load_state_dict(state)\n" in converted(program(setup)).text

    def test_is_found_under_another_name_in_another_module(self) -> None:
        entry = program("model = Net().cuda()", after="keep(model, 'x')")
        done = converted(
            "from saving import keep\n" + entry, saving="def keep(net, p): write(net.state_dict(), p)\n"
        )
        assert "write(unwrap_model(net).state_dict(), p)" in done.files["saving.py"]

    @pytest.mark.parametrize(
        "statement",
        [
            "o = model.configure_optimizers(0.1)",
            "model.use_checkpointing()",
            "with torch.no_grad():\n        s = model.generate(x)\n        s.backward",
        ],
    )
    def test_a_method_that_computes_nothing_trained_is_no_error(self, statement: str) -> None:
        text = program("model = Net().cuda()", after=statement)
        assert "NPU425.method" not in errors(text)

    @pytest.mark.parametrize(
        ("statement", "is_said"),
        [
            ("s = model.generate(x)", True),
            ("with torch.no_grad():\n        s = model.generate(x)", False),
            ("with torch.inference_mode():\n        s = model.generate(x)", False),
            ("with autocast():\n        s = model.generate(x)", True),
        ],
    )
    def test_a_method_past_the_wrapper_is_said_where_there_may_be_gradients(
        self, statement: str, is_said: bool
    ) -> None:
        done = converted(program("model = Net().cuda()", after=statement))
        assert "unwrap_model(model).generate(x)" in done.text
        assert ("NPU425.method" in done.left) is is_said

    @pytest.mark.parametrize(
        "given",
        ["state = {'net': model}\n    torch.save(state, 'x')", "torch.save([1, dict(net=model)], 'x')"],
    )
    def test_is_what_is_saved_wherever_it_is_put_together(self, given: str) -> None:
        text = converted(program("model = Net().cuda()", after=given)).text
        assert "unwrap_model(model)" in text

    def test_a_method_that_may_compute_the_loss_is_said(self) -> None:
        done = converted(program("model = Net().cuda()", model="model.loss"))
        assert "unwrap_model(model).loss(x).sum().backward()" in done.text
        assert "NPU425.method" in done.left

    def test_a_method_that_computes_the_loss_is_an_error(self) -> None:
        text = program("model = Net().cuda()", model="model.loss")
        assert "NPU425.method" in errors(text)
        in_variable = "loss = model.loss(x)\n            loss.backward()"
        assert "NPU425.method" in errors(text.replace("model.loss(x).sum().backward()", in_variable))


class TestDataParallel:
    @pytest.mark.parametrize(
        ("given", "made"),
        [
            ("model = nn.DataParallel(Net()).cuda()", "model = Net().cuda()"),
            ("model = nn.DataParallel(Net().cuda(), device_ids=[0, 1])", "model = Net().cuda()"),
            ("model = torch.nn.parallel.DataParallel(module=Net()).cuda()", "model = Net().cuda()"),
        ],
    )
    def test_leaves_the_model(self, given: str, made: str) -> None:
        text = converted(program(given)).text
        assert f"    {made}\n" in text
        assert " nn.DataParallel" not in text and ".parallel.DataParallel" not in text

    @pytest.mark.parametrize("name", ["replicate", "scatter", "gather", "parallel_apply"])
    def test_made_by_hand_is_said(self, name: str) -> None:
        setup = f"model = Net().cuda()\nnn.parallel.{name}(model, [0, 1])"
        assert "NPU424.by_hand" in converted(program(setup)).left

    def test_its_module_is_there_only_behind_a_wrapper(self) -> None:
        setup = "model = nn.DataParallel(Net()).cuda()"
        text = converted(program(setup, after="torch.save(model.module.state_dict(), 'x')")).text
        assert "torch.save(unwrap_model(model).state_dict(), 'x')" in text

    def test_the_module_of_an_average_is_its_own(self) -> None:
        setup = "model = nn.DataParallel(Net()).cuda()\nswa = torch.optim.swa_utils.AveragedModel(model)"
        text = converted(program(setup, after="torch.save(swa.module.state_dict(), 'x')")).text
        assert "torch.save(swa.module.state_dict(), 'x')" in text

    def test_a_question_after_it_asks_for_its_successor(self) -> None:
        after = "net = model.module if isinstance(model, nn.DataParallel) else model"
        text = converted(program("model = nn.DataParallel(Net()).cuda()", after=after)).text
        assert "net = model.module if isinstance(model, DistributedDataParallel) else model" in text

    @pytest.mark.parametrize(
        "test", ["isinstance(model, DistributedDataParallel)", "hasattr(model, 'module')"]
    )
    @pytest.mark.parametrize(
        "use",
        [
            "net = model.module if {} else model",
            "net = (model.module) if {} else model",
            "net = model.module.state_dict() if {} else 1",
            "if {}: net = model.module",
        ],
    )
    def test_where_it_is_asked_for_its_module_that_stays(self, test: str, use: str) -> None:
        setup = "model = nn.DataParallel(Net()).cuda()"
        assert f"    {use.format(test)}\n" in converted(program(setup, after=use.format(test))).text
        otherwise = use.format("flag").replace("model.module", "unwrap_model(model)")
        assert f"    {otherwise.replace('(unwrap_model(model))', 'unwrap_model(model)')}\n" in (
            converted(program(setup, after=use.format("flag"))).text
        )

    @pytest.mark.parametrize(
        ("use", "after"),
        [
            ("net = getattr(model, 'module', model)", "net = getattr(model, 'module', model)"),
            ("ok = hasattr(model, 'head')", "ok = hasattr(unwrap_model(model), 'head')"),
            ("ok = isinstance(model, Net)", "ok = isinstance(unwrap_model(model), Net)"),
            ("head = getattr(model, 'head')", "head = getattr(unwrap_model(model), 'head')"),
            ("head = getattr(model, module)", "head = getattr(unwrap_model(model), module)"),
        ],
    )
    def test_the_wrapper_answers_for_its_module_and_the_model_for_the_rest(
        self, use: str, after: str
    ) -> None:
        assert f"    {after}\n" in converted(program("model = Net().cuda()", after=use)).text

    def test_its_function_becomes_a_call(self) -> None:
        setup = "model = Net().cuda()\ny = nn.parallel.data_parallel(model, x, [0, 1])"
        assert "y = model(x)\n" in converted(program(setup)).text


def test_a_program_that_is_distributed_already_is_left_alone() -> None:
    given = script(body="        torch.distributed.init_process_group('nccl')\n")
    done = converted(given)
    assert done.text == given
    assert done.left == ["NPU429.recognized"]


def test_an_object_that_is_made_with_others_at_once_is_known() -> None:
    text = """\
import torch
from torch import nn

class Agent:
    def __init__(self):
        self.policy = nn.Linear(2, 1).cuda()

def main():
    agent, other = Agent(), 1
    torch.save(agent.policy.state_dict(), "x")

if __name__ == "__main__":
    main()
"""
    assert "torch.save(unwrap_model(agent.policy).state_dict()" in converted(text, "self.policy").text
