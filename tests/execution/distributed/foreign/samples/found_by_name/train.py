"""Models and data sets found by their names with importlib: the layout of a well-known repository."""

import time

import torch
from data import create_dataset
from models import create_model
from options.train_options import TrainOptions

if __name__ == "__main__":
    torch.manual_seed(6)
    opt = TrainOptions().parse()
    dataset = create_dataset(opt)
    print("The number of training images = %d" % len(dataset))
    model = create_model(opt)
    model.setup(opt)
    total_iters = 0
    for epoch in range(1, opt.n_epochs + 1):
        epoch_start_time = time.time()
        for i, data in enumerate(dataset):
            total_iters += opt.batch_size
            model.set_input(data)
            model.optimize_parameters()
            if i % opt.print_freq == 0:
                losses = model.get_current_losses()
                print(epoch, i, losses)
        model.save_networks("latest")
        model.save_networks(epoch)
        print("End of epoch %d \t Time Taken: %d sec" % (epoch, time.time() - epoch_start_time))
        model.update_learning_rate()
    with torch.no_grad():
        whole = dataset.dataset
        model.set_input({"A": whole.a, "B": whole.b})
        model.forward()
        figure = model.fake_B.mean().item()
    print("result", figure)
