#!/bin/bash
# Trains on all NPUs of this host: one process for each, with its output in output_npu_<number>.log.
# It ends when all have ended. If one fails, it stops the others and exits with that one's code.
# More than one host: see `gpu2ascend migrate ... distributed --launcher ... --nnodes ...`.

if grep -q '^ *please input your shell script here' "$0"; then
    echo "$0: @SAY_COMMAND@" >&2
    exit 2
fi
cd "$(dirname "$0")" || exit 2
if [ -f ./@ENVIRONMENT@ ]; then
    # shellcheck source=/dev/null
    source ./@ENVIRONMENT@
fi

export MASTER_ADDR=127.0.0.1
if [ -z "$MASTER_PORT" ]; then
    export MASTER_PORT=29688
fi
export MASTER_PORT
export HCCL_WHITELIST_DISABLE=1

# The NPUs to train on, in ascending order; ASCEND_RT_VISIBLE_DEVICES=2,3 chooses others.
# shellcheck disable=SC2207
NPUS=($(seq 0 7))
if [ -n "${ASCEND_RT_VISIBLE_DEVICES// /}" ]; then
    IFS=, read -r -a NPUS <<<"${ASCEND_RT_VISIBLE_DEVICES// /}"
fi
export RANK_SIZE=${#NPUS[@]}
export WORLD_SIZE=$RANK_SIZE
# What follows counts the NPUs above from 0, whatever their numbers are.
ASCEND_RT_VISIBLE_DEVICES=$(IFS=,; echo "${NPUS[*]}")
export ASCEND_RT_VISIBLE_DEVICES

@PROCESSES@

rank=0
for i in "${NPUS[@]}"; do
    export DEVICE_ID=$rank
    export RANK_ID=$rank
    export LOCAL_RANK=$rank
    export RANK=$rank
    # shellcheck disable=SC2086 # a number
    @COMMAND@ > output_npu_${i}.log 2>&1 &
    processes+=($!)
    rank=$((rank + 1))
done

@WAIT@
