"""The learner: it owns the model and calls its callbacks by name."""

import torch
from callbacks import StopTraining

class Learner:
    def __init__(self, model, loss_func, opt_func, lr, train_dl, valid_dl, device, callbacks=()):
        self.device = device
        self.model = model.to(device)
        self.loss_func = loss_func
        self.opt = opt_func(self.model.parameters(), lr=lr)
        self.train_dl, self.valid_dl = train_dl, valid_dl
        self.callbacks = list(callbacks)

    def __call__(self, name):
        for cb in self.callbacks:
            getattr(cb, name, lambda learner: None)(self)

    def one_batch(self, batch):
        x, y = batch
        self.pred = self.model(x.to(self.device))
        self.loss = self.loss_func(self.pred, y.to(self.device))
        if self.model.training:
            self.loss.backward()
            self.opt.step()
            self.opt.zero_grad()
        self("after_batch")

    def all_batches(self, dl, train):
        self.model.train(train)
        self.dl = dl
        self("before_epoch")
        for batch in dl:
            self.one_batch(batch)
        self("after_epoch")

    def fit(self, epochs):
        try:
            for self.epoch in range(epochs):
                self.all_batches(self.train_dl, True)
                with torch.no_grad():
                    self.all_batches(self.valid_dl, False)
        except StopTraining:
            print("stopped")
        self("after_fit")
