from abc import ABC, abstractmethod

import torch.utils.data as data


class BaseDataset(data.Dataset, ABC):
    def __init__(self, opt):
        self.opt = opt

    @staticmethod
    def modify_commandline_options(parser, is_train):
        parser.add_argument("--max_dataset_size", type=float, default=float("inf"))
        return parser

    @abstractmethod
    def __len__(self):
        return 0
