"""Time the support tables from a cold start: import, load and look up, each in a separate process.

Prints the fastest and the median of fresh processes, in milliseconds, with bytecode present. What every
caller has imported before it can ask, the versions and the options, is not counted. Budgets on an idle
machine: 2 ms for a counterpart, 5 ms for a status.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from measure import let_bytecode_be_kept

PACKAGE = Path(__file__).resolve().parent.parent / "rules"
PROCESSES = 21
CASES = {
    "a counterpart, which the small tables hold": 'facts.npu_counterpart("torch.cuda.empty_cache")',
    "whether an NPU name exists": 'facts.npu_name_exists("torch_npu.npu.amp.GradScaler")',
    "a status, which the big table holds": 'facts.status("torch.nn.Conv3d")',
    "a status by alias": 'facts.status("torch.nn.Parameter")',
    "a status of an unknown name": 'facts.status("torch.no.such.name.anywhere")',
}
PROGRAM = """
import sys, time
sys.path.insert(0, sys.argv[1])
from gpu2ascend_rules.model.hardware import Hardware
from gpu2ascend_rules.model.versions import Version
start = time.perf_counter()
from gpu2ascend_rules.facts import Facts
facts = Facts.load(Version(2, 8, 0), Hardware.A2)
{expression}
cold = time.perf_counter() - start
rounds = 1000
start = time.perf_counter()
for _ in range(rounds):
    {expression}
print(cold * 1e3, (time.perf_counter() - start) / rounds * 1e3)
"""


class Times(NamedTuple):
    """Milliseconds of the first answer of a process, and of each further one."""

    fastest: float
    median: float
    next: float


def measured(expression: str) -> Times:
    """The times of an expression over some fresh processes."""
    program = PROGRAM.format(expression=expression)
    command = [sys.executable, "-c", program, str(PACKAGE)]
    cold, warm = [], []
    for _ in range(PROCESSES):
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        first, following = map(float, done.stdout.split())
        cold.append(first)
        warm.append(following)
    return Times(min(cold), statistics.median(cold), min(warm))


def main() -> None:
    """Print the table."""
    let_bytecode_be_kept()
    measured("None")  # writes the bytecode and warms the file cache
    print(f"{'fastest':>8} {'median':>8} {'next':>8}")
    for name, expression in CASES.items():
        times = measured(expression)
        print(f"{times.fastest:8.2f} {times.median:8.2f} {times.next:8.4f}  {name}")
    size = sum(
        path.stat().st_size for path in (PACKAGE / "gpu2ascend_rules" / "facts" / "packed").glob("*.tsv")
    )
    print(f"{size / 1e6:8.2f} MB of tables")


if __name__ == "__main__":
    main()
