"""Error texts of public reports: each leads to the cause, and none ends in "no known failure".

docs/doctor.md says how many of them, in draws of thirty, were known before the table had their rows.
``unknown`` is right where the text is of no class: then the last exception is shown.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gpu2ascend.__main__ import main
from gpu2ascend.doctor.logs.failures import failures
from tests.cases import every_case

TABLE = Path(__file__).with_name("public_texts.tsv")


def texts() -> list[dict[str, str]]:
    lines = (line for line in TABLE.read_text("utf-8").splitlines() if not line.startswith("#"))
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_a_public_text_leads_to_its_cause() -> None:
    with every_case() as case:
        for row in texts():
            with case(row["text"][:40]):
                lines = row["text"].replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\").split("\n")
                found = failures(lines)
                assert [one.name for one in found][:1] == (
                    [] if row["expected"] == "-" else [row["expected"]]
                )
                assert all(one.text in {line.strip() for line in lines} for one in found)


@pytest.mark.parametrize(
    "text",
    ["libfoo: something failed at step 7", "SomethingNew: strange", "error: no such thing", "[ERROR] x 12"],
)
def test_what_nobody_knows_is_no_success(text: str, tmp_path: Path) -> None:
    log = tmp_path / "train.log"
    log.write_text(f"step 1 loss 0.3\n{text}\n")
    if text.startswith("SomethingNew"):
        text = "Traceback (most recent call last):\nSomethingNewError: strange"
        log.write_text(text)
    assert main(["doctor", "--log", str(log)]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "epoch 1 errors=0", "UserWarning: failed to load optional x", "failed: 0",
        "INFO Using FLASH_ATTN backend, max_model_len=4096, gpu_memory_utilization=0.9, dtype mismatch ok",
        "    x = x.expand(4, -1)  # size must match", "INFO Connecting to TCPStore",
        " [WARNING]  async_io requires the dev libaio .so object and headers but these were not found.",
        "[INFO] [stage3.py:13:__init__] aio config: deepspeed_aio, swap buffer 4",
        "INFO slurm tasks configured in SLURM", "FSDP module root made, nested ones follow",
        "The model's features and the columns of the data don't match, ignoring extra ones",
        "INFO: sequence length will be padded to a multiple of 8", "INFO GCS server is running",
        "Token indices sequence length is longer than the specified maximum sequence length (9 > 8).",
        "INFO Skip loading parameter 'head', ignore_mismatched_sizes=True",
        "val_loss improved, logits have no nan", "INFO the state of the foo group is already initialized",
        "The installed version of bitsandbytes was compiled without GPU support.",
    ],
)  # fmt: skip
def test_what_goes_well_is_no_failure(text: str) -> None:
    """The control."""
    assert failures([text]) == []
