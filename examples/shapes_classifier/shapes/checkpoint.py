"""Saving a run and picking it up again."""

import os
import random

import torch

from shapes.utils import distributed


def save(path, model, optimizer, scheduler, scaler, epoch, best):
    if not distributed.is_main_process():
        return
    state = {
        "model": distributed.unwrap(model).state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "epoch": epoch,
        "best": best,
        "rng": {"python": random.getstate(), "torch": torch.get_rng_state()},
    }
    if torch.cuda.is_available():
        state["rng"]["cuda"] = torch.cuda.get_rng_state_all()
    # written aside first: a job killed in the middle must not leave half a checkpoint
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)


def resume(path, model, optimizer, scheduler, scaler, args):
    """Returns the epoch to start with and the best accuracy so far."""
    if args.device == "cuda":
        # map the model to be loaded to this process' GPU
        map_location = "cuda:{}".format(args.local_rank)
    else:
        map_location = "cpu"
    state = torch.load(path, map_location=map_location, weights_only=False)

    distributed.unwrap(model).load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    random.setstate(state["rng"]["python"])
    torch.set_rng_state(state["rng"]["torch"].cpu())
    if torch.cuda.is_available() and "cuda" in state["rng"]:
        torch.cuda.set_rng_state_all([rng.cpu() for rng in state["rng"]["cuda"]])
    return state["epoch"] + 1, state["best"]
