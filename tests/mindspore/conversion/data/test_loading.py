"""Datasets and their loaders keep their arguments, and come from the helper file of the project."""

from __future__ import annotations

import pytest

from ..converting import converted

HEAD = "import torch\nfrom torch.utils.data import DataLoader, Dataset, random_split\n\n"


def test_a_dataset_of_the_file_and_its_loader() -> None:
    text = (
        f"{HEAD}class Points(Dataset):\n    def __init__(self, data):\n        self.data = data\n\n"
        "    def __getitem__(self, index):\n        return torch.from_numpy(self.data[index])\n\n\n"
        "loader = DataLoader(Points(rows), 4, shuffle=True, num_workers=2, pin_memory=True)\n"
    )
    answer = converted(text)
    assert "from x2ms_helpers import like_torch\n" in answer.text
    assert (
        "class Points(like_torch.Dataset):" in answer.text
        and "return Tensor(self.data[index])" in answer.text
    )
    assert (
        "like_torch.DataLoader(Points(rows), 4, shuffle=True, num_workers=2, pin_memory=True)" in answer.text
    )
    assert answer.parts == {"dataset", "data_loader"}


@pytest.mark.parametrize(
    "name",
    [
        "torch.utils.data.DataLoader",
        "torch.utils.data.dataloader.DataLoader",
        "torch.utils.data.sampler.RandomSampler",
        "torch.utils.data.dataset.Subset",
        "torch.utils.data.default_collate",
    ],
)
def test_a_name_may_be_written_in_full(name: str) -> None:
    answer = converted(f"import torch\n\nmade = {name}(data)\n")
    assert answer.text.endswith(f"made = like_torch.{name.rpartition('.')[2]}(data)\n")


@pytest.mark.parametrize(
    "argument",
    ["generator=source", "worker_init_fn=seeded", "batch_size=None", "1, False, None, None, 0, None, True"],
)
def test_what_a_loader_cannot_do_keeps_the_file(argument: str) -> None:
    text = f"{HEAD}loader = DataLoader(data, {argument})\n"
    answer = converted(text)
    assert answer.blockers == {f"DataLoader(data, {argument})": "argument"} and answer.text == text


@pytest.mark.parametrize("options", ["{'worker_init_fn': seeded}", "dict(worker_init_fn=seeded)"])
def test_arguments_in_a_dictionary_are_looked_at(options: str) -> None:
    text = f"{HEAD}options = {options}\nloader = DataLoader(data, **options)\n"
    assert "argument" in converted(text).blockers.values()
    assert converted(text.replace("worker_init_fn", "num_workers")).text.endswith(
        "loader = like_torch.DataLoader(data, **options)\n"
    )


def test_the_seed_of_a_split_stays() -> None:
    text = f"{HEAD}a, b = random_split(data, [3, 2], generator=torch.Generator().manual_seed(42))\n"
    assert "like_torch.random_split(data, [3, 2], seed=42)\n" in converted(text).text


def test_a_generator_from_elsewhere_keeps_the_file() -> None:
    text = f"{HEAD}a, b = random_split(data, [3, 2], generator=source)\n"
    assert "argument" in converted(text).blockers.values()


def test_an_iterable_dataset_is_that_of_the_helper() -> None:
    text = "import torch\n\n\nclass Lines(torch.utils.data.IterableDataset):\n    pass\n"
    assert "class Lines(like_torch.IterableDataset):\n" in converted(text).text
    asks = f"{text}\n\nworker = torch.utils.data.get_worker_info()\n"
    assert "no-target" in converted(asks).blockers.values()


def test_the_sampler_of_several_processes_needs_the_option() -> None:
    text = (
        "import torch\nfrom torch.utils.data.distributed import DistributedSampler\n\n"
        "sampler = DistributedSampler(data, num_replicas=4, rank=1)\nsampler.set_epoch(3)\n"
    )
    assert converted(text).blockers == {"DistributedSampler(data, num_replicas=4, rank=1)": "processes"}
    answer = converted(text, distributed=True)
    assert (
        "sampler = like_torch.DistributedSampler(data, num_replicas=4, rank=1)\nsampler.set_epoch(3)"
        in answer.text
    )


def test_a_class_without_a_base_is_no_tensor() -> None:
    text = (
        "import torch\n\n\nclass Rows:\n    def first(self):\n        return torch.from_numpy(self.data[0])\n"
    )
    assert "return Tensor(self.data[0])" in converted(text).text
    assert "receiver" in converted(text.replace("Rows:", "Rows(Base):")).blockers.values()
