"""A session may last for days: nothing is kept of a key that has been answered."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sampling import BEYOND_SAMPLE

from .raw_client import RawClient

pytestmark = [
    pytest.mark.slow,
    BEYOND_SAMPLE,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason=f"no /proc on {sys.platform}"),
]

URI = "file:///p/a.py"
SAMPLE = "import torch\n" + "x = torch.zeros(1).cuda()\n" * 40
WARM_UP, EDITS, HEARD = 2_000, 8_000, 100
ALLOWED_KIB = 5 * 1024


@pytest.fixture
def client() -> Iterator[RawClient]:
    raw = RawClient()
    yield raw
    raw.kill()


def resident_kib(process_id: int) -> int:
    status = Path(f"/proc/{process_id}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1])


def type_and_take_back(client: RawClient, first: int, count: int) -> None:
    """A key and a backspace in turn, the diagnostics awaited now and then, and at the end."""
    for number in range(count):
        start = {"line": 5, "character": 0}
        end = {"line": 5, "character": number % 2}
        change = {"range": {"start": start, "end": end}, "text": "" if number % 2 else "y"}
        version = first + number
        document = {"uri": URI, "version": version}
        params = {"textDocument": document, "contentChanges": [change]}
        client.send({"method": "textDocument/didChange", "params": params})
        if (number + 1) % HEARD == 0:
            while client.diagnostics().get("version") != version:
                pass


def test_memory_does_not_grow_with_the_number_of_keys(client: RawClient) -> None:
    """That a long text is not kept either, `tests/rules/limits/test_parsing.py` counts to the byte."""
    client.initialize()
    client.open(SAMPLE)
    client.diagnostics()
    type_and_take_back(client, 2, WARM_UP)
    before = resident_kib(client.process_id)
    type_and_take_back(client, WARM_UP + 2, EDITS)
    assert resident_kib(client.process_id) - before < ALLOWED_KIB
