#!/bin/bash
# Trains with torch_npu_run, whose parallel rendezvous connects many ranks faster than torchrun's.
@USAGE@
@HOSTS@
exec torch_npu_run --rdzv_backend=parallel --nnodes="$NNODES" --node_rank="$NODE_RANK" \
    --nproc_per_node="$NPROC_PER_NODE" --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" @ENTRY@ "$@"
