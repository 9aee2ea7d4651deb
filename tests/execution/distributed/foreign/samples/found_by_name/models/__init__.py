"""The model is found by its name: ``models/<name>_model.py`` has the class ``<Name>Model``."""

import importlib

from models.base_model import BaseModel


def find_model_using_name(model_name):
    modellib = importlib.import_module("models." + model_name + "_model")
    model = None
    target_model_name = model_name.replace("_", "") + "model"
    for name, cls in modellib.__dict__.items():
        if name.lower() == target_model_name.lower() and issubclass(cls, BaseModel):
            model = cls
    if model is None:
        exit(0)
    return model


def get_option_setter(model_name):
    return find_model_using_name(model_name).modify_commandline_options


def create_model(opt):
    model = find_model_using_name(opt.model)
    instance = model(opt)
    print("model [%s] was created" % type(instance).__name__)
    return instance
