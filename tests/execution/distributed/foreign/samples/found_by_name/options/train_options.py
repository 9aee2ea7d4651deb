import argparse
import os

import torch

import data
import models


class TrainOptions:
    """Options in two rounds: those of the chosen model and data set are added to the others."""

    def parse(self):
        parser = argparse.ArgumentParser()
        parser.add_argument("--gpu_ids", type=str, default="0")
        parser.add_argument("--checkpoints_dir", default=os.environ["OUTPUT"])
        parser.add_argument("--name", default="maps")
        parser.add_argument("--model", default="cycle_gan")
        parser.add_argument("--dataset_mode", default="unaligned")
        parser.add_argument("--batch_size", type=int, default=int(os.environ["BATCH_SIZE"]))
        parser.add_argument("--serial_batches", type=int, default=1)
        parser.add_argument("--n_epochs", type=int, default=2)
        parser.add_argument("--print_freq", type=int, default=2)
        opt, _ = parser.parse_known_args()
        parser = models.get_option_setter(opt.model)(parser, True)
        opt, _ = parser.parse_known_args()
        parser = data.get_option_setter(opt.dataset_mode)(parser, True)
        opt = parser.parse_args()
        opt.isTrain = True
        opt.gpu_ids = [int(item) for item in opt.gpu_ids.split(",") if int(item) >= 0]
        if len(opt.gpu_ids) > 0:
            torch.cuda.set_device(opt.gpu_ids[0])
        os.makedirs(os.path.join(opt.checkpoints_dir, opt.name), exist_ok=True)
        return opt
