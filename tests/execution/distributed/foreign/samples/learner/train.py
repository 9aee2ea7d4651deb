"""A learner whose callbacks save, count and end the training; each is in a file of its own."""

import os

import torch
from callbacks import Log, Save, Stop
from data import loaders
from learner import Learner

def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    train_dl, valid_dl = loaders(int(os.environ["BATCH_SIZE"]))
    callbacks = [Log(), Save(os.path.join(os.environ["OUTPUT"], "best.pt")), Stop(0.5)]
    learner = Learner(model, torch.nn.MSELoss(), torch.optim.SGD, 0.1, train_dl, valid_dl, device, callbacks)
    learner.fit(8)

if __name__ == "__main__":
    main()
