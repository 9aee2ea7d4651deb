"""Options with gpu_ids, a loader class, a model that optimizes its parameters: the style of CycleGAN."""

import argparse
import os

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self):
        g = torch.Generator().manual_seed(3)
        self.a = torch.randn(32, 4, generator=g)
        self.b = self.a * 2 + 1

    def __len__(self):
        return 32

    def __getitem__(self, i):
        return {"A": self.a[i], "B": self.b[i]}


class CustomDatasetDataLoader:
    def __init__(self, opt):
        self.opt = opt
        self.dataset = Pairs()
        self.dataloader = torch.utils.data.DataLoader(
            self.dataset, batch_size=opt.batch_size, shuffle=not opt.serial_batches, num_workers=0
        )

    def load_data(self):
        return self

    def __len__(self):
        return len(self.dataset)

    def __iter__(self):
        for i, data in enumerate(self.dataloader):
            if i * self.opt.batch_size >= self.opt.max_dataset_size:
                break
            yield data


def create_dataset(opt):
    data_loader = CustomDatasetDataLoader(opt)
    dataset = data_loader.load_data()
    return dataset


def init_net(net, gpu_ids=[]):
    if len(gpu_ids) > 0:
        assert torch.cuda.is_available()
        net.to(gpu_ids[0])
        net = torch.nn.DataParallel(net, gpu_ids)
    for m in net.modules():
        if isinstance(m, nn.Linear):
            nn.init.normal_(m.weight, 0, 0.1)
    return net


def define_G(gpu_ids):
    return init_net(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)), gpu_ids)


def define_D(gpu_ids):
    return init_net(nn.Sequential(nn.Linear(8, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1)), gpu_ids)


class BaseModel:
    def __init__(self, opt):
        self.gpu_ids = opt.gpu_ids
        self.device = torch.device("cuda:{}".format(self.gpu_ids[0])) if self.gpu_ids else torch.device("cpu")
        self.optimizers = []

    def set_requires_grad(self, nets, flag):
        for p in nets.parameters():
            p.requires_grad = flag

    def save_networks(self, epoch):
        for name in self.model_names:
            net = getattr(self, "net" + name)
            path = os.path.join(os.environ["OUTPUT"], "%s_net_%s.pth" % (epoch, name))
            if len(self.gpu_ids) > 0 and torch.cuda.is_available():
                torch.save(net.module.cpu().state_dict(), path)
                net.cuda(self.gpu_ids[0])
            else:
                torch.save(net.cpu().state_dict(), path)


class Pix2PixModel(BaseModel):
    def __init__(self, opt):
        BaseModel.__init__(self, opt)
        self.model_names = ["G", "D"]
        self.netG = define_G(self.gpu_ids)
        self.netD = define_D(self.gpu_ids)
        self.criterionGAN = nn.BCEWithLogitsLoss()
        self.optimizer_G = torch.optim.Adam(self.netG.parameters(), lr=0.01)
        self.optimizer_D = torch.optim.Adam(self.netD.parameters(), lr=0.01)

    def set_input(self, input):
        self.real_A = input["A"].to(self.device)
        self.real_B = input["B"].to(self.device)

    def forward(self):
        self.fake_B = self.netG(self.real_A)

    def gan_loss(self, prediction, real):
        return self.criterionGAN(prediction, torch.full_like(prediction, float(real)))

    def backward_D(self):
        fake = torch.cat((self.real_A, self.fake_B), 1)
        real = torch.cat((self.real_A, self.real_B), 1)
        self.loss_D = (
            self.gan_loss(self.netD(fake.detach()), False) + self.gan_loss(self.netD(real), True)
        ) * 0.5
        self.loss_D.backward()

    def backward_G(self):
        fake = torch.cat((self.real_A, self.fake_B), 1)
        self.loss_G = self.gan_loss(self.netD(fake), True) + (self.fake_B - self.real_B).abs().mean()
        self.loss_G.backward()

    def optimize_parameters(self):
        self.forward()
        self.set_requires_grad(self.netD, True)
        self.optimizer_D.zero_grad()
        self.backward_D()
        self.optimizer_D.step()
        self.set_requires_grad(self.netD, False)
        self.optimizer_G.zero_grad()
        self.backward_G()
        self.optimizer_G.step()


def create_model(opt):
    models = {"pix2pix": Pix2PixModel}
    instance = models[opt.model](opt)
    print("model [%s] was created" % type(instance).__name__)
    return instance


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu_ids", type=str, default="0")
    parser.add_argument("--model", default="pix2pix")
    parser.add_argument("--batch_size", type=int, default=int(os.environ["BATCH_SIZE"]))
    parser.add_argument("--serial_batches", action="store_true", default=True)
    parser.add_argument("--max_dataset_size", type=int, default=1000)
    opt = parser.parse_args()
    opt.gpu_ids = [int(i) for i in opt.gpu_ids.split(",") if int(i) >= 0]
    if len(opt.gpu_ids) > 0:
        torch.cuda.set_device(opt.gpu_ids[0])
    return opt


if __name__ == "__main__":
    torch.manual_seed(6)
    opt = parse()
    dataset = create_dataset(opt)
    print("The number of training images = %d" % len(dataset))
    model = create_model(opt)
    for epoch in range(1, 4):
        for i, data in enumerate(dataset):
            model.set_input(data)
            model.optimize_parameters()
        model.save_networks(epoch)
    with torch.no_grad():
        model.set_input({"A": dataset.dataset.a, "B": dataset.dataset.b})
        model.forward()
        figure = model.fake_B.mean().item()
    print("result", figure)
