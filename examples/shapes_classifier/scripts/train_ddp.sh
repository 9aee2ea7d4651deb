#!/usr/bin/env bash
# Train on all GPUs of one machine:  bash scripts/train_ddp.sh [gpus] [extra arguments of train.py]
set -euo pipefail
cd "$(dirname "$0")/.."

GPUS=${1:-4}
shift || true

export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-$(seq -s, 0 $((GPUS - 1)))}
export CUDA_DEVICE_ORDER=PCI_BUS_ID
export NCCL_DEBUG=${NCCL_DEBUG:-WARN}
export OMP_NUM_THREADS=4

torchrun --standalone --nproc_per_node "$GPUS" train.py \
    --device cuda --dist-backend nccl --output runs/ddp "$@"
