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

COMPREHENSION = """
import torch
from torch.utils.data import DataLoader

def main():
    model = torch.nn.Linear(2, 1).cuda()
    loader = DataLoader(data, batch_size=4)

    def step(batch):
        loss = model(batch).mean()
        loss.backward()
        return loss.item()

    for epoch in range(3):
        {kept}
        {shown}

if __name__ == "__main__":
    main()
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


def test_a_loop_for_training_and_evaluation_adds_up_where_its_loader_is_shared() -> None:
    made = "{x: DataLoader(sets[x], 4) for x in ['train', 'val']}"
    text = script(made).replace(
        "        for x, y in loader:", "        total = 0.0\n        for x, y in loader[phase]:"
    )
    text = text.replace("for epoch in range(3):", "for phase in ['train', 'val']:")
    text = text.replace("optimizer.step()", "optimizer.step()\n            total += loss.item() * 4")
    done = converted(
        text.replace("\n\nif __name__", "\n        print(total / sizes[phase])\n\nif __name__")
    ).text
    is_shared = 'isinstance(getattr(loader[phase], "sampler", None), DistributedSampler)'
    assert f"(sum_over_processes(total) if {is_shared} else total)" in done


@pytest.mark.parametrize("mean", ["torch.stack(losses).mean().item()", "sum(losses) / len(losses)"])
def test_of_a_generator_are_means_where_they_are_yielded(mean: str) -> None:
    text = given_back("total", "pass").replace(
        "    return total", f"        losses.append(loss)\n    yield n, {mean}"
    )
    text = text.replace("total, n = 0.0, 0", "total, n, losses = 0.0, 0, []")
    use = "for n, mean in epoch_of(model, loader, optimizer):\n            plateau.step(mean)"
    text = text.replace(
        "    for epoch in range(3):\n        pass", f"    for epoch in range(3):\n        {use}"
    )
    text = text.replace(
        "    loader =", "    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)\n    loader ="
    )
    done = converted(text)
    assert "figure = mean_over_processes(" in done.text and "yield n, figure" in done.text
    assert "NPU427.undecided" not in done.left


class TestSeveralOfABatch:
    """What a loop shows beside its loss is of the whole batch, too."""

    def test_the_mean_over_a_batch_of_which_the_number_is_taken_later(self) -> None:
        given = trained("hits = (model(x) == y).float().mean()\nprint(loss.item(), hits.item())")
        text = converted(given).text
        assert "figure = mean_over_processes(loss.item())\n" in text
        assert "figure_2 = mean_over_processes(hits.item())\n" in text
        assert "print(figure, figure_2)" in text

    def test_a_mean_of_each_sample_is_no_figure(self) -> None:
        text = converted(trained("rows = model(x).mean(1)\nprint(loss.item(), rows)")).text
        assert "figure = mean_over_processes(loss.item())\n" in text
        assert "mean_over_processes(rows" not in text

    @pytest.mark.parametrize("total", ["loss + extra", "loss + 0.1 * extra", "(loss - extra)"])
    def test_the_terms_of_a_summed_loss(self, total: str) -> None:
        made = f"extra = (model(x) - y).abs().max()\nwhole = {total}\nwhole.backward()\n"
        step = f"{made}print(whole.item(), extra)"
        assert "mean_over_processes(extra)\n" in converted(trained(step)).text


class TestSums:
    def test_that_a_loop_goes_through(self) -> None:
        given = trained("total += out", "for one in (total / len(loader)).tolist():\n    print(one)")
        given = given.replace("    for epoch", "    total = torch.zeros(2)\n    for epoch")
        text = converted(given).text
        assert "mean_over_processes(total / len(loader))" in text

    def test_of_other_sums(self) -> None:
        step = "total += loss.item()"
        text = converted(trained(step, "whole += total / len(loader)", "total = 0")).text
        assert "whole += mean_over_processes(total / len(loader))" in text
        assert "NPU427.share" in converted(trained(step, "whole += total", "total = 0")).left

    def test_that_a_function_of_the_program_gets_are_said(self) -> None:
        shown = "def show(value):\n    print(value)\n"
        step = "total += loss.item()\nshow({})"
        assert "NPU427.share" in converted(trained(step.format("total"), "", "total = 0", shown)).left
        assert "NPU427.share" not in converted(trained(step.format("epoch"), "", "total = 0", shown)).left


class TestMeters:
    @pytest.mark.parametrize("member", ["avg", "val"])
    def test_give_the_mean_of_all(self, member: str) -> None:
        text = trained("m.update(loss.item(), 4)", f"print(m.{member})", "m = Meter()", METER)
        assert f"figure = mean_over_processes(m.{member})\n" in converted(text).text

    @pytest.mark.parametrize("use", ["print(m.sum)", "print(m)"])
    def test_that_give_a_part_of_their_share_are_said(self, use: str) -> None:
        done = converted(trained("m.update(loss.item())", use, "m = Meter()", METER))
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_that_another_object_shows_are_said(self) -> None:
        first = "m = Meter()\nprogress = Progress(len(loader), [m], 'epoch')"
        given = trained("m.update(loss.item())\nprogress.display(epoch)", "", first, METER)
        done = converted(given)
        assert "NPU427.share" in done.left and "over_processes" not in done.text
        assert "NPU427.share" not in converted(given.replace("[m]", "[]")).left

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


class TestCountsOfTheLoop:
    """What the loop counts itself is the size of the share: a quotient by it is a mean of the share."""

    @pytest.mark.parametrize(
        "divisor", ["n", "max(n, 1)", "(n * 4)", "float(n)", "(len(loader) * 4)", "seen['n']", "step"]
    )
    def test_make_a_mean_of_a_sum(self, divisor: str) -> None:
        inside = "total += loss.item()\nn += 1\nseen['n'] += 1\nstep = epoch * 9 + n"
        text = converted(trained(inside, f"m = total / {divisor}", "total, n = 0.0, 0")).text
        assert f"m = mean_over_processes(total / {divisor})\n" in text

    @pytest.mark.parametrize(
        ("loop", "divisor"),
        [
            ("for i, (x, y) in enumerate(loader):", "(i + 1)"),
            ("for i in range(args.rounds):", "args.rounds"),
            ("for i in range(args.rounds):", "(i + 1)"),
        ],
    )
    def test_are_its_numbers_and_its_rounds(self, loop: str, divisor: str) -> None:
        drawn = "" if "enumerate" in loop else "x, y = next(batches)"
        given = trained("total += loss.item()", f"m = total / {divisor}", "batches = iter(loader)")
        given = given.replace("for x, y in loader:", f"{loop}\n            {drawn}")
        assert f"m = mean_over_processes(total / {divisor})\n" in converted(given).text

    def test_divide_in_place(self) -> None:
        text = converted(trained("total += loss.item()\nn += 1", "total /= n\nprint(total)")).text
        assert "total /= n\n        total = mean_over_processes(total)\n" in text

    @pytest.mark.parametrize(
        ("returned", "caller", "made"),
        [
            (
                "total / n, n",
                "epoch_of(model, loader, optimizer)",
                "return mean_over_processes(total / n), n",
            ),
            (
                "total, n",
                "a, b = epoch_of(model, loader, optimizer); print(a / b)",
                "figure = mean_over_processes(a / b)",
            ),
        ],
    )
    def test_are_returned_or_divide_what_is(self, returned: str, caller: str, made: str) -> None:
        assert made in converted(given_back(returned, caller).replace("n += x.size(0)", "n += 1")).text

    @pytest.mark.parametrize("size", ["size", "len(data)", "(len(data) / 4)"])
    def test_are_no_sizes_of_all_data(self, size: str) -> None:
        text = converted(trained("total += loss.item()\nsize = len(data)", f"m = total / {size}")).text
        assert f"m = sum_over_processes(total) / {size}\n" in text


class TestOtherPasses:
    """A pass over a loader that is shared goes through a share, too, though it does not train."""

    ACCURACY = """
def accuracy(model, batches):
    hits = 0
    for x, y in batches:
        hits += (model(x.cuda()).argmax(1) == y.cuda()).sum().item()
    return hits / len(batches.dataset)
"""

    def test_give_the_sum_of_all(self) -> None:
        body = "    hits = 0\n    for x, y in loader:\n        hits += (y == 1).sum().item()\n"
        text = converted(script(body=f"{body}    print(hits / len(loader.dataset))\n")).text
        assert "    figure = sum_over_processes(hits)\n" in text

    def test_in_a_function_give_it_where_the_data_is_shared(self) -> None:
        tests = "accuracy(model, DataLoader(tests, 4))"
        body = f"    a, b = accuracy(model, loader), {tests}\n"
        text = converted(script(before=self.ACCURACY, body=body)).text
        asked = 'isinstance(getattr(batches, "sampler", None), DistributedSampler)'
        assert f"    return (sum_over_processes(hits) if {asked} else hits) / len(batches.dataset)\n" in text

    @pytest.mark.parametrize(
        "makers",
        [
            "def made(d, shuffle):\n    return DataLoader(d, 4, shuffle)\n"
            "{0} = made(data, True)\n{1} = made(held, False)",
            "for phase in ('train', 'val'):\n    both[phase] = DataLoader(sets[phase], 4)\n"
            "{0}, {1} = both['train'], both['val']",
        ],
    )
    def test_over_a_loader_of_several_that_one_call_makes_ask_whether_it_is_shared(self, makers: str) -> None:
        before = f"{self.ACCURACY}\nboth = {{}}\n{makers.format('first', 'second')}\n"
        given = script("first", before=before, body="    a = accuracy(model, second)\n")
        assert "return sum_over_processes(hits)" not in converted(given).text

    def test_over_data_of_which_some_is_shared_leave_a_mean_of_the_rest_alone(self) -> None:
        before = self.ACCURACY.replace("hits +=", "n += 1; hits +=").replace("len(batches.dataset)", "n")
        body = "    a, b = accuracy(model, loader), accuracy(model, DataLoader(tests, 4))\n"
        text = converted(script(before=before, body=body)).text
        asked = 'isinstance(getattr(batches, "sampler", None), DistributedSampler)'
        assert f"    return (mean_over_processes(hits / n) if {asked} else hits / n)\n" in text

    def test_that_not_all_make_are_said(self) -> None:
        body = "        if loss < 3:\n            a = accuracy(model, loader)\n"
        done = converted(script(before=self.ACCURACY, body=body))
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_over_data_that_all_have_are_left_alone(self) -> None:
        body = "    a = accuracy(model, DataLoader(tests, 4))\n"
        done = converted(script(before=self.ACCURACY, body=body))
        assert "NPU427.share" not in done.left and "over_processes" not in done.text


class TestFiguresOfBatches:
    ACCURACY = "acc = ((model(x) > 0) == y).float().mean().item()"

    @pytest.mark.parametrize(
        ("inside", "made"),
        [
            ("err = loss + penalty\nprint(err.item())", "mean_over_processes(err.item())"),
            (f"{ACCURACY}\nprint(loss.item(), acc)", "mean_over_processes(acc)"),
            (
                "v = loss.item()\nm = v if m is None else 0.9 * m + 0.1 * v\nprint(m)",
                "mean_over_processes(m)",
            ),
            ("m = (m * i + loss.item()) / (i + 1)\nprint(m)", "mean_over_processes(m)"),
        ],
    )
    def test_that_a_mean_makes_those_of_all(self, inside: str, made: str) -> None:
        assert f" = {made}\n" in converted(trained(inside)).text

    @pytest.mark.parametrize(
        "inside",
        [
            "hits = (model(x) == y).sum().item()\nprint(hits)",
            "line = f'{loss.item():.3f}'\nprint(line)",
            "line = 'loss %f' % loss.item()\nprint(line)",
            "p = math.exp(loss.item())\nprint(p)",
            "best = min(best, loss.item())\nprint(best)",
        ],
    )
    def test_that_no_mean_makes_those_of_all_are_said(self, inside: str) -> None:
        done = converted(trained(inside))
        assert "NPU427.share" in done.left and "over_processes" not in done.text

    def test_in_lists_are_said_where_they_are_looked_at(self) -> None:
        done = converted(trained("p.extend(y.tolist())", "f = f1_score(t, p)\nlogging.info('f1 %f', f)"))
        assert "NPU427.share" in done.left

    @pytest.mark.parametrize(
        "inside",
        [
            "norm = clip_grad_norm_(model.parameters(), 1.0).item()\nprint(norm)",
            "lr = optimizer.param_groups[0]['lr'] * 2\nprint(lr)",
            "size = x.size(0)\nprint(size, x.shape)",
            "hits = (model(x) == y).sum().item()\ntotal += hits",
        ],
    )
    def test_what_is_none_is_left_alone(self, inside: str) -> None:
        done = converted(trained(inside))
        assert "NPU427.share" not in done.left and "over_processes" not in done.text


class TestKeys:
    """A key of a dictionary that has its mean is no figure of the share any more."""

    FIRST = "s = {'a': 0.0, 'b': 0.0}"
    SUMS = "s['a'] += loss.item()\ns['b'] += loss.item()"

    @pytest.mark.parametrize(
        "after",
        ["s['a'] /= len(loader)\nprint(s['a'])", "s['a'] /= len(loader)\ns['b'] /= len(loader)\nprint(s)"],
    )
    def test_that_are_divided_are_said_no_more(self, after: str) -> None:
        done = converted(trained(self.SUMS, after, self.FIRST))
        assert "s['a'] = mean_over_processes(s['a'])\n" in done.text and "NPU427.share" not in done.left

    @pytest.mark.parametrize("shown", ["s", "s['b']"])
    def test_beside_one_that_is_divided_are_said(self, shown: str) -> None:
        done = converted(trained(self.SUMS, f"s['a'] /= len(loader)\nprint({shown})", self.FIRST))
        assert "NPU427.share" in done.left


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


@pytest.mark.parametrize(
    ("kept", "figure"),
    [
        ("losses = [step(batch) for batch in loader]", "sum(losses) / len(losses)"),
        ("outs = [step(batch) for batch in loader]", "sum(one['loss'] for one in outs) / len(outs)"),
        ("outs = [step(batch) for batch in loader]", "torch.stack([one['loss'] for one in outs]).mean()"),
        ("losses, hits = zip(*[step(batch) for batch in loader])", "sum(hits) / len(loader)"),
        ("total = sum(step(batch) for batch in loader)", "total / len(loader)"),
    ],
)
def test_of_a_comprehension_over_batches_are_means(kept: str, figure: str) -> None:
    done = converted(COMPREHENSION.format(kept=kept, shown=f"print({figure})"))
    assert f"figure = mean_over_processes({figure})" in done.text and not done.left


def test_of_a_comprehension_in_its_own_statement_is_a_mean() -> None:
    figure = "sum([step(batch) for batch in loader]) / len(loader)"
    done = converted(COMPREHENSION.format(kept=f"mean = {figure}", shown="print(mean)"))
    assert f"mean = mean_over_processes({figure})" in done.text and not done.left


@pytest.mark.parametrize(
    ("kept", "shown"),
    [
        ("outs = [step(batch) for batch in loader]", "print(outs)"),
        ("outs = [step(batch) for batch in loader]", "print(sum(one ** 2 for one in outs) / len(outs))"),
        ("worst = max(step(batch) for batch in loader)", "print(worst)"),
    ],
)
def test_of_a_comprehension_that_show_no_mean_are_said(kept: str, shown: str) -> None:
    assert converted(COMPREHENSION.format(kept=kept, shown=shown)).left == ["NPU427.share"]


@pytest.mark.parametrize("given", ["loss", "loss.item(), len(x)"])
def test_of_objects_that_are_called_are_followed(given: str) -> None:
    called = METER.replace("def update", "def __call__")
    meter = trained(f"meter({given})", "print(meter.avg)", "meter = Meter()", called)
    assert "figure = mean_over_processes(meter.avg)" in converted(meter).text
    held = trained(f"meters['loss']({given})", "print({k: m.avg for k, m in meters.items()})",
                   "meters = {'loss': Meter()}", called)  # fmt: skip
    assert "NPU427.share" in converted(held).left


@pytest.mark.parametrize(
    "shown",
    [
        "for name, value in sums.items():\n    print(name, value / len(loader))",
        "means = [value / len(loader) for value in sums.values()]",
        "pairs = sums.items()",
    ],
)
def test_sums_of_a_dictionary_that_are_gone_through_are_said(shown: str) -> None:
    start = "sums = {'loss': 0.0}"
    assert "NPU427.share" in converted(trained("sums['loss'] += loss.item()", shown, start)).left
    assert "NPU427.share" not in converted(trained("sums['loss'] += 1", shown, start)).left


def test_a_loss_that_a_model_gives_beside_its_output_is_that_of_a_share() -> None:
    inside = (
        "out, loss = model(x, y)\nloss.backward()\nif i % 2 == 0:\n    shown = loss.item()\n    print(shown)"
    )
    text = converted(trained(inside).replace("for x, y in loader", "for i, (x, y) in enumerate(loader)")).text
    assert "figure = mean_over_processes(shown)" in text and "print(figure)" in text
