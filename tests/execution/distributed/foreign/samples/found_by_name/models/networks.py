import torch
from torch import nn
from torch.optim import lr_scheduler


def init_net(net, init_gain=0.1, gpu_ids=[]):
    if len(gpu_ids) > 0:
        assert torch.cuda.is_available()
        net.to(gpu_ids[0])
        net = torch.nn.DataParallel(net, gpu_ids)
    for m in net.modules():
        if isinstance(m, nn.Linear):
            nn.init.normal_(m.weight, 0.0, init_gain)
    return net


def define_G(width, gpu_ids=[]):
    return init_net(nn.Sequential(nn.Linear(4, width), nn.ReLU(), nn.Linear(width, 4)), 0.2, gpu_ids)


def define_D(width, gpu_ids=[]):
    return init_net(nn.Sequential(nn.Linear(4, width), nn.LeakyReLU(0.2), nn.Linear(width, 1)), 0.2, gpu_ids)


def get_scheduler(optimizer, opt):
    return lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: 1.0 / (1 + epoch))


class GANLoss(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("real_label", torch.tensor(1.0))
        self.register_buffer("fake_label", torch.tensor(0.0))
        self.loss = nn.MSELoss()

    def __call__(self, prediction, target_is_real):
        target = self.real_label if target_is_real else self.fake_label
        return self.loss(prediction, target.expand_as(prediction))
