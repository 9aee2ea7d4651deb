"""What a check of shell scripts costs, beside the syntax check of bash, and how it grows with a script."""

from __future__ import annotations

import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from growth import Figure, grown

from gpu2ascend_rules.checking import check
from gpu2ascend_rules.kinds.registry import kind_file
from gpu2ascend_rules.options.options import options_from

VERSION = "2.8.0"
BUDGET = 30.0
"""Of the time of ``bash -n``, which takes 0.7 ms for 1,000 lines: 20 ms."""
STAGE = """\
if [ ${stage} -le 4 ] && [ ${stop_stage} -ge 4 ]; then
  # Training: one process for each card.
  mkdir -p $dir
  num_gpus=$(echo $CUDA_VISIBLE_DEVICES | awk -F "," '{print NF}')
  cmvn_opts=
  $cmvn && cp data/${train_set}/global_cmvn $dir
  $cmvn && cmvn_opts="--cmvn ${dir}/global_cmvn"
  echo "$0: init method is file, $num_nodes nodes, $dir"
  for ((i = 0; i < $num_gpus; ++i)); do
  {
    gpu_id=$(echo $CUDA_VISIBLE_DEVICES | cut -d',' -f$[$i+1])
    rank=`expr $node_rank \\* $num_gpus + $i`
    python train.py --gpu $gpu_id \\
      --config $train_config \\
      --data_type $data_type \\
      --train_data data/$train_set/data.list \\
      --model_dir $dir \\
      --ddp.dist_backend $dist_backend \\
      --num_workers 4 $cmvn_opts \\
      --pin_memory
  } &
  done
  wait
fi
"""
"""A part of a recipe, as speech projects write them."""
STAGES = 40
REPEATED = 20
"""Times that ``bash -n`` reads the script in one file, so that its time is well above that of its start."""


def figures(rounds: int) -> Iterator[Figure]:
    """The cost of a script of 1,000 lines, and its growth."""
    yield _beside_bash(rounds)
    yield grown("check, 8 times the stages of a script : 8 times one", _check, STAGES, rounds)


def script(stages: int) -> str:
    """A recipe of so many stages."""
    return "#!/bin/bash\ndist_backend=nccl\n" + STAGE * stages


def _check(stages: int) -> None:
    file = kind_file("run.sh", script(stages))
    assert file is not None
    check(file, options_from({"version": VERSION}))


def _beside_bash(rounds: int) -> Figure:
    text = script(STAGES)
    ours: list[float] = []
    theirs: list[float] = []
    with tempfile.TemporaryDirectory() as scratch:
        whole, empty = Path(scratch, "whole.sh"), Path(scratch, "empty.sh")
        whole.write_text(script(REPEATED * STAGES), encoding="utf-8")
        empty.write_text("", encoding="utf-8")
        for _ in range(rounds + 1):
            theirs.append((_syntax_check(whole) - _syntax_check(empty)) / REPEATED)
            start = time.process_time()
            _check(STAGES)
            ours.append(time.process_time() - start)
    mine, reference = min(ours[1:]), min(theirs[1:])  # the first loads the rules
    detail = f"{mine * 1000:.1f} ms to {reference * 1000:.2f} ms, {text.count(chr(10))} lines"
    return "check a shell script : bash -n less its start", mine / reference, BUDGET, detail


def _syntax_check(script: Path) -> float:
    """The processor time of ``bash -n``, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["bash", "-n", str(script)], check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
