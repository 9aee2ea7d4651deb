"""One epoch of training, one pass of evaluation."""

import sys
import math
import time

import torch
from torch.cuda.amp import autocast

from shapes.data import CUDAPrefetcher
from shapes.utils import gpu
from shapes.utils.logger import memory_summary
from shapes.utils.meters import AverageMeter, accuracy


def to_device(loader, device):
    if device.type == "cuda":
        return CUDAPrefetcher(loader, device)
    return ((images.to(device), target.to(device)) for images, target in loader)


def train_one_epoch(model, loader, criterion, optimizer, scaler, device, epoch, args, logger):
    model.train()
    losses = AverageMeter("loss", device)
    top1 = AverageMeter("acc@1", device)
    amp_dtype = gpu.autocast_dtype(args.amp_dtype)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)

    start = time.time()
    for step, (images, target) in enumerate(to_device(loader, device)):
        if args.nvtx:
            torch.cuda.nvtx.range_push("step {}".format(step))

        with autocast(enabled=args.amp, dtype=amp_dtype):
            output = model(images)
            loss = criterion(output, target)

        if not math.isfinite(loss.item()):
            logger.error("loss is %s, stopping training", loss.item())
            sys.exit(1)

        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
        scaler.step(optimizer)
        scaler.update()

        if args.nvtx:
            torch.cuda.nvtx.range_pop()

        losses.update(loss.item(), images.size(0))
        top1.update(accuracy(output, target), images.size(0))
        if step % args.print_freq == 0:
            logger.info(
                "epoch %d [%d/%d] %s %s %s", epoch, step, len(loader), losses, top1, memory_summary(device)
            )

    if device.type == "cuda":
        torch.cuda.synchronize()
    losses.synchronize_between_processes()
    top1.synchronize_between_processes()
    logger.info("epoch %d done in %.1fs: %s %s", epoch, time.time() - start, losses, top1)
    return losses.avg


@torch.no_grad()
def evaluate(model, loader, criterion, device, args, logger):
    model.eval()
    losses = AverageMeter("val loss", device)
    top1 = AverageMeter("val acc@1", device)
    for images, target in to_device(loader, device):
        with autocast(enabled=args.amp):
            output = model(images)
            loss = criterion(output, target)
        losses.update(loss.item(), images.size(0))
        top1.update(accuracy(output, target), images.size(0))
    losses.synchronize_between_processes()
    top1.synchronize_between_processes()
    logger.info("%s %s", losses, top1)
    return top1.avg
