"""The profiler: torch's own records the CPU, behind the names of torch_npu."""

from __future__ import annotations

import enum
import time
from pathlib import Path
from typing import Any

import torch

__all__ = [
    "AiCMetrics",
    "ExportType",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "_ExperimentalConfig",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


class ProfilerActivity(enum.Enum):
    """What is recorded. Not torch's enumeration: a member of that one is an error."""

    CPU = 0
    NPU = 1


class ProfilerAction(enum.Enum):
    """What a schedule asks for at a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class ProfilerLevel(enum.Enum):
    """How much is recorded."""

    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(enum.Enum):
    """Which counters of the AI cores are read."""

    AiCoreNone = "ACL_AICORE_NONE"
    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"


class ExportType(enum.Enum):
    """The format of the result."""

    Text = "text"
    Db = "db"


class _ExperimentalConfig:
    def __init__(self, **options: Any) -> None:
        self.options = options


def supported_activities() -> Any:
    """All that can be recorded."""
    return set(ProfilerActivity)


class schedule:
    """When to record: ``wait`` steps nothing, ``warmup`` steps thrown away, ``active`` steps kept."""

    def __init__(self, wait: Any, active: Any, warmup: int = 0, repeat: int = 0, skip_first: int = 0) -> None:
        self._of_torch = torch.profiler.schedule(
            wait=wait, warmup=warmup, active=active, repeat=repeat, skip_first=skip_first
        )

    def __call__(self, step: Any) -> Any:
        return ProfilerAction[self._of_torch(step).name]


def _checked_schedule(asked: Any) -> Any:
    def of_torch(step: Any) -> Any:
        action = asked(step)
        if not isinstance(action, ProfilerAction):
            raise TypeError(
                f"the schedule of torch_npu.profiler.profile must give ProfilerAction, not {action!r}"
            )
        return torch.profiler.ProfilerAction[action.name]

    return of_torch


class profile:
    """Records what runs."""

    def __init__(
        self,
        *,
        activities: Any = None,
        schedule: Any = None,
        on_trace_ready: Any = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
    ) -> None:
        for activity in activities or ():
            if not isinstance(activity, ProfilerActivity):
                raise TypeError(
                    f"activities must be of torch_npu.profiler.ProfilerActivity, not {activity!r}"
                )
        if experimental_config is not None and not isinstance(experimental_config, _ExperimentalConfig):
            raise TypeError("experimental_config must be a torch_npu.profiler._ExperimentalConfig")
        self._of_torch = torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU],
            schedule=_checked_schedule(schedule) if schedule else None,
            on_trace_ready=(lambda _: on_trace_ready(self)) if on_trace_ready else None,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
        )

    def start(self) -> None:
        """Begins to record."""
        self._of_torch.start()

    def stop(self) -> None:
        """Ends recording."""
        self._of_torch.stop()

    def step(self) -> None:
        """The next step of the schedule."""
        self._of_torch.step()

    def export_chrome_trace(self, output_path: Any) -> None:
        """Writes what was recorded."""
        self._of_torch.export_chrome_trace(output_path)

    def __enter__(self) -> Any:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def tensorboard_trace_handler(
    dir_name: Any, worker_name: Any = None, analyse_flag: bool = True, async_mode: bool = False
) -> Any:
    """What to do with a finished trace: put it into a folder."""

    def write(profiler: Any) -> None:
        folder = Path(dir_name) / f"{worker_name or 'worker'}_{time.time_ns()}_ascend_pt"
        folder.mkdir(parents=True)
        profiler.export_chrome_trace(str(folder / "trace_view.json"))

    return write
