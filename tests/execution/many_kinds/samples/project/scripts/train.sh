#!/usr/bin/env bash
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source "$here/common.sh"
cd "$here/.."
torchrun --nproc_per_node="$NPROC" train.py --config configs/run.yaml --dist-backend nccl --name cuda_run
