"""Callbacks: they get the learner, and reach its model and its loss."""

import torch

class StopTraining(Exception):
    pass

class Log:
    def before_epoch(self, learner):
        self.total = 0.0

    def after_batch(self, learner):
        self.total += learner.loss.item()

    def after_epoch(self, learner):
        self.mean = self.total / len(learner.dl)
        print(learner.epoch, learner.model.training, f"result {self.mean:.4f}")

class Save:
    def __init__(self, path):
        self.path = path

    def after_epoch(self, learner):
        if not learner.model.training:
            torch.save({"model": learner.model.state_dict(), "epoch": learner.epoch}, self.path)

class Stop:
    def __init__(self, target):
        self.target = target

    def after_batch(self, learner):
        self.last = learner.loss.item()

    def after_epoch(self, learner):
        if learner.model.training and self.last < self.target:
            raise StopTraining()
