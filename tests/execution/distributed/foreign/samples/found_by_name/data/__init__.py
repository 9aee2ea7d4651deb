"""The data set is found by its name: ``data/<name>_dataset.py`` has the class ``<Name>Dataset``."""

import importlib

import torch.utils.data

from data.base_dataset import BaseDataset


def find_dataset_using_name(dataset_name):
    datasetlib = importlib.import_module("data." + dataset_name + "_dataset")
    dataset = None
    for name, cls in datasetlib.__dict__.items():
        if name.lower() == dataset_name + "dataset" and issubclass(cls, BaseDataset):
            dataset = cls
    return dataset


def get_option_setter(dataset_name):
    return find_dataset_using_name(dataset_name).modify_commandline_options


def create_dataset(opt):
    data_loader = CustomDatasetDataLoader(opt)
    dataset = data_loader.load_data()
    return dataset


class CustomDatasetDataLoader:
    def __init__(self, opt):
        self.opt = opt
        dataset_class = find_dataset_using_name(opt.dataset_mode)
        self.dataset = dataset_class(opt)
        print("dataset [%s] was created" % type(self.dataset).__name__)
        self.dataloader = torch.utils.data.DataLoader(
            self.dataset, batch_size=opt.batch_size, shuffle=not opt.serial_batches, num_workers=0
        )

    def load_data(self):
        return self

    def __len__(self):
        return min(len(self.dataset), self.opt.max_dataset_size)

    def __iter__(self):
        for i, data in enumerate(self.dataloader):
            if i * self.opt.batch_size >= self.opt.max_dataset_size:
                break
            yield data
