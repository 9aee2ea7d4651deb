#!/bin/bash
# Trains with one background process for each NPU of this host, each bound to its share of the host's cores.
# Output is in output_rank_<rank>.log. If one fails, the others are stopped, and its code is the exit code.
@USAGE@
@HOSTS@
export WORLD_SIZE=$((NNODES * NPROC_PER_NODE))
export RANK_SIZE=$WORLD_SIZE
cores=$(($(nproc) / NPROC_PER_NODE))

@PROCESSES@

for ((i = 0; i < NPROC_PER_NODE; i++)); do
    export LOCAL_RANK=$i DEVICE_ID=$i
    export RANK=$((NODE_RANK * NPROC_PER_NODE + i))
    export RANK_ID=$RANK
    bind=()
    share="$((i * cores))-$((i * cores + cores - 1))"
    if ((cores > 0)) && taskset -c "$share" true 2>/dev/null; then
        bind=(taskset -c "$share")
    fi
    "${bind[@]}" python3 -u @ENTRY@ "$@" > "output_rank_$RANK.log" 2>&1 &
    processes+=($!)
done

@WAIT@
