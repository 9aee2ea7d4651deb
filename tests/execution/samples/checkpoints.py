"""Train, save, resume in every manner, go on."""
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F


def build():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)).cuda()
    return model, torch.optim.Adam(model.parameters(), lr=0.02)


def step(model, optimizer, x, y):
    loss = F.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


def save(path, model, optimizer):
    torch.save(
        {
            "state_dict": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "cuda_rng_state": torch.cuda.get_rng_state(),
            "all_rng_states": torch.cuda.get_rng_state_all(),
        },
        path,
    )


def resume(path, model, optimizer, **how):
    checkpoint = torch.load(path, **how)
    model.load_state_dict(checkpoint["state_dict"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint


def main():
    torch.manual_seed(0)
    gpu = 0
    x = torch.randn(32, 4, device="cuda")
    y = x.prod(1, keepdim=True)
    model, optimizer = build()
    losses = [step(model, optimizer, x, y).item() for _ in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint.pth.tar")
        save(path, model, optimizer)
        noise = torch.randn(3, device="cuda")
        for map_location in (
            "cuda",
            "cuda:0",
            torch.device("cuda:0"),
            torch.device("cuda", gpu),
            f"cuda:{gpu}",
            "cuda:{}".format(gpu),
        ):
            model, optimizer = build()
            checkpoint = resume(path, model, optimizer, map_location=map_location)
            assert checkpoint["state_dict"]["0.weight"].is_cuda
            losses.append(step(model, optimizer, x, y).item())
        checkpoint = torch.load(path, map_location=lambda storage, loc: storage.cuda(0))
        assert checkpoint["state_dict"]["0.weight"].device.type == "cuda"
        checkpoint = torch.load(path, map_location=lambda storage, loc: storage)
        assert not checkpoint["state_dict"]["0.weight"].is_cuda
        checkpoint = torch.load(path, map_location="cpu")
        model.load_state_dict(checkpoint["state_dict"])
        torch.cuda.set_rng_state(checkpoint["cuda_rng_state"])
        torch.cuda.set_rng_state_all(checkpoint["all_rng_states"])
        assert torch.equal(noise, torch.randn(3, device="cuda"))
    for _ in range(4):
        loss = step(model, optimizer, x, y)
    print(f"first loss {losses[0]:.4f} last loss {loss.item():.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
