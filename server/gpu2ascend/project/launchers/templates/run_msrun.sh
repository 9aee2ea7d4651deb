#!/bin/bash
# Trains with MindSpore in several processes, which msrun starts.
# 用 msrun 启动多个进程进行 MindSpore 训练。
#   one host:       bash run_msrun.sh [arguments of the training script]
#   several hosts:  NNODES=2 NODE_RANK=0 MASTER_ADDR=<address of host 0> bash run_msrun.sh [arguments]
#                   on host 0; the same with NODE_RANK=1 on host 1, and so on.
#   单机：  bash run_msrun.sh [训练脚本的参数]
#   多机：  在主机 0 上 NNODES=2 NODE_RANK=0 MASTER_ADDR=<主机 0 的地址> bash run_msrun.sh [参数]，
#           在主机 1 上改为 NODE_RANK=1，以此类推。
# NPROC_PER_NODE is the number of processes of each host (those of ASCEND_RT_VISIBLE_DEVICES, else 8),
# MASTER_PORT (8118) a free port of host 0. Output is in msrun_log/worker_<rank>.log.
# NPROC_PER_NODE 为每台主机的进程数（默认取 ASCEND_RT_VISIBLE_DEVICES 中的数量，否则为 8），
# MASTER_PORT（8118）为主机 0 的空闲端口。输出在 msrun_log/worker_<rank>.log 中。

if grep -q '^ *please input your shell script here' "$0"; then
    echo "$0: @SAY_COMMAND@" >&2
    exit 2
fi
cd "$(dirname "$0")" || exit 2
IFS=, read -r -a visible <<<"${ASCEND_RT_VISIBLE_DEVICES// /}"
NPROC_PER_NODE="${NPROC_PER_NODE:-${#visible[@]}}"
((NPROC_PER_NODE > 0)) || NPROC_PER_NODE=8
NNODES="${NNODES:-1}"
NODE_RANK="${NODE_RANK:-0}"
if ((NNODES == 1)); then
    NODE_RANK=0
    MASTER_ADDR="${MASTER_ADDR:-127.0.0.1}"
elif [ -z "$MASTER_ADDR" ] || ((NODE_RANK < 0 || NODE_RANK >= NNODES)); then
    echo "@SAY_EVERY_HOST@: NODE_RANK=0..$((NNODES - 1)) MASTER_ADDR=<@SAY_ADDRESS@> bash $0" >&2
    exit 2
fi

start() {
    msrun --worker_num=$((NNODES * NPROC_PER_NODE)) --local_worker_num="$NPROC_PER_NODE" \
        --master_addr="$MASTER_ADDR" --master_port="${MASTER_PORT:-8118}" --node_rank="$NODE_RANK" \
        --log_dir=msrun_log --join=True "$@"
}

@COMMAND@
