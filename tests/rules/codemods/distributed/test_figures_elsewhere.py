"""Figures of a share of the data that other code shows: other passes, keys, results and comprehensions."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script
from tests.rules.codemods.distributed.figures import METER, given_back, trained

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


@pytest.mark.parametrize(
    "keep",
    [
        "total, n = self.kept.get(name, (0.0, 0)); self.kept[name] = (total + float(value), n + 1)",
        "self.kept.setdefault(name, []); self.kept[name].append(value.item())",
        "self.kept[name] = self.kept.get(name, 0.0) + value.item()",
        "self.kept[name] += value.item()",
    ],
)
@pytest.mark.parametrize("shown", ["{k: max(v) for k, v in self.kept.items()}", "dict(self.kept)"])
def test_what_a_method_keeps_by_names_is_said_where_it_is_looked_at(keep: str, shown: str) -> None:
    text = f"""
import torch
from torch import nn
from torch.utils.data import DataLoader

class Task:
    def __init__(self):
        self.model = nn.Linear(2, 1).cuda()
        self.kept = {{}}

    def log(self, name, value):
        {keep}

    def logged(self):
        return {shown}

    def step(self, batch):
        loss = self.model(batch.cuda()).mean()
        self.log("loss", loss)
        return loss

def fit(task):
    for epoch in range(3):
        for batch in DataLoader(data, 4):
            task.step(batch).backward()
        print(task.logged())

fit(Task())
"""
    assert "NPU427.share" in converted(text, "self.model").left
