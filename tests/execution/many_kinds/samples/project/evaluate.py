import configparser
import json

import torch


def device_of_json(path):
    with open(path) as file:
        config = json.load(file)
    return torch.device(config["run"]["device"])


def device_of_ini(path):
    config = configparser.ConfigParser()
    config.read(path)
    return torch.device(config["run"]["device"])
