"""What all processes do alike: waits, decisions and figures never depend on one process's own values."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

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
        ["print(y := 3)", "print((yield))", "print(list(map(evaluate, loaders)))", "print(metric.compute())"],
    )
    def test_are_not_put_around_what_all_must_do(self, statement: str) -> None:
        assert f"        {statement}\n" in in_epoch(statement)

    @pytest.mark.parametrize(
        "body", ["best = loss\n    f.write(t)", "f.write(t)\n    break", "f.write(t)\n    self.n += 1"]
    )
    def test_are_not_put_around_a_file_beside_which_something_is_kept(self, body: str) -> None:
        text = in_epoch(f'with open(p, "w") as f:\n    {body}\nprint(best)')
        assert '        if is_main_process():\n            with open(p, "w")' not in text

    def test_are_put_around_what_only_names_a_file(self) -> None:
        before = "import os\ndef where(name):\n    return os.path.join('out', name)\n"
        text = in_epoch("torch.save(s, where('x'))", before)
        assert "            torch.save(s, where('x'))\n" in text
