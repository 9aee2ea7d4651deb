"""The usual ways to write each part of a training, made distributed: every changed line, and what is left.

Each is one program in which a statement stands before its training, in a step of it, after an epoch, or after
all. What becomes of them is in the golden files, by subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from gpu2ascend_rules.codemods.distributed import distribute
from gpu2ascend_rules.model.project.project_view import STANDALONE
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile
from tests.golden import agrees, described, difference, unusual

GOLDENS = Path(__file__).with_name("goldens")

PROGRAM = """\
import copy
import datetime
import json
import logging
import math
import os
import random
import shutil
import subprocess
import sys
import time
import urllib.request
import matplotlib.pyplot as plt
import numpy as np
import torch
import wandb
from torch import nn
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter
from torchvision.datasets import MNIST


def main(args):
    model = Net().cuda()
    total = 0.0
    steps = 0
    losses = []
    best = 1e9
    start = time.time()
    {before}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = {loader}
    for epoch in range(3):
        for x, y in loader:
            loss = model(x.cuda()).sum()
            optimizer.zero_grad()
            loss.backward()
            {step}
            optimizer.step()
        {epoch}
    {after}


if __name__ == "__main__":
    main(parse())
"""
PLAIN = {
    "before": "pass",
    "step": "pass",
    "epoch": "pass",
    "after": "pass",
    "loader": "DataLoader(data, batch_size=4)",
}
"""Nothing beside the training."""
INDENTS = {"before": 4, "step": 12, "epoch": 8, "after": 4, "loader": 4}


class Variation(NamedTuple):
    """What stands where in the program."""

    parts: dict[str, str]

    @property
    def text(self) -> str:
        """The program."""
        given = {key: value.replace("\n", "\n" + " " * INDENTS[key]) for key, value in self.parts.items()}
        return PROGRAM.format(**{**PLAIN, **given})

    def __str__(self) -> str:
        return " // ".join(f"{key}: {value}".replace("\n", " | ") for key, value in self.parts.items())


def each(place: str, *codes: str, **others: str) -> list[Variation]:
    """A variation for each code at a place; the others are the same in all."""
    return [Variation({**others, place: code}) for code in codes]


PARALLEL = "model = nn.DataParallel(model)"
SUBJECTS = {
    "data-parallel": [
        *each(
            "before",
            PARALLEL,
            "if torch.cuda.device_count() > 1:\n    model = nn.DataParallel(model)",
            "if torch.cuda.device_count() > 1:\n    print('several')\n    model = nn.DataParallel(model)",
            "if torch.cuda.device_count() > 1:\n    model = nn.DataParallel(model)\nelse:\n    print('one')",
            "if args.parallel:\n    model = nn.DataParallel(model)",
            "wrapper = nn.DataParallel(model)",
            "model = nn.DataParallel(module=model, device_ids=[0, 1])",
            "model = nn.DataParallel(Net()).cuda()",
            "model = nn.DataParallel()",
        ),
        *each(
            "after",
            "torch.save(model.module.state_dict(), 'm.pt')",
            "if isinstance(model, nn.DataParallel):\n    model = model.module",
            "if isinstance(model, (nn.DataParallel, Other)):\n    model.eval()",
            "if isinstance(model):\n    model.eval()",
            "if hasattr(model, 'module'):\n    net = model.module",
            "net = model.module if hasattr(model, 'module') else model",
            "average = torch.optim.swa_utils.AveragedModel(model)\ntorch.save(average.module, 'm.pt')",
            "held = Holder(model)\nheld.module.eval()",
            "other.module.eval()",
            "args.net.module.eval()",
            before=PARALLEL,
        ),
        *each(
            "after",
            "out = nn.parallel.data_parallel(model, x)",
            "out = nn.parallel.data_parallel(model, (x, y), [0, 1])",
            "out = nn.parallel.data_parallel(module=model, inputs=x)",
            "out = nn.parallel.data_parallel(model)",
        ),
    ],
    "saved": each(
        "epoch",
        "torch.save(model, 'm.pt')",
        "torch.save(model.state_dict(), 'm.pt')",
        "torch.save(model.cpu().state_dict(), 'm.pt')",
        "torch.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict()}, 'm.pt')",
        "state = {'model': model, 'epoch': epoch}\ntorch.save(state, 'm.pt')",
        "state = dict(model=model.cpu(), epoch=epoch)\ntorch.save(state, 'm.pt')",
        "torch.save([model, optimizer], 'm.pt')",
        "if epoch % 2 == 0:\n    torch.save(model.state_dict(), 'm.pt')",
        "with open('m.pt', 'wb') as f:\n    torch.save(model.state_dict(), f)",
        "best = copy.deepcopy(model.state_dict())",
        "best = copy.deepcopy(model)",
        "model.save_pretrained('out')",
        "model.load_state_dict(torch.load('m.pt'))",
        "print(type(model).__name__, model.__class__.__name__)",
        "torch.onnx.export(model, x, 'm.onnx')",
        "names = [name for name, _ in model.named_parameters()]",
        "rate = model.rate",
        "loss = model.loss(x, y)\nloss.backward()",
        "with torch.no_grad():\n    out = model.sample(x)",
        "out = model.generate(x)",
    ),
    "devices": each(
        "before",
        "torch.cuda.set_device(0)",
        "torch.cuda.set_device(args.gpu)",
        "done = torch.cuda.set_device(0)",
        "device = torch.device('cuda:0')",
        "device = torch.device('cuda', 1)",
        "device = torch.device('cuda', index=1)",
        "gpu = 3\ndevice = torch.device('cuda', gpu)",
        "gpu = 3\nx = x.cuda(gpu)",
        "gpu = 3\nx = x.to(gpu)",
        "gpu = 3\ndevice = f'cuda:{gpu}'",
        "gpu = 3\ndevice = torch.device(f'cuda:{gpu}' if args.cuda else 'cpu')",
        "gpu = 3\nname = 'on ' + f'cuda:{gpu}'",
        "x = x.to('cuda:1')",
        "os.environ['CUDA_VISIBLE_DEVICES'] = '0'",
        "os.environ['CUDA_VISIBLE_DEVICES'] = args.gpus",
        "os.environ['CUDA_VISIBLE_DEVICES'] = '0,1'",
    ),
    "loaders": [
        *each(
            "loader",
            "DataLoader(data, 4, True)",
            "DataLoader(data, batch_size=4, shuffle=True, drop_last=True)",
            "DataLoader(data, batch_size=4, shuffle=args.shuffle)",
            "DataLoader(data, batch_size=4, shuffle=not args.fixed)",
            "DataLoader(Images(args.root), 4, shuffle=True)",
            "DataLoader(data, sampler=torch.utils.data.RandomSampler(data))",
            "DataLoader(data, sampler=Own(data))",
            "DataLoader(data, sampler=torch.utils.data.SequentialSampler(data), batch_size=4)",
            "DataLoader(data, sampler=None, shuffle=True)",
            "DataLoader(data, batch_sampler=Own(data))",
            "DataLoader(data, batch_size=None)",
            "DataLoader(data, **options)",
            "DataLoader(*given)",
            "torch.utils.data.DataLoader(dataset=data, batch_size=args.batch_size)",
            "make_loader(data)",
            "DataLoader(torch.utils.data.Subset(data, [0, 1]), 4)",
            "DataLoader(data if args.all else part, 4, shuffle=True)",
        ),
        *each(
            "before",
            "held = DataLoader(rest, 4)\nfor x, y in held:\n    model(x)",
            "held = DataLoader(rest, 4)\nwith torch.no_grad():\n    for x, y in held:\n        model(x)",
            "fixed = next(iter(DataLoader(rest, 4)))",
        ),
    ],
    "figures": [
        *each(
            "step",
            "total = total + loss.item()",
            "losses.append(loss.item())",
            "meter.update(loss.item(), x.size(0))",
            "if loss.item() > 100:\n    break",
            "if torch.isnan(loss):\n    continue",
            "if not math.isfinite(loss.item()):\n    raise RuntimeError('diverged')",
            "if steps > 10:\n    break",
            "steps += 1\nif steps % 10 == 0:\n    print(steps, loss.item())",
            "nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
            "scheduler.step()",
            "writer.add_scalar('loss', loss.item(), steps)",
        ),
        *each(
            "epoch",
            "print(total / len(loader))",
            "mean = total / len(loader.dataset)\nprint(mean)",
            "correct = (model(x).argmax(1) == y).sum().item()\nprint(correct / len(data))",
            "if loss.item() < best:\n    best = loss.item()\n    torch.save(model.state_dict(), 'm.pt')",
            "scheduler.step(loss.item())",
            "accuracy = evaluate(model)\nif accuracy > best:\n    best = accuracy",
            "if input('go on? ') == 'n':\n    break",
            "if os.path.exists('stop'):\n    break",
            "if time.time() - start > 60:\n    break",
            "if random.random() < 0.5:\n    break",
            "history.append(sum(losses) / len(losses))",
            "early(loss.item())\nif early.stop:\n    break",
        ),
    ],
    "main-process": [
        *each(
            "before",
            "os.makedirs('out')",
            "os.makedirs('out', exist_ok=True)",
            "if not os.path.exists('out'):\n    os.mkdir('out')",
            "shutil.rmtree('out')",
            "log = open('log.txt', 'w')",
            "with open('args.json', 'w') as f:\n    json.dump(vars(args), f)",
            "logging.basicConfig(filename='log.txt')",
            "writer = SummaryWriter('runs')",
            "wandb.init(project='p')",
            "name = datetime.datetime.now().strftime('%H%M%S')",
            "seed = random.randint(0, 100)",
            "torch.manual_seed(0)",
            "urllib.request.urlretrieve('http://x/y', 'y')",
            "data = MNIST('.', download=True)",
            "print('start')",
            "subprocess.run(['make'])",
            "path = 'config.json'\nconfig = json.load(open(path))",
        ),
        *each(
            "after",
            "print('done')",
            "log.write('done')",
            "sys.exit(0)",
            "return best",
            "writer.close()",
            "plt.savefig('loss.png')",
            "np.save('out.npy', out)",
            "model.load_state_dict(torch.load('best.pt'))",
            "os.rename('a.pt', 'b.pt')",
            "for line in open('a.txt'):\n    print(line)",
        ),
    ],
    "model": each(
        "before",
        "model = Other().to(device)",
        "for p in model.parameters():\n    p.requires_grad = False",
        "for p in model.features.parameters():\n    p.requires_grad = False",
        "model.requires_grad_(False)",
        "model = torch.compile(model)",
        "model.half()",
        "model.train()",
        "model.apply(init)",
        "model.load_state_dict(torch.load('m.pt'))",
        "if args.resume:\n    model.load_state_dict(torch.load(args.resume)['model'])",
        "teacher = Net().cuda().eval()",
        "model = nn.SyncBatchNorm.convert_sync_batchnorm(model)",
        "model = torch.nn.parallel.DistributedDataParallel(model)",
        "torch.distributed.init_process_group('nccl')",
        "summary(model, (3, 32, 32))",
    ),
}


def outcome(variation: Variation) -> Iterator[str]:
    """What is said of a program and what changes in it, without what does in the plain one."""
    yield f"# {variation}"
    for line in unusual(changes(variation), changes(Variation({}))):
        if "loader" not in variation.parts or not line.startswith("without "):
            yield line


def changes(variation: Variation) -> Iterator[str]:
    """The changed lines of the program, and what is said of it; of helpers that are added, the first line."""
    source = SourceFile(variation.text, "train.py")
    options = options_from({"version": "2.8.0", "distributed": True, "main_file": "train.py"})
    change = distribute(source, options, STANDALONE).files.get("train.py")
    if change is None:
        yield "nothing"
        return
    (top, main), (new_top, new_main) = (text.split("def main(", 1) for text in (source.text, change.text))
    yield from (line for line in difference(top, new_top, "train.py") if re.match(r"[+-]\S", line))
    yield from (line for line in difference(main, new_main, "train.py") if line[0] != "@")
    for line in described(change.findings, source.lines, source.data):
        yield re.sub(r"^\d+:\d+ ", "at ", line)


@pytest.mark.one_in(4)
@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_becomes_of_each_way_to_write_it(subject: str) -> None:
    lines = [line for variation in SUBJECTS[subject] for line in outcome(variation)]
    agrees(GOLDENS / f"{subject}.txt", "".join(f"{line}\n" for line in lines))
