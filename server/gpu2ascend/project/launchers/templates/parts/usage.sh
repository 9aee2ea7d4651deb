#   one host:       bash @NAME@ [arguments of the training script]
#   several hosts:  NNODES=2 NODE_RANK=0 MASTER_ADDR=<address of host 0> bash @NAME@ [arguments]
#                   on host 0; the same with NODE_RANK=1 on host 1, and so on.
# NPROC_PER_NODE is the number of NPUs of each host (those of ASCEND_RT_VISIBLE_DEVICES, else 8), MASTER_PORT
# (29688) a free port of host 0.
