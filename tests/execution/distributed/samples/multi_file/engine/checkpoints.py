import torch


def save_model(net, path):
    torch.save(net.state_dict(), path)
    print("saved to", path)
