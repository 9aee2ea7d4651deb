# Settings that may be worth a try, one at a time; remove the '#' before one.
# Memory: segments that grow, against fragmentation ("NPU out of memory" although much is free).
# export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True
# Speed: more of the work of starting operators in parallel (1 without it); takes more memory.
# export TASK_QUEUE_ENABLE=2
# Speed: each process keeps to the cores beside its NPU (0 without it); not together with taskset.
# export CPU_AFFINITY_CONF=1
# While porting: an operator that would run on the CPU without a word is an error.
# export TORCH_NPU_FALLBACK_CPU_DISABLE=1
# While looking for an error: operators run one by one, so that the traceback shows the right line. Slow.
# export ASCEND_LAUNCH_BLOCKING=1
