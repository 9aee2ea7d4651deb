"""Train ShapesNet.

One GPU:      python train.py
All GPUs:     bash scripts/train_ddp.sh 4
On a laptop:  python train.py --device cpu --epochs 1
"""

import argparse
import os
import random

import torch
import torch.backends.cudnn as cudnn
import yaml
from torch.cuda.amp import GradScaler
from torch.nn.parallel import DistributedDataParallel

from shapes import checkpoint
from shapes.data import CLASSES, build_loader
from shapes.engine import evaluate, train_one_epoch
from shapes.model import ShapesNet
from shapes.utils import distributed, gpu
from shapes.utils.logger import get_logger


def get_args():
    parser = argparse.ArgumentParser(description="Train a classifier of synthetic shapes")
    parser.add_argument("--config", default="config/default.yaml", help="defaults of the options below")
    parser.add_argument("--output", default="runs/default", help="where checkpoints and the log go")
    parser.add_argument("--resume", default="", help="checkpoint to resume from")
    # data
    parser.add_argument("--image-size", type=int)
    parser.add_argument("--train-samples", type=int)
    parser.add_argument("--val-samples", type=int)
    parser.add_argument("--batch-size", type=int, help="per GPU")
    parser.add_argument("--workers", type=int)
    # model and optimizer
    parser.add_argument("--width", type=int)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--lr", type=float)
    parser.add_argument("--momentum", type=float)
    parser.add_argument("--weight-decay", type=float)
    parser.add_argument("--sync-bn", action="store_true")
    # hardware
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"], help="cuda or cpu")
    parser.add_argument("--dist-backend", default="nccl", help="nccl, or gloo on CPUs")
    parser.add_argument("--no-amp", dest="amp", action="store_false", default=None, help="train in float32")
    parser.add_argument("--amp-dtype", default="fp16", choices=["fp16", "bf16", "auto"])
    parser.add_argument("--nvtx", action="store_true", help="mark the steps for Nsight Systems")
    # the rest
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--print-freq", type=int, default=10)
    args = parser.parse_args()

    with open(args.config) as file:
        for key, value in yaml.safe_load(file).items():
            if getattr(args, key, None) is None:
                setattr(args, key, value)
    if args.device == "cpu":
        args.amp = False
    return args


def set_seed(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    cudnn.benchmark = True


def build_model(args, device):
    model = ShapesNet(len(CLASSES), args.width)
    if args.sync_bn and device.type == "cuda":
        model = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    if args.device == "cuda":
        model = model.cuda(args.local_rank)
    if args.distributed:
        device_ids = [args.local_rank] if device.type == "cuda" else None
        model = DistributedDataParallel(model, device_ids=device_ids)
    return model


def main():
    args = get_args()
    device = distributed.init(args)
    set_seed(args.seed + args.rank)
    os.makedirs(args.output, exist_ok=True)
    logger = get_logger(args.output)
    logger.info(gpu.describe(device))

    train_loader = build_loader(args, train=True, distributed=args.distributed)
    val_loader = build_loader(args, train=False, distributed=args.distributed)
    model = build_model(args, device)
    criterion = torch.nn.CrossEntropyLoss(label_smoothing=0.05).to(device)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=args.lr, momentum=args.momentum, weight_decay=args.weight_decay, nesterov=True
    )
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=args.epochs)
    scaler = GradScaler(enabled=args.amp)

    start_epoch, best = 0, 0.0
    if args.resume:
        start_epoch, best = checkpoint.resume(args.resume, model, optimizer, scheduler, scaler, args)
        logger.info("resumed from %s at epoch %d", args.resume, start_epoch)

    for epoch in range(start_epoch, args.epochs):
        if args.distributed:
            train_loader.sampler.set_epoch(epoch)
        train_one_epoch(model, train_loader, criterion, optimizer, scaler, device, epoch, args, logger)
        acc = evaluate(model, val_loader, criterion, device, args, logger)
        scheduler.step()

        is_best, best = acc > best, max(acc, best)
        state = (model, optimizer, scheduler, scaler, epoch, best)
        checkpoint.save(os.path.join(args.output, "last.pth"), *state)
        if is_best:
            checkpoint.save(os.path.join(args.output, "best.pth"), *state)
        if args.device == "cuda":
            torch.cuda.empty_cache()
            logger.info("GPU utilization: %s%%", gpu.utilization())

    logger.info("best acc@1 %.2f", best)
    distributed.cleanup()


if __name__ == "__main__":
    main()
