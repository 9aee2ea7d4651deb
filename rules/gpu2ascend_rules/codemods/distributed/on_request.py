"""What the codes of the distributed rule stand for, documented as rules are; `explain` shows it.

They are no rules of a check: nothing is wrong with a script for one device. Their work is that of the modules
beside this one, on request.
"""

from __future__ import annotations

from ...engine.rule import Step
from ..codemod import Codemod


class Distribute(Codemod):
    """The rule as a whole, which plans the changes of a program before its files are migrated."""

    code = "NPU420"
    option = "distributed"
    after = ("enable_amp",)
    is_of_program = True


class _Step(Step):
    """A step of the distributed rule."""


class MainPath(_Step):
    """A single-device script gets its process group.

    What it does: Adds a function to the entry script that selects the card of the process and joins the
    process group, calls it first on the main path (below ``if __name__ == "__main__":``), and leaves the
    group at the end. Without the environment variables of a launcher, the script runs as before.

    Why it matters on the NPU: Each card has its own process, and HCCL connects them. If the group were joined
    at import time, every data loader worker would join it again.

    Example: ``setup_distributed()`` before ``main()``, ``cleanup_distributed()`` after it.

    Use instead: a launcher that sets RANK, LOCAL_RANK and WORLD_SIZE; the older RANK_ID, DEVICE_ID and
    RANK_SIZE are supported too.
    """

    code = "NPU420"
    name = "distributed-main-path"


class SharedData(_Step):
    """The training data is split among the processes.

    What it does: Adds a ``DistributedSampler``, which also takes over the shuffling, to the DataLoader of the
    training loop. Loaders for evaluation keep all their data.

    Why it matters on the NPU: Without it every process trains on all data, and nothing is gained.

    Example: ``DataLoader(data, 32, shuffle=True)`` becomes ``DataLoader(data, 32, shuffle=train_sampler is
    None, sampler=train_sampler)``.

    Use instead: for batch samplers, weighted samplers and iterable datasets, a share by rank and world size.
    """

    code = "NPU421"
    name = "distributed-sampler"


class SamplerEpochs(_Step):
    """The epoch of the sampler is set.

    What it does: Calls ``set_epoch`` in the loop over epochs, wherever in the program it is.

    Why it matters on the NPU: Without it the data has the same order in every epoch.

    Example: ``loader.sampler.set_epoch(epoch)``.

    Use instead: nothing; if no such loop is found, a finding says so.
    """

    code = "NPU422"
    name = "distributed-epoch"


class WrappedModel(_Step):
    """The model is wrapped for several processes.

    What it does: Wraps the target model in ``DistributedDataParallel``, after the last statement that creates
    it, moves it to its device, freezes parts of it or initializes it with apex.

    Why it matters on the NPU: The wrapper averages the gradients over all processes.

    Example: ``model = DistributedDataParallel(model, device_ids=[torch_npu.npu.current_device()])``.

    Use instead: ``-t netG,netD`` for several models that are trained.
    """

    code = "NPU423"
    name = "distributed-model"


class RemovedDataParallel(_Step):
    """DataParallel is replaced with one process per device.

    What it does: Removes ``DataParallel`` in all its forms, and ``data_parallel``; accesses through
    ``.module`` become accesses to the model, whichever wrapper it has.

    Why it matters on the NPU: One process that uses several cards is not supported.

    Example: ``model = nn.DataParallel(model).cuda()`` becomes ``model = model.cuda()``.

    Use instead: ``DistributedDataParallel`` (NPU423).
    """

    code = "NPU424"
    name = "distributed-data-parallel"


class UnwrappedModel(_Step):
    """The model's own state is accessed, not that of the wrapper.

    What it does: Saves, loads, copies and queries the model itself instead of the wrapper, in every file of
    the program. The names in checkpoints do not change.

    Why it matters on the NPU: The wrapper adds ``module.`` to every name of a state, and lacks the model's
    attributes and methods.

    Example: ``model.state_dict()`` becomes ``unwrap_model(model).state_dict()``.

    Use instead: compute everything that is trained in ``forward``; other methods are called without the
    wrapper.
    """

    code = "NPU425"
    name = "distributed-state"


class MainProcess(_Step):
    """One process writes and reports.

    What it does: Lets only rank 0 write checkpoints and files, print, and show progress; lets one process of
    each host download before the others; and waits before files are read back.

    Why it matters on the NPU: Several processes that write the same file damage it.

    Example: ``if is_main_process(): torch.save(…)``.

    Use instead: your own condition, if the statement also computes something in which all processes must take
    part.
    """

    code = "NPU426"
    name = "distributed-main-process"


class Advice(_Step):
    """What changes with several processes although the code does not.

    What it does: Reports where the batch size, random numbers and decisions based on values differ from those
    of a single process.

    Why it matters on the NPU: Eight processes with batches of 32 take steps of 256.

    Example: ``DataLoader(data, batch_size=32)``.

    Use instead: divide the batch size by the number of processes, or raise the learning rate.
    """

    code = "NPU427"
    name = "distributed-advice"


class OwnDevice(_Step):
    """Code for one fixed card uses the card of the process.

    What it does: Removes the number of a fixed card. If the number is an option, it is kept for a process
    that runs alone.

    Why it matters on the NPU: All processes would share one card.

    Example: ``"cuda:0"`` becomes ``"cuda"``, the card that the set-up has made the current one.

    Use instead: for a model that is spread over several cards, decide by hand which part runs where.
    """

    code = "NPU428"
    name = "distributed-device"


class AlreadyDistributed(_Step):
    """A program runs in several processes already.

    What it does: Recognizes process groups, ``DistributedDataParallel`` and libraries that start their own
    processes, and leaves such a program to the rules, which change its back end and its devices.

    Why it matters on the NPU: None of these steps may be done twice.

    Example: ``dist.init_process_group("nccl")``, ``accelerate.Accelerator()``.

    Use instead: the program's own launcher.
    """

    code = "NPU429"


CAN_BE_LEFT_OUT = frozenset({"NPU421", "NPU422", "NPU426"})
"""The codes whose changes a script does without: it is less good, but whole."""

STEPS: tuple[Step, ...] = tuple(step() for step in _Step.__subclasses__())
"""The codes, in order."""
