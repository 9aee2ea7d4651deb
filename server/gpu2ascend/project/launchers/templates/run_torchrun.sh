#!/bin/bash
# Trains with torchrun.
@USAGE@
given_port=$MASTER_PORT
@HOSTS@
if ((NNODES == 1)) && [ -z "$given_port" ]; then
    exec torchrun --standalone --nnodes=1 --nproc_per_node="$NPROC_PER_NODE" @ENTRY@ "$@"
fi
exec torchrun --nnodes="$NNODES" --node_rank="$NODE_RANK" --nproc_per_node="$NPROC_PER_NODE" \
    --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" @ENTRY@ "$@"
