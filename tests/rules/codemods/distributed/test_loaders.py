"""The training loader, and no other, gets a DistributedSampler; what cannot is said."""

from __future__ import annotations

from textwrap import dedent

import pytest

from gpu2ascend_rules.codemods.distributed import distribute
from gpu2ascend_rules.messages import render
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.rules.codemods.distributed.conversion import converted, script


def loader_of(text: str) -> list[str]:
    """The lines that make the loader and its sampler."""
    return [line.strip() for line in text.splitlines() if "Sampler(" in line or "loader = " in line]


@pytest.mark.parametrize(
    ("given", "order", "made"),
    [
        ("DataLoader(data, batch_size=4, shuffle=True)", "True",
         "DataLoader(data, batch_size=4, shuffle=train_sampler is None, sampler=train_sampler)"),
        ("DataLoader(data, 4, True)", "True",
         "DataLoader(data, 4, train_sampler is None, sampler=train_sampler)"),
        ("DataLoader(data, 4, True, None)", "True",
         "DataLoader(data, 4, train_sampler is None, train_sampler)"),
        ("DataLoader(dataset=data, shuffle=False, batch_size=4)", "False",
         "DataLoader(dataset=data, shuffle=False, batch_size=4, sampler=train_sampler)"),
        ("DataLoader(data)", "False", "DataLoader(data, sampler=train_sampler)"),
        ("DataLoader(data, 4, sampler=None, shuffle=True)", "True",
         "DataLoader(data, 4, sampler=train_sampler, shuffle=train_sampler is None)"),
        ("DataLoader(data, 4, True, None, None)", "True",
         "DataLoader(data, 4, train_sampler is None, train_sampler, None)"),
        ("DataLoader(data, shuffle=args.shuffle)", "args.shuffle",
         "DataLoader(data, shuffle=args.shuffle and train_sampler is None, sampler=train_sampler)"),
    ],
)  # fmt: skip
def test_the_sampler_takes_over_the_order(given: str, order: str, made: str) -> None:
    assert loader_of(converted(script(given)).text) == [
        f"train_sampler = DistributedSampler(data, shuffle={order}) if dist.is_initialized() else None",
        f"loader = {made}",
    ]


def test_a_data_set_that_is_made_in_the_call_is_made_once() -> None:
    text = converted(script("DataLoader(make_data(), 4, shuffle=True)")).text
    assert text.count("make_data()") == 1
    assert "DistributedSampler(train_dataset, shuffle=True)" in text


def test_an_order_that_is_computed_is_computed_once() -> None:
    text = converted(script("DataLoader(data, shuffle=wants_order())")).text
    assert text.count("wants_order()") == 1


def test_keywords_from_a_dictionary_keep_their_order() -> None:
    text = converted(script("DataLoader(data, **options)")).text
    assert 'DistributedSampler(data, shuffle=bool(options.get("shuffle")))' in text
    assert '{**options, "shuffle": False, "sampler": train_sampler}' in text


def test_a_sampler_by_its_position_is_that_of_a_process_on_its_own() -> None:
    before = "from torch.utils.data import SequentialSampler\n"
    text = converted(script("DataLoader(data, 4, False, SequentialSampler(data))", before=before)).text
    shared = "DistributedSampler(data, shuffle=False) if dist.is_initialized()"
    assert f"DataLoader(data, 4, False, {shared} else SequentialSampler(data))" in text


def test_a_random_sampler_stays_for_a_process_on_its_own() -> None:
    before = "from torch.utils.data import RandomSampler\n"
    text = converted(script("DataLoader(data, 4, sampler=RandomSampler(data))", before=before)).text
    assert (
        "sampler=DistributedSampler(data, shuffle=True) if dist.is_initialized() else RandomSampler(data)"
        in text
    )


def test_a_sampler_in_a_variable_of_its_own_is_chosen_there() -> None:
    before = "from torch.utils.data import RandomSampler\norder = RandomSampler(data)\n"
    text = converted(script("DataLoader(data, 4, sampler=order)", before=before)).text
    assert (
        "order = DistributedSampler(data, shuffle=True) if dist.is_initialized() else RandomSampler" in text
    )
    assert "loader = DataLoader(data, 4, sampler=order)\n" in text


def test_the_loader_of_an_evaluation_is_left_alone() -> None:
    body = "        for x, y in DataLoader(other, 4): model(x)\n"
    text = converted(script(body=body)).text
    assert "for x, y in DataLoader(other, 4): model(x)" in text


@pytest.mark.parametrize(
    ("loader", "before", "said"),
    [
        ("DataLoader(data, batch_sampler=batches)", "", "NPU421.batch_sampler"),
        ("DataLoader(data, 1, None, None, batches)", "", "NPU421.batch_sampler"),
        ("DataLoader(data, 4, False, balanced)", "", "NPU421.sampler"),
        ("DataLoader(data, sampler=balanced if args.balanced else None)", "", "NPU421.sampler"),
        ("DataLoader(*parts)", "", "NPU421.unpacked"),
        ("DataLoader(data, **{'sampler': s})", "", "NPU421.unpacked"),
        ("DataLoader(webdataset.WebDataset(u), 4)", "import webdataset\n", "NPU421.web"),
        ("Own(data, 4)", "class Own(DataLoader):\n    pass\n", "NPU421.own_class"),
        ("read_batches(data)", "", "NPU421.not_loader"),
    ],
)  # fmt: skip
def test_what_takes_no_sampler_is_said_and_stays(loader: str, before: str, said: str) -> None:
    done = converted(script(loader, before=before))
    assert f"loader = {loader}\n" in done.text
    assert said in done.left


OWN_SAMPLER = """
class Own:
    def __iter__(self):
        while WHILE:
            yield [0, 1]

    def __len__(self):
        return 2
"""


@pytest.mark.parametrize("keyword", ["sampler", "batch_sampler"])
def test_what_a_sampler_of_the_project_draws_is_shared_out(keyword: str) -> None:
    done = converted(
        script(f"DataLoader(data, {keyword}=Own())", before=OWN_SAMPLER.replace("WHILE", "more()"))
    )
    assert f"{keyword}=ShareOfSampler(Own()) if dist.is_initialized() else Own())" in done.text
    assert not [item for item in done.left if item.startswith("NPU421")]


@pytest.mark.parametrize("keyword", ["sampler", "batch_sampler"])
def test_a_sampler_without_an_end_is_not_shared_out(keyword: str) -> None:
    done = converted(
        script(f"DataLoader(data, {keyword}=Own())", before=OWN_SAMPLER.replace("WHILE", "True"))
    )
    assert f"NPU421.{keyword}" in done.left and "ShareOfSampler" not in done.text


def test_a_batch_sampler_of_torch_is_shared_out() -> None:
    loader = "DataLoader(data, batch_sampler=torch.utils.data.BatchSampler(range(8), 4, False))"
    assert "batch_sampler=ShareOfSampler(torch.utils.data.BatchSampler(" in converted(script(loader)).text


MAKERS = "make = lambda d, test: DataLoader(d, 4)\nmakers = {'train': lambda: DataLoader(data, 4)}\n"


@pytest.mark.parametrize(
    ("loader", "shared"),
    [
        ("makers['train']()", "DataLoader(data, 4, sampler=DistributedSampler(data, shuffle=False) if"),
        ("make(data, False)", "DataLoader(d, 4, sampler=DistributedSampler(d, shuffle=False) if"),
    ],
)
def test_loaders_of_lambdas_are_shared(loader: str, shared: str) -> None:
    assert shared in converted(script(loader, before=MAKERS)).text


def test_a_lambda_that_makes_other_loaders_too_asks_which_it_makes() -> None:
    body = "        for x, y in make(tests, True): model(x)\n"
    text = converted(script("make(data, False)", body, MAKERS)).text
    assert "if dist.is_initialized() and not test else None" in text


@pytest.mark.parametrize(
    ("splits", "shared"),
    [("('train', 'val')", 'dist.is_initialized() and s == "train"'), ("['train']", "dist.is_initialized()")],
)
def test_of_loaders_that_a_loop_makes_the_training_one_is_shared(splits: str, shared: str) -> None:
    text = f"loaders = {{}}\n    for s in {splits}:\n        loaders[s] = DataLoader(sets[s], 4)"
    given = script("0").replace("loader = 0", text).replace("in loader:", "in loaders['train']:")
    done = converted(given).text.replace("'train'", '"train"')
    assert f"DistributedSampler(sets[s], shuffle=False) if {shared} else None\n" in done


def test_of_loaders_that_a_loop_makes_under_unknown_names_none_is_shared() -> None:
    text = "loaders = {}\n    for s in names:\n        loaders[s] = DataLoader(sets[s], 4)"
    given = script("0").replace("loader = 0", text).replace("in loader:", "in loaders['train']:")
    assert "NPU421.maker" in converted(given).left


def test_what_a_loop_draws_from_beside_loaders_is_said() -> None:
    before = "from functools import partial\nmake = partial(DataLoader, batch_size=4)\n"
    given = script(before=before).replace(
        "    for epoch", "    loader = make(data) if args.fast else loader\n    for epoch"
    )
    done = converted(given)
    assert "NPU421.not_loader" in done.left and "sampler=train_sampler" in done.text


def test_of_loaders_made_together_only_the_training_one_is_shared() -> None:
    loader = "{x: DataLoader(sets[x], 4, shuffle=True) for x in ['train', 'val']}"
    text = converted(script(loader).replace("y in loader:", "y in loader['train']:")).text
    shared = "dist.is_initialized() and x == 'train'"
    assert f"sampler=DistributedSampler(sets[x], shuffle=True) if {shared} else None" in text
    assert f"shuffle=not ({shared})" in text


def test_a_loader_in_the_head_of_a_loop_is_shared() -> None:
    made = "DataLoader(TensorDataset(a, b), batch_size=4)"
    text = converted(script().replace("in loader:", f"in {made}:")).text
    assert (
        "train_sampler = DistributedSampler(train_dataset, shuffle=False) if dist.is_initialized() else"
        in text
    )
    assert "in DataLoader(train_dataset, batch_size=4, sampler=train_sampler):" in text


def test_of_loaders_that_cannot_be_distinguished_none_is_shared() -> None:
    done = converted(script("[DataLoader(part, 4) for part in parts]").replace("in loader:", "in loader[0]:"))
    assert "DistributedSampler(" not in done.text
    assert {"NPU421.nested", "NPU421.not_loader"} & set(done.left)


def test_the_loader_may_be_made_in_another_module() -> None:
    data = """\
        from torch.utils.data import DataLoader
        def make_loaders(train_set, val_set):
            train_loader = DataLoader(train_set, 4, shuffle=True)
            val_loader = DataLoader(val_set, 4)
            return train_loader, val_loader
        """
    entry = script("None", before="from data import make_loaders\n").replace(
        "    loader = None\n", "    loader, val_loader = make_loaders(a, b)\n"
    )
    done = converted(entry, data=data)
    assert "DistributedSampler(train_set, shuffle=True)" in done.files["data.py"]
    assert "val_loader = DataLoader(val_set, 4)\n" in done.files["data.py"]
    assert "if isinstance(loader.sampler, DistributedSampler):" in done.text


def test_loaders_that_are_gone_through_side_by_side_are_all_shared() -> None:
    other = "        other = DataLoader(more, 4)\n"
    entry = script().replace("    for epoch", f"{other[4:]}    for epoch")
    text = converted(entry.replace("for x, y in loader", "for x, y in zip(loader, other)")).text
    for data, loader in (("data", "loader"), ("more", "other")):
        assert f"DistributedSampler({data}, shuffle=" in text
        assert f"{loader}.sampler.set_epoch(epoch)" in text


def test_the_epoch_reaches_a_loader_behind_a_progress_bar() -> None:
    entry = script(before="from tqdm import tqdm").replace(
        "        for x, y in loader:", "        bar = tqdm(enumerate(loader))\n        for i, (x, y) in bar:"
    )
    assert "loader.sampler.set_epoch(epoch)" in converted(entry).text


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "it comes from `read_batches(data)`"), ("zh", "它来自 `read_batches(data)`")],
)
def test_data_that_is_no_loader_is_said_with_where_it_comes_from(language: str, words: str) -> None:
    chosen = {"version": "2.8.0", "distributed": True, "main_file": "a.py", "target_model": "model"}
    source = SourceFile(dedent(script("read_batches(data)")), "a.py")
    findings = distribute(source, options_from(chosen), STANDALONE).files["a.py"].findings
    (message,) = (item.message for item in findings if item.message.id == "NPU421.not_loader")
    assert words in render(message, language)


@pytest.mark.parametrize(
    ("loader", "made"),
    [
        (
            "DataLoader(data, sampler=torch.utils.data.WeightedRandomSampler(w, 9))",
            "sampler=ShareOfSampler(torch.utils.data.WeightedRandomSampler(w, 9)) if dist.is_initialized()",
        ),
        (
            "DataLoader(data, 4, sampler=torch.utils.data.SubsetRandomSampler(i))",
            "sampler=ShareOfSampler(torch.utils.data.SubsetRandomSampler(i)) if dist.is_initialized() else",
        ),
        ("DataLoader(Stream(), 4)", "ShareOfStream(Stream()) if dist.is_initialized() else Stream()"),
    ],
)
def test_what_draws_or_streams_the_data_is_shared_out_itself(loader: str, made: str) -> None:
    before = "class Stream(torch.utils.data.IterableDataset):\n    def __iter__(self): ...\n"
    done = converted(script(loader, before=before))
    assert made in done.text and not {"NPU421.sampler", "NPU421.iterable"} & set(done.left)


def test_a_generator_without_an_end_counts_its_passes() -> None:
    before = "def cycle(dl):\n    while True:\n        for batch in dl:\n            yield batch\n"
    text = converted(script(before=before).replace("y in loader", "y in cycle(loader)")).text
    assert "        if isinstance(dl.sampler, DistributedSampler):\n" in text
    assert "            dl.sampler.set_epoch(dl.sampler.epoch + 1)\n        for batch in dl:" in text
    assert "sampler=train_sampler)" in text


def test_an_object_that_is_gone_through_shares_the_loader_in_it() -> None:
    before = (
        "class Data:\n    def __init__(self):\n        self.loader = DataLoader(data, 4)\n"
        "    def __iter__(self):\n        for batch in self.loader:\n            yield batch\n"
    )
    text = converted(script("Data()", before=before)).text
    assert "self.loader = DataLoader(data, 4, sampler=train_sampler)" in text
    assert "self.loader.sampler.set_epoch(self.loader.sampler.epoch + 1)" in text


MAKER = "def make(d, train=False):\n    return DataLoader(d, 4)\n"


def test_a_function_for_several_loaders_shares_that_of_the_training() -> None:
    body = "        for x, y in make(other): model(x)\n"
    text = converted(script("make(data, True)", before=MAKER, body=body)).text
    assert "DistributedSampler(d, shuffle=False) if dist.is_initialized() and train else None" in text


def test_a_function_that_does_not_know_what_for_is_reported() -> None:
    body = "        for x, y in make(other): model(x)\n"
    done = converted(script("make(data)", before=MAKER, body=body))
    assert "NPU421.maker" in done.left and "DistributedSampler(" not in done.text


def test_the_batches_of_a_method_that_optimizes_are_found_by_its_name() -> None:
    text = """\
        import torch
        from torch.utils.data import DataLoader
        class Model:
            def __init__(self):
                self.net = torch.nn.Linear(1, 1).cuda()
            def optimize_parameters(self):
                self.net(self.x).backward()
        if __name__ == "__main__":
            model = MODELS["a"]()
            loader = DataLoader(data, 4)
            for epoch in range(3):
                for x in loader:
                    model.optimize_parameters()
        """
    done = converted(text, model="self.net")
    assert (
        "loader = DataLoader(data, 4, sampler=train_sampler)" in done.text
        and "NPU421.no_loop" not in done.left
    )
