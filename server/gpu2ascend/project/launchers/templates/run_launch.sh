#!/bin/bash
# Trains with torch.distributed.launch. It hands over LOCAL_RANK in the environment, not as an argument.
@USAGE@
@HOSTS@
exec python3 -m torch.distributed.launch --use_env --nnodes="$NNODES" --node_rank="$NODE_RANK" \
    --nproc_per_node="$NPROC_PER_NODE" --master_addr="$MASTER_ADDR" --master_port="$MASTER_PORT" @ENTRY@ "$@"
