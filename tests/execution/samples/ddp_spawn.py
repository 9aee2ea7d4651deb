"""Distributed training that starts its own processes, in the manner of the ImageNet example."""
import argparse
import os

import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.parallel


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--world-size", default=1, type=int)
    parser.add_argument("--rank", default=0, type=int)
    parser.add_argument("--dist-url", default=None, type=str)
    parser.add_argument("--dist-backend", default="nccl", type=str, help="distributed backend")
    args = parser.parse_args()
    if args.dist_url is None:
        args.dist_url = "tcp://{}:{}".format(os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
    if torch.cuda.is_available():
        ngpus_per_node = torch.cuda.device_count()
    else:
        ngpus_per_node = 1
    args.world_size = ngpus_per_node * args.world_size
    mp.spawn(main_worker, nprocs=ngpus_per_node, args=(ngpus_per_node, args))


def main_worker(gpu, ngpus_per_node, args):
    args.gpu = gpu
    if args.gpu is not None:
        print("Use GPU: {} for training".format(args.gpu))
    args.rank = args.rank * ngpus_per_node + gpu
    dist.init_process_group(
        backend=args.dist_backend or ("nccl" if dist.is_nccl_available() else "gloo"),
        init_method=args.dist_url,
        world_size=args.world_size,
        rank=args.rank,
    )
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
    if torch.cuda.is_available():
        if args.gpu is not None:
            torch.cuda.set_device(args.gpu)
            model.cuda(args.gpu)
            model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[args.gpu])
    device = torch.device("cuda:{}".format(args.gpu))
    criterion = nn.MSELoss().to(device)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    cudnn.benchmark = True

    torch.manual_seed(args.rank)
    x = torch.randn(32, 6).cuda(args.gpu, non_blocking=True)
    y = x.sum(dim=1, keepdim=True)
    losses = []
    for _ in range(12):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    total = torch.tensor([losses[-1], 1.0], dtype=torch.float32, device=device)
    dist.all_reduce(total, dist.ReduceOp.SUM, async_op=False)
    assert total[1].item() == args.world_size
    group = dist.new_group(list(range(args.world_size)), backend="nccl")
    dist.broadcast(total, src=0, group=group)
    dist.barrier()
    print("first loss %.4f last loss %.4f" % (losses[0], losses[-1]))
    print("loss on", loss.device, "parameters on", next(model.parameters()).device, flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
