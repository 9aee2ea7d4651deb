"""Runs scripts in processes that have torch loaded already, for loading it takes far longer than the scripts.

A program by itself: it loads torch once and then forks for each process that it is asked for. It reads
requests from its standard input, one JSON object a line::

    {"script": ..., "arguments": [...], "cwd": ..., "seconds": ...,
     "processes": [{"environment": {...}, "stdout": ..., "stderr": ...}, ...]}

starts the script once for each of the processes, all at a time, and answers with one line when all have
ended: ``{"codes": [...]}``. When one fails, or time is up, the others are killed. Only torch is shared:
torch_npu and whatever else a script imports is loaded by each process, for the environment that it has.
"""

import atexit
import contextlib
import faulthandler
import gc
import json
import os
import runpy
import signal
import sys
import threading
import time


def load():
    """Everything of torch that a training loads, now or at its first step."""
    import torch
    import torch.distributed
    import torch.nn.parallel
    import torch.utils.data

    torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], 0.1)
    assert len(os.listdir("/proc/self/task")) == 1, "a process with threads must not fork"  # noqa: PTH208


def serve(requests, answers):
    """Answer requests until there are no more; in a forked process, return what it is to run."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    for line in requests:
        request = json.loads(line)
        started = {}
        for index, wanted in enumerate(request["processes"]):
            process = os.fork()
            if process == 0:
                become(wanted, request["cwd"])
                return [request["script"], *request["arguments"]]
            started[process] = index
        codes = wait(started, time.monotonic() + request["seconds"])
        answers.write(json.dumps({"codes": [codes[index] for index in range(len(codes))]}) + "\n")
        answers.flush()
    return None


def become(wanted, cwd):
    """Make the forked process one that might have been started from a shell."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    os.setsid()
    streams = [os.open(os.devnull, os.O_RDONLY)]
    for name in ("stdout", "stderr"):
        streams.append(os.open(wanted[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
    os.environ.clear()
    os.environ.update(wanted["environment"])
    os.chdir(cwd)
    sys.path[1:1] = [path for path in wanted["environment"].get("PYTHONPATH", "").split(os.pathsep) if path]
    faulthandler.enable()
    # What Python itself would have done at the start of the process.
    sys.modules.pop("sitecustomize", None)
    with contextlib.suppress(ModuleNotFoundError):
        import sitecustomize  # noqa: F401


def wait(started, deadline):
    """The exit codes of processes, by their numbers; negative for a signal, as subprocess has them."""
    codes, running = {}, dict(started)
    while running:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process:
            codes[running.pop(process)] = os.waitstatus_to_exitcode(status)
        elif signal.sigtimedwait({signal.SIGCHLD}, max(0, deadline - time.monotonic())) is None:
            end(running)
        if any(codes.values()):
            end(running)
    return codes


def end(running):
    """Kill processes with all their children."""
    for process in running:
        os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):  # killed before it led its own group
            os.killpg(process, signal.SIGKILL)


def run(script):
    """Run a script as the program; the exit code."""
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def leave(code):
    """End the process as the interpreter does, but for freeing all of torch, which takes a second."""
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code & 0xFF)


if __name__ == "__main__":
    load()
    gc.freeze()  # what is there now is nobody's garbage
    command = serve(sys.stdin, sys.stdout)
    if command is not None:
        sys.argv = command
        sys.path[0] = os.path.dirname(command[0])  # noqa: PTH120
        leave(run(command[0]))
