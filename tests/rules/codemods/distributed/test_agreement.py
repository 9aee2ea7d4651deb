"""What all processes do alike: waits, decisions and figures never depend on one process's own values."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, errors, script

WAIT = "if dist.is_initialized():\n            dist.barrier()\n"


def in_epoch(statements: str, before: str = "import os\n") -> str:
    """The text of a script with statements at the end of each epoch."""
    lines = "\n".join(f"        {line}" for line in statements.splitlines())
    return converted(script(body=f"        torch.save(model.state_dict(), p)\n{lines}\n", before=before)).text


class TestWaiting:
    @pytest.mark.parametrize(
        "condition",
        ["if os.path.exists(p):", "if loss < 1:", "while not done():", "for p in glob(q):", "try:"],
    )
    def test_is_done_before_a_condition_that_processes_may_answer_differently(self, condition: str) -> None:
        end = "\nexcept OSError:\n    s = torch.load(q)" if condition == "try:" else ""
        text = in_epoch(f"{condition}\n    s = torch.load(p){end}")
        assert text.count("barrier()") == 1 or condition == "try:"
        assert f"        {WAIT}        {condition}\n" in text or f"        {WAIT}        try:" in text

    def test_stays_below_a_condition_on_the_options(self) -> None:
        text = in_epoch("if args.resume:\n    s = torch.load(p)", "from options import args\n")
        assert "        if args.resume:\n            if dist.is_initialized():\n" in text

    def test_is_done_before_the_call_of_a_function_that_only_some_call(self) -> None:
        before = "import os\ndef read(p):\n    return torch.load(p)\n"
        text = in_epoch("if os.path.exists(p):\n    read(p)", before)
        assert f"        {WAIT}        if os.path.exists(p):\n            read(p)\n" in text
        assert "def read(p):\n    return torch.load(p)\n" in text

    def test_is_said_where_it_is_not_known_who_comes_by(self) -> None:
        before = "class Keeper:\n    def restore(self):\n        return torch.load(self.p)\n"
        done = converted(script(body="        torch.save(s, p)\n", before=before))
        assert "NPU426.unwaited" in done.left and "barrier" not in done.text

    def test_is_nothing_for_the_workers_that_read_items(self) -> None:
        before = "class Items:\n    def __getitem__(self, i):\n        return torch.load(self.p[i])\n"
        done = converted(script(body="        torch.save(s, p)\n", before=before))
        assert "NPU426.unwaited" not in done.left and "barrier" not in done.text
        assert "if is_main_process():\n            torch.save(s, p)" in done.text

    def test_for_a_download_is_not_done_where_only_some_come_by(self) -> None:
        body = "        if not os.path.exists(r):\n            d = MNIST(r, download=True)\n"
        before = "import os\nfrom torchvision.datasets import MNIST\n"
        done = converted(script(body=body, before=before))
        assert "NPU426.download" in done.left and "main_process_first" not in done.text


class TestGuards:
    @pytest.mark.parametrize(
        ("given", "made"),
        [
            (
                "if bad: print(1); break",
                "if bad:\n            if is_main_process():\n                print(1)\n            break\n",
            ),
            ("print(1); y = 3", "if is_main_process():\n            print(1)\n        y = 3\n"),
            ("y = 3; print(1)  # why", "y = 3\n        if is_main_process():\n            print(1)  # why\n"),
            (
                "y = 3; print(1); z = 4; w = 5",
                "y = 3\n        if is_main_process():\n            print(1)\n        z = 4; w = 5\n",
            ),
        ],
    )
    def test_hold_nothing_but_the_call(self, given: str, made: str) -> None:
        text = in_epoch(f"w = 5\n{given}".replace("bad", "args.bad"), "from options import args\n")
        assert f"        {made.replace('bad', 'args.bad')}" in text

    @pytest.mark.parametrize(
        "statement",
        [
            "print(y := 3)",
            "print((yield))",
            "print(list(map(evaluate, loaders)))",
            "print(x and metric.compute())",
        ],
    )
    def test_are_not_put_around_what_all_must_do(self, statement: str) -> None:
        assert f"        {statement}\n" in in_epoch(statement)

    @pytest.mark.parametrize(
        "body", ["best = loss\n    f.write(t)", "f.write(t)\n    break", "f.write(t)\n    self.n += 1"]
    )
    def test_are_not_put_around_a_file_beside_which_something_is_kept(self, body: str) -> None:
        text = in_epoch(f'with open(p, "w") as f:\n    {body}\nprint(best)')
        assert '        if is_main_process():\n            with open(p, "w")' not in text
        assert "if is_main_process():\n            print(best)" in text

    def test_are_put_around_what_only_names_a_file(self) -> None:
        before = "import os\ndef where(name):\n    return os.path.join('out', name)\n"
        text = in_epoch("torch.save(s, where('x'))", before)
        assert "            torch.save(s, where('x'))\n" in text


def in_loop(statements: str, after: str = "") -> str:
    """A script with statements in the loop over batches, and after it."""
    inner = "\n".join(f"            {line}" for line in statements.splitlines())
    outer = "\n".join(f"        {line}" for line in after.splitlines())
    given = script().replace(
        "            optimizer.zero_grad()\n", f"{inner}\n            optimizer.zero_grad()\n"
    )
    return given.replace("            optimizer.step()\n", f"            optimizer.step()\n{outer}\n")


class TestDecisions:
    @pytest.mark.parametrize(
        ("given", "made"),
        [
            ("if torch.isnan(loss):\n    continue", "if agreed(torch.isnan(loss)):"),
            ("if loss > 9 or (a and b):\n    break", "if agreed(loss > 9 or (a and b)):"),
            ("if (loss > 9):\n    return", "if agreed((loss > 9)):"),
            ("if random.random() < 0.5:\n    continue", 'if agreed(random.random() < 0.5, by="first"):'),
            ("if x is None: print(1); continue", "if agreed(x is None):"),
            ("if loss > 9:\n    sys.exit(0)", "if agreed(loss > 9):"),
            ("if loss > 9:\n    sys.exit(status)", "if agreed(loss > 9):"),
            ("if loss > 9:\n    os._exit(0)", "if agreed(loss > 9):"),
            ("if loss > 9:\n    quit()", "if agreed(loss > 9):"),
            ("if loss > 9:\n    raise SystemExit", "if agreed(loss > 9):"),
            (
                "for _ in range(random.randint(1, 3)):\n    loss.backward()",
                "for _ in range(from_main_process(random.randint(1, 3))):",
            ),
            (
                "n = randint(1, 3)\nfor _ in range(n):\n    loss.backward()",
                "for _ in range(from_main_process(n)):",
            ),
        ],
    )
    def test_to_leave_the_training_out_are_put_to_the_vote(self, given: str, made: str) -> None:
        assert f"            {made}\n" in converted(in_loop(given)).text

    @pytest.mark.parametrize("end", ["return", "optimizer.param_groups[0]['lr'] = 1e-5"])
    def test_behind_the_training_are_each_process_its_own(self, end: str) -> None:
        inside = in_loop(f"if loss > 9:\n    {end}")
        assert "if agreed(loss > 9):" in converted(inside).text
        behind = script().replace("\n\nif __name__", f"\n    if loss > 9:\n        {end}\n\n\nif __name__")
        assert "    if loss > 9:\n" in converted(behind).text and "agreed" not in converted(behind).text

    def test_to_train_need_all(self) -> None:
        text = converted(script().replace("loss.backward()", "if loss < 9: loss.backward()")).text
        assert 'if agreed(loss < 9, by="all"):' in text

    @pytest.mark.parametrize(
        "given",
        [
            "if epoch > 3:\n    continue",
            "if args.dry_run:\n    break",
            "if loss > 3:\n    print(1)",
            "for i in range(3):\n    if loss > i:\n        break",
            "if loss > 3:\n    raise ValueError(loss)",
            "if loss > 3:\n    sys.exit(1)",
            "if loss > 3:\n    sys.exit('nan')",
            "for _ in range(x.size(0)):\n    loss.backward()",
        ],
    )
    def test_that_are_alike_or_lead_nowhere_are_left_alone(self, given: str) -> None:
        text = in_loop(given).replace("import torch\n", "import torch\nfrom options import args\n", 1)
        assert "agreed(" not in converted(text).text and "from_main" not in converted(text).text

    def test_to_end_the_process_in_a_function_that_a_loop_calls(self) -> None:
        text = converted(
            script()
            .replace(
                "    for epoch in range(3):\n", "    for epoch in range(3):\n        go(model, loader)\n\n"
            )
            .replace("        for x, y in loader:", "def go(model, loader):\n        for x, y in loader:")
            .replace(
                "            optimizer.step()\n",
                "            optimizer.step()\n        if loss > 9: exit()\n",
            )
        ).text
        assert "if agreed(loss > 9): exit()" in text

    @pytest.mark.parametrize(
        ("condition", "made"),
        [
            ("x.max().item() == 15", "agreed(x.max().item() == 15)"),
            ("loss.item() < best", "agreed(loss.item() < best)"),
            ("epoch % 2 == 0", "epoch % 2 == 0"),
        ],
    )
    @pytest.mark.parametrize("call", ["model(z)", "evaluate(model)"])
    def test_to_call_a_model_that_sends_its_buffers_are_put_to_the_vote(
        self, condition: str, made: str, call: str
    ) -> None:
        before = "def evaluate(net):\n    net.eval()\n    return net(z)\n"
        given = script(before=before, body=f"        if {condition}:\n            v = {call}\n")
        with_buffers = given.replace("nn.Linear(2, 1)", "nn.Sequential(nn.Linear(2, 1), nn.BatchNorm1d(1))")
        assert f"        if {made}:\n" in converted(with_buffers).text
        assert f"        if {condition}:\n" in converted(given).text

    @pytest.mark.parametrize(
        "given", ["if wait >= 3:\n    break", "if loss > last:\n    for g in o.param_groups: g['lr'] *= 0.5"]
    )
    def test_after_an_epoch_too(self, given: str) -> None:
        assert (
            f"        if agreed({given[3 : given.index(':')]}):\n" in converted(in_loop("pass", given)).text
        )

    def test_of_a_scheduler_are_on_figures_of_all(self) -> None:
        text = in_loop("pass", "plateau.step(loss)").replace(
            "    for epoch",
            "    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)\n    for epoch",
        )
        assert "plateau.step(mean_over_processes(loss))\n" in converted(text).text

    def test_where_no_loop_over_shared_data_is_known_are_errors(self) -> None:
        given = script().replace("for x, y in loader:", "while not finished():").replace("loader", "memory")
        assert "NPU427.undecided" in errors(given) and "agreed(" not in converted(given).text

    def test_on_what_is_assigned_with_others_need_no_vote(self) -> None:
        given = in_loop("if epoch % every == 0:\n    continue").replace(
            "    for epoch", "    every, clip = 2, 0.1\n    for epoch"
        )
        assert "agreed(" not in converted(given).text

    @pytest.mark.parametrize(
        ("optimizer", "returned"), [("LBFGS", "mean_over_processes(loss)"), ("SGD", "loss")]
    )
    def test_of_an_optimizer_that_looks_at_the_loss_are_on_that_of_all(
        self, optimizer: str, returned: str
    ) -> None:
        text = f"""\
import torch
from torch.utils.data import DataLoader

def main():
    model = torch.nn.Linear(2, 1).cuda()
    optimizer = torch.optim.{optimizer}(model.parameters(), lr=0.1)
    for epoch in range(3):
        for x, y in DataLoader(data, batch_size=4):
            def closure():
                optimizer.zero_grad()
                loss = (model(x.cuda()) - y.cuda()).mean()
                loss.backward()
                return loss
            optimizer.step(closure)

if __name__ == "__main__":
    main()
"""
        done = converted(text)
        assert f"                return {returned}\n" in done.text
        assert "DistributedSampler(data, shuffle=False)" in done.text, "the loop is that of the step"

    def test_by_an_exception_are_errors(self) -> None:
        text = script().replace(
            "loss.backward()",
            "try:\n                loss.backward()\n            except OSError:\n                continue",
        )
        assert "NPU427.excepted" in errors(text)

    @pytest.mark.parametrize(
        ("tried", "handled", "is_said"),
        [
            ("state = model.module", "state = model", False),
            ("state = model.module", "continue", True),
            ("loss = model(x)\n                loss.backward()", "pass", True),
            ("y = model(x)", "y = x", True),
        ],
    )
    def test_by_an_exception_count_where_a_step_is_left_out(
        self, tried: str, handled: str, *, is_said: bool
    ) -> None:
        block = (
            f"try:\n                {tried}\n            except AttributeError:\n                {handled}"
        )
        text = script().replace("loss.backward()", f"loss.backward()\n            {block}")
        assert ("NPU427.excepted" in errors(text)) is is_said


class TestFigures:
    @pytest.mark.parametrize(
        ("after", "made"),
        [
            ("mean = total / len(loader)", "mean = mean_over_processes(total / len(loader))"),
            ("mean = total / len(data)", "mean = sum_over_processes(total) / len(data)"),
            ("mean = 100. * total / 32", "mean = sum_over_processes(100. * total) / 32"),
            ("total /= len(loader)", "total /= len(loader)\n        total = mean_over_processes(total)"),
            ("total /= len(data)", "total = sum_over_processes(total)\n        total /= len(data)"),
        ],
    )
    def test_of_a_share_become_those_of_all(self, after: str, made: str) -> None:
        text = in_loop("total += loss.item()", after).replace("    for epoch", "    total = 0\n    for epoch")
        assert f"        {made}\n" in converted(text).text

    def test_are_taken_before_a_report_that_one_process_makes(self) -> None:
        text = in_loop("total += loss.item()", "print(total / len(loader))")
        assert (
            "        figure = mean_over_processes(total / len(loader))\n"
            "        if is_main_process():\n            print(figure)\n"
        ) in converted(text).text

    def test_that_not_all_come_by_are_reported(self) -> None:
        text = in_loop("total += loss.item()", "if total > 3:\n    print(total / len(loader))")
        done = converted(text)
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_of_batch_normalization_name_its_counterpart(self) -> None:
        assert "NPU427.batch_norm" in converted(script(before="norm = nn.BatchNorm2d(3)\n")).left
