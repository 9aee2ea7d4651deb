"""Figures of a share of the data: a mean or a sum of all processes wherever they are looked at, or said."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script

METER = """
class Meter:
    def __init__(self):
        self.reset()

    def reset(self):
        self.val = self.sum = self.count = self.avg = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count
"""


def trained(inside: str = "", after: str = "", first: str = "", before: str = "") -> str:
    """A script with statements in the loop over batches, after it, and before it."""
    lines = script(before=before).splitlines()
    step = lines.index("            optimizer.step()")
    loop = lines.index("        for x, y in loader:")
    lines[step + 1 : step + 1] = [
        *(f"            {line}" for line in inside.splitlines()),
        *(f"        {line}" for line in after.splitlines()),
    ]
    lines[loop:loop] = [f"        {line}" for line in first.splitlines()]
    return "\n".join(lines) + "\n"


def given_back(returned: str, caller: str) -> str:
    """A function that trains for an epoch and returns something, and what its caller does with that."""
    return f"""\
import torch
from torch import nn
from torch.utils.data import DataLoader

def epoch_of(model, loader, optimizer):
    total, n = 0.0, 0
    for x, y in loader:
        loss = (model(x.cuda()) - y.cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * x.size(0)
        n += x.size(0)
    return {returned}

def main():
    model = nn.Linear(2, 1).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(data, batch_size=4)
    for epoch in range(3):
        {caller}

if __name__ == "__main__":
    main()
"""


class TestMeters:
    @pytest.mark.parametrize("member", ["avg", "val"])
    def test_give_the_mean_of_all(self, member: str) -> None:
        text = trained("m.update(loss.item(), 4)", f"print(m.{member})", "m = Meter()", METER)
        assert f"figure = mean_over_processes(m.{member})\n" in converted(text).text

    @pytest.mark.parametrize("use", ["print(m.sum)", "print(m)"])
    def test_that_give_a_part_of_their_share_are_said(self, use: str) -> None:
        done = converted(trained("m.update(loss.item())", use, "m = Meter()", METER))
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_of_the_clock_are_those_of_their_process(self) -> None:
        done = converted(trained("m.update(time.time() - end)", "print(m.avg)", "m = Meter()", METER))
        assert "NPU427.share" not in done.left and "over_processes" not in done.text

    @pytest.mark.parametrize(
        ("made", "update", "use"),
        [
            ("ms = {'loss': Meter()}", "ms['loss'].update(loss.item(), 4)", "print(ms['loss'].avg)"),
            ("ms = {'loss': Meter()}", "ms['loss'].update(loss.item(), 4)", "print(ms)"),
            ("m = getattr(tools, 'Meter')()", "m.update(loss.item())", "print(m.avg)"),
            ("m = MetricLogger()", "m.update(loss=loss.item())", "print(m)"),
        ],
    )
    def test_of_classes_that_are_not_known_are_said(self, made: str, update: str, use: str) -> None:
        done = converted(trained(update, use, made, METER))
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_of_other_values_than_the_loss_are_left_alone(self) -> None:
        done = converted(trained("m.update(len(x)); loss.item()", "print(m)", "m = Counter()", METER))
        assert "NPU427.share" not in done.left

    def test_that_begin_again_are_no_figures_of_the_share(self) -> None:
        after = "m = Meter()\nfor x, y in tests:\n    m.update(1.0)\nprint(m.avg)"
        done = converted(trained("m.update(loss.item())", after, "m = Meter()", METER))
        assert "NPU427.share" not in done.left and "over_processes" not in done.text


class TestReportsWithinTheLoop:
    @pytest.mark.parametrize(
        ("report", "figure"),
        [
            ("print(loss.item())", "mean_over_processes(loss.item())"),
            ("print(f'{total / (i + 1):.3f}')", "mean_over_processes(total / (i + 1))"),
            ("print(total / 10)", "mean_over_processes(total / 10)"),
            ("print(100 * total / len(data))", "sum_over_processes(100 * total)"),
            ("bar.set_postfix(loss=loss.item())", "mean_over_processes(loss.item())"),
        ],
    )
    def test_are_of_all(self, report: str, figure: str) -> None:
        text = trained(f"total += loss.item()\n{report}").replace(
            "for x, y in loader", "for i, (x, y) in enumerate(loader)"
        )
        assert f"            figure = {figure}\n" in converted(text).text

    def test_that_not_all_come_by_are_said(self) -> None:
        done = converted(trained("if loss > 3:\n    print(loss.item())"))
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_of_counters_are_left_alone(self) -> None:
        done = converted(trained("steps += 1\nprint(steps / 10)"))
        assert "NPU427.share" not in done.left and "over_processes" not in done.text


class TestAfterTheLoop:
    @pytest.mark.parametrize(
        "after", ["print(total)", "history.append(total)", "best = min(best, total)", "plot(losses)"]
    )
    def test_what_is_not_divided_is_said_at_its_place(self, after: str) -> None:
        done = converted(trained("total += loss.item()\nlosses.append(loss.item())", after))
        assert done.left.count("NPU427.share") == 1 and "over_processes" not in done.text

    @pytest.mark.parametrize(
        ("mean", "made"),
        [
            ("sum(losses) / len(losses)", "mean_over_processes(sum(losses) / len(losses))"),
            ("sum(losses[-2:]) / 2", "mean_over_processes(sum(losses[-2:]) / 2)"),
            ("sum(losses) / 2", "sum(losses) / 2"),
        ],
    )
    def test_a_list_of_figures_gives_a_mean(self, mean: str, made: str) -> None:
        assert f"m = {made}\n" in converted(trained("losses.append(loss.item())", f"m = {mean}")).text

    def test_a_count_of_batches_under_a_name_makes_a_mean(self) -> None:
        text = trained("total += loss.item()", "print(total / n)", "n = len(loader)")
        assert "mean_over_processes(total / n)" in converted(text).text

    def test_a_name_that_begins_again_is_no_figure_of_the_share(self) -> None:
        after = "total = 0\nfor x, y in tests:\n    total += 1.5\nprint(total / len(data))"
        done = converted(trained("total += loss.item()", after))
        assert "NPU427.share" not in done.left and "over_processes" not in done.text

    def test_a_quotient_of_a_quotient_is_reduced_once(self) -> None:
        text = converted(trained("total += loss.item()", "mean = total / len(loader) / 2")).text
        assert "mean = mean_over_processes(total / len(loader)) / 2\n" in text


class TestReturned:
    def test_sums_are_followed_to_who_divides_them(self) -> None:
        text = converted(
            given_back("total, n", "total, n = epoch_of(model, loader, optimizer); print(total / n)")
        ).text
        assert "mean_over_processes(total / n)" in text and "    return total, n\n" in text

    def test_a_sum_is_that_of_all_where_the_size_of_all_divides_it(self) -> None:
        text = converted(
            given_back("total", "s = epoch_of(model, loader, optimizer); print(s / len(data))")
        ).text
        assert "figure = sum_over_processes(s)\n" in text

    def test_a_sum_that_is_used_at_once_is_said_where_it_is_returned(self) -> None:
        done = converted(given_back("total", "print(epoch_of(model, loader, optimizer) / 7)"))
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_a_sum_that_nobody_looks_at_is_nothing(self) -> None:
        assert "NPU427.share" not in converted(given_back("total", "epoch_of(model, loader, optimizer)")).left

    def test_an_attribute_is_reduced_in_the_other_methods(self) -> None:
        text = """\
import torch
from torch import nn
from torch.utils.data import DataLoader

class Trainer:
    def __init__(self):
        self.model = nn.Linear(2, 1).cuda()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(data, batch_size=4)
        self.total = 0

    def epoch(self):
        for x, y in self.loader:
            loss = (self.model(x.cuda()) - y.cuda()).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.total += loss.item()

    def mean(self):
        return self.total / len(self.loader)

    def fit(self):
        for epoch in range(3):
            self.epoch()
            print(self.mean())

if __name__ == "__main__":
    Trainer().fit()
"""
        assert (
            "return mean_over_processes(self.total / len(self.loader))" in converted(text, "self.model").text
        )
