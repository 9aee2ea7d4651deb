"""Starts one process for each NPU of this host; each runs a script as its main program.

    python3 launch_spawn.py SCRIPT [ARGUMENTS]

From the environment: NPROC_PER_NODE, NNODES, NODE_RANK, MASTER_ADDR, MASTER_PORT. Each process finds RANK,
LOCAL_RANK and WORLD_SIZE in its own. If one fails, the others are stopped.
"""

import os
import runpy
import signal
import sys
import time
from pathlib import Path

import torch.multiprocessing as mp


def run(local_rank, script, arguments):
    """Run the script as the process of one NPU; signals are those of the parent to answer."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    processes = int(os.environ["NPROC_PER_NODE"])
    rank = int(os.environ["NODE_RANK"]) * processes + local_rank
    world_size = int(os.environ["NNODES"]) * processes
    os.environ.update(
        RANK=str(rank),
        LOCAL_RANK=str(local_rank),
        WORLD_SIZE=str(world_size),
        RANK_ID=str(rank),
        DEVICE_ID=str(local_rank),
        RANK_SIZE=str(world_size),
    )
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).resolve().parent)
    runpy.run_path(script, run_name="__main__")


def stop(processes):
    """End processes: those that do not end within 10 seconds are killed."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + 10
    for process in processes:
        process.join(max(0, deadline - time.monotonic()))
        if process.is_alive():
            process.kill()
            process.join()


def main():
    """Start the processes and wait for them; a signal ends all of them."""
    processes = int(os.environ["NPROC_PER_NODE"])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    started = mp.spawn(run, args=(sys.argv[1], sys.argv[2:]), nprocs=processes, join=False)
    try:
        while not started.join():
            pass
    finally:
        stop(started.processes)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main()
