"""Figures of a share of the data: a mean or a sum of all processes wherever they are looked at, or said."""

from __future__ import annotations

import pytest

from tests.rules.codemods.distributed.conversion import converted, script
from tests.rules.codemods.distributed.figures import METER, given_back, trained


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
