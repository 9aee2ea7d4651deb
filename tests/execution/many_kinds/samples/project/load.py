import tomllib

import torch


def device_of_toml(path):
    with open(path, "rb") as file:
        config = tomllib.load(file)
    return torch.device(config["run"]["device"])
