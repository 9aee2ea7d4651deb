#!/bin/bash
# Trains with torch.multiprocessing.spawn: launch_spawn.py starts the processes of this host.
@USAGE@
@HOSTS@
export NPROC_PER_NODE NNODES NODE_RANK
exec python3 -u launch_spawn.py @ENTRY@ "$@"
