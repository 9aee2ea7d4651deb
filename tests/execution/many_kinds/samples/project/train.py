import argparse
import os

import torch
import torch.distributed as dist
import yaml


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    parser.add_argument("--dist-backend", default="gloo", choices=["nccl", "gloo"])
    parser.add_argument("--name", default="run")
    args = parser.parse_args()
    with open(args.config) as file:
        config = yaml.safe_load(file)
    device = torch.device(config["run"]["device"], int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    dist.init_process_group(args.dist_backend)
    torch.manual_seed(config["run"]["seed"])
    model = torch.nn.Linear(4, 1).to(device)
    model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[device.index])
    optimizer = torch.optim.SGD(model.parameters(), lr=config["optim"]["lr"])
    for _ in range(config["optim"]["steps"]):
        loss = (model(torch.ones(2, 4, device=device)) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    total = torch.ones(1, device=device)
    dist.all_reduce(total)
    print(f"{args.name} rank {dist.get_rank()} of {int(total)} on {device} loss {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
