"""Texts that are given to a call which something else makes later."""

from __future__ import annotations

import pytest

from gpu2ascend_rules.engine.context import Context
from gpu2ascend_rules.engine.scan import scan_strings
from gpu2ascend_rules.flow import Role, device_flow
from gpu2ascend_rules.options.options import options_from
from gpu2ascend_rules.text.source_file import SourceFile

OPTIONS = options_from({"version": "2.8.0"})
HEAD = """\
import functools, operator, threading
import torch
import torch.multiprocessing as mp
def work(where):
    return torch.zeros(2, device=where)
def name(text):
    print(text)
def run(rank, where):
    torch.zeros(2).to(where)
"""


def roles(code: str) -> set[Role]:
    """The roles of the texts of a piece of code that name a CUDA device."""
    source = SourceFile(HEAD + code)
    flow = device_flow(Context(source, OPTIONS))
    return {flow.role_of(ref).role for _, ref in scan_strings(source, ["cuda"])}


@pytest.mark.parametrize(
    "code",
    [
        "functools.partial(work, 'cuda')\n",
        "functools.partial(work, where='cuda')\n",
        "functools.partial(torch.device, 'cuda')\n",
        "functools.partial(x.to, 'cuda')\n",
        "pool.submit(work, 'cuda')\n",
        "pool.submit(work, where='cuda')\n",
        "loop.run_in_executor(None, work, 'cuda')\n",
        "threading.Thread(target=work, args=('cuda:0',))\n",
        "threading.Timer(1.0, work, ['cuda'])\n",
        "threading.Thread(target=work, kwargs={'where': 'cuda:0'})\n",
        "threading.Thread(None, work, None, (), {'where': 'cuda:0'})\n",
        "threading.Thread(target=torch.zeros, args=(2,), kwargs={'device': 'cuda'})\n",
        "options = {'where': 'cuda'}\nthreading.Thread(target=work, kwargs=options)\n",
        "options = {}\noptions['where'] = 'cuda'\nthreading.Thread(target=work, kwargs=options)\n",
        "threading.Timer(1.0, work, kwargs={'where': 'cuda'})\n",
        "mp.Process(target=work, kwargs=dict(where='cuda'))\n",
        "pool.apply_async(work, kwds={'where': 'cuda'})\n",
        "mp.Pool(2, initializer=work, initargs=('cuda',))\n",
        "ThreadPoolExecutor(initializer=work, initargs=('cuda',))\n",
        "joblib.Parallel(2)(joblib.delayed(work)('cuda') for i in range(2))\n",
        "joblib.Parallel(2)(joblib.delayed(work)(where='cuda') for i in range(2))\n",
        "joblib.Parallel(2)(joblib.delayed(work)(d) for d in ['cuda:0', 'cuda:1'])\n",
        "mp.Process(target=run, args=(0, 'cuda'))\n",
        "mp.spawn(run, args=('cuda',), nprocs=2)\n",
        "mp.spawn(run, ('cuda',), 2)\n",
        "pool.apply_async(work, ('cuda',))\n",
        "pool.map(work, ['cuda:0', 'cuda:1'])\n",
        "list(map(work, ('cuda', 'cpu')))\n",
        "list(map(torch.device, ['cuda:0']))\n",
        "operator.methodcaller('to', 'cuda')\n",
    ],
)
def test_the_function_that_is_called_shows_what_it_is(code: str) -> None:
    assert roles(code) == {Role.CONSUMED}


@pytest.mark.parametrize(
    "code",
    [
        "functools.partial(name, 'cuda')\n",
        "pool.submit(name, 'cuda')\n",
        "threading.Thread(target=name, args=('cuda',))\n",
        "threading.Thread(target=name, kwargs={'text': 'cuda'})\n",
        "threading.Thread(target=run, kwargs={'rank': 'cuda'})\n",
        "mp.Pool(2, initializer=name, initargs=('cuda',))\n",
        "joblib.Parallel(2)(joblib.delayed(name)('cuda') for i in range(2))\n",
        "pool.map(name, ['cuda'])\n",
        "operator.methodcaller('cuda')\n",
        "operator.methodcaller('count', 'cuda')\n",
        "mp.Process(target=work, name='cuda', args=(x,))\n",
    ],
)
def test_what_is_only_shown_is_no_device(code: str) -> None:
    assert Role.CONSUMED not in roles(code)
    assert roles("work('cuda')\n") == {Role.CONSUMED}


def test_an_argument_beside_it_is_no_alternative_to_it() -> None:
    assert roles("mp.spawn(run, args=('cuda', 'results'), nprocs=2)\n") == {Role.CONSUMED}


def test_what_is_called_for_each_of_other_things_too_is_left_open() -> None:
    assert Role.CONSUMED not in roles("list(map(work, ['cuda', 'results']))\n")
    assert roles("list(map(work, ['cuda', 'cpu']))\n") == {Role.CONSUMED}


def test_it_is_looked_for_where_the_function_takes_it() -> None:
    """``spawn`` puts the rank first; ``Process`` puts nothing before the arguments."""
    assert roles("mp.spawn(work, args=('cuda',))\n") != {Role.CONSUMED}
    assert roles("mp.Process(target=work, args=('cuda',))\n") == {Role.CONSUMED}
