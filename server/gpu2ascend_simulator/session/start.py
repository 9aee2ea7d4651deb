"""The beginning of a verified process."""

from __future__ import annotations

import functools
import os
import random
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from ..cann.start import is_emulated
from ..cuda_trap import lift_trap, set_trap
from ..tracing.tensors import Recorder as Tensors
from ..without_cuda import name_operators
from . import device_notes
from .compiling import leave_alone, watch_compile
from .coverage import Coverage
from .failures import watch_failures
from .fake_data.environments import make_up_environments
from .fake_data.files.patches import make_up_files
from .fake_data.files.restart import Restart
from .fake_data.graphs import make_up_graphs
from .fake_data.hub import make_up_rows
from .fake_data.pretrained import make_up_encodings, make_up_pretrained
from .fake_data.tables import make_up_tables
from .fake_data.vision import make_up_images, make_up_own_images
from .fake_data.weights import make_up_weights
from .imports import after_import
from .process import wait_for_the_end, watch_files, watch_process, watch_signals
from .record import Record, Recorder
from .settings import VARIABLE, Settings, read_settings
from .training import Training, collect_place

TRACE = ".trace"
"""The suffix of the file that the tensors of a process are written to."""


_MADE_UP = {
    "torch": make_up_weights,
    "torch.utils.data": make_up_own_images,
    "torchvision.datasets": make_up_images,
    "datasets": make_up_rows,
    "torch_geometric.datasets": make_up_graphs,
    "pandas": make_up_tables,
    "gym": make_up_environments,
    "gymnasium": make_up_environments,
    "tiktoken": make_up_encodings,
}
"""By module: what changes it where data is made up."""


def start() -> None:
    """Begin to note, if this process is to be verified. Called before the first line of the project."""
    settings = read_settings()
    if settings is not None:
        _begin(settings)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=lambda: _begin_forked(settings))


class _Current:
    """What notes in this process."""

    recorder: Recorder | None = None
    coverage: Coverage | None = None
    training: Training | None = None


def _begin(settings: Settings) -> None:
    recorder = Recorder(settings, sys.orig_argv[1:])
    coverage = Coverage(settings.root)
    recorder.collectors += [coverage.collect, device_notes.collect, collect_place]
    _Current.recorder, _Current.coverage = recorder, coverage
    watch_process(recorder)
    watch_failures(recorder)
    watch_signals(recorder)
    watch_files(recorder)
    random.seed(settings.seed)
    after_import("numpy", lambda numpy: _seed_numpy(numpy, settings.seed))
    after_import("torch", lambda torch: _with_torch(torch, recorder))
    after_import("torchvision.extension", name_operators)
    if settings.fakes_data:
        place = Path(settings.records, "made_up")
        make_up_files(settings.root, place, Path(os.environ[VARIABLE]).stat().st_mtime, recorder.note_made_up)
        make_up_pretrained(recorder.note_made_up)
        recorder.before_failure = Restart(place, recorder.say_changed).after
        for name, make_up in _MADE_UP.items():
            after_import(name, functools.partial(make_up, note=recorder.note_made_up))
    if settings.mode != "cpu":
        # Either may be imported by the other.
        after_import("torch_npu", lambda _: _with_torch_npu(settings))
        after_import("torch_npu.contrib.transfer_to_npu", lambda _: lift_trap())
    recorder.write()
    coverage.start()


def _begin_forked(settings: Settings) -> None:
    """A forked process notes for itself; what the parent had noted stays the parent's."""
    recorder, coverage = _Current.recorder, _Current.coverage
    if recorder is None or coverage is None:
        return
    begun = Recorder(settings, sys.orig_argv[1:])
    recorder.record = begun.record
    coverage.forget()
    watch_process(recorder)
    watch_signals(recorder)


def _note_tensors(torch: Any, recorder: Recorder) -> None:
    """Write a trace beside the record of each process that trains."""
    tensors = Tensors(recorder.settings.root, sys.maxsize, quietly=device_notes.quietly)
    tensors.watch(torch)

    written = 0

    def collect(record: Record) -> None:
        nonlocal written
        count = len(tensors.events)
        if record.steps and count > written:
            with suppress(OSError):  # nobody reads it any more
                tensors.write(str(recorder.path.with_suffix(TRACE)))
            written = count

    recorder.collectors.append(collect)


def _load_back_ends() -> None:
    """What torch does by itself from 2.5 on: the release whose names count may rely on it."""
    if os.environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0":
        return
    for entry in metadata.entry_points(group="torch.backends"):
        entry.load()()


def _seed_numpy(numpy: Any, seed: int) -> None:
    numpy.random.seed(seed % 2**32)


def _with_torch_npu(settings: Settings) -> None:
    device_notes.prepare(settings)
    watch_compile(sys.modules["torch"])
    _watch_scaler_of_npu()


def _watch_scaler_of_npu() -> None:
    """The scaler of a torch_npu that has one beside torch's."""
    scalers: Any = sys.modules.get("torch_npu.npu.amp")
    if _Current.training is not None and is_emulated() and scalers is not None:
        _Current.training.watch_scaler(scalers.GradScaler)


def _with_torch(torch: Any, recorder: Recorder) -> None:
    settings = recorder.settings
    recorder.record.torch = str(torch.__version__)
    torch.manual_seed(settings.seed)
    training = Training(recorder, lambda: wait_for_the_end(recorder), device_notes.quietly)
    if settings.mode == "cpu":
        from ..on_cpu.cuda import map_cuda_to_cpu

        sys.modules.setdefault("torch_npu", None)  # type: ignore[arg-type] # where the original ran there was none
        map_cuda_to_cpu(torch)
    else:
        set_trap(Path(settings.root), settings.kept)
        after_import("torch._dynamo", leave_alone)
        watch_compile(torch)
        if not hasattr(torch, "_is_device_backend_autoload_enabled"):
            _load_back_ends()
    training.watch(torch)
    _Current.training = training
    if settings.compares:
        _note_tensors(torch, recorder)
    _watch_scaler_of_npu()
    recorder.write()
