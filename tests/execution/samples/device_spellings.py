"""Every way to spell a device that people have thought of."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

DEFAULTS = dict(device="cuda", lr=0.1)


def make_batch(n, device="cuda:0"):
    x = torch.randn(n, 8, device=device)
    y = (x.sum(1) > 0).long()
    return x, y


def pick_device(name=None, index=0):
    if name is not None:
        return torch.device(name)
    return torch.device("cuda", index) if torch.cuda.is_available() else torch.device("cpu")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")
    parser.add_argument("--gpu", type=int, default=0)
    args = parser.parse_args()

    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    spellings = [
        torch.device("cuda"),
        torch.device("cuda:0"),
        torch.device("cuda", args.gpu),
        torch.device(type="cuda", index=args.gpu),
        torch.device(f"cuda:{args.gpu}"),
        torch.device("cuda:{}".format(args.gpu)),
        torch.device("cuda:%d" % args.gpu),
        torch.device("cuda:" + str(args.gpu)),
        torch.device("cuda" ":0"),
        torch.device(args.device),
        torch.device(DEFAULTS["device"]),
        pick_device(),
        pick_device("cuda:0"),
        torch.zeros(1, device="cuda").device,
        torch.zeros(1).to("cuda").device,
        torch.zeros(1).to(device="cuda:0").device,
        torch.zeros(1).to(f"cuda:{args.gpu}", non_blocking=True).device,
        torch.tensor([1.0], device=torch.device("cuda")).device,
    ]
    for d in spellings:
        assert d.type == "cuda", d
        assert torch.ones(1, device=d).is_cuda
    assert str(device).startswith("cuda")
    assert "cuda" in str(device)
    assert device.type != "cpu"
    assert device == torch.device("cuda:0")
    assert hasattr(torch, "cuda") and getattr(torch, "cuda").is_available()

    with torch.cuda.device(0):
        model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)).to(args.device)
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=DEFAULTS["lr"])
    x, y = make_batch(64)
    losses = []
    for _ in range(20):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print("using cuda device", device.index)
    print(f"first loss {losses[0]:.4f} last loss {losses[-1]:.4f}")
    print("loss on", loss.device, "parameters on", next(model.parameters()).device)


if __name__ == "__main__":
    main()
