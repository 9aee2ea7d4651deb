# Settings that may be worth a try, one at a time; remove the '#' before one.
# Memory: segments that grow, against fragmentation ("NPU out of memory" although much is free).
# export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True
# Speed: more of the work of starting operators in parallel (1 without it); takes more memory.
# export TASK_QUEUE_ENABLE=2
# Speed: each process keeps to the cores beside its NPU (0 without it); not together with taskset.
# export CPU_AFFINITY_CONF=1
# Speed: a queue for each stream (0 without it), where a program uses several.
# export PER_STREAM_QUEUE=1
# Speed where the host is the slower one: more compiled operators are kept.
# export ACLNN_CACHE_LIMIT=100000
# Speed with shapes that change: more plans are kept (0 without it); takes memory of the host.
# export HOST_CACHE_CAPACITY=20
# Speed: elementwise operators are joined, in recent releases of torch_npu.
# export TORCH_NPU_LAZY_FUSION=1
# Speed on the Atlas training series (910A): two operators on strided tensors are joined (0 without it).
# export COMBINED_ENABLE=1
# Several NPUs: larger buffers for large messages, in MB (200 without it).
# export HCCL_BUFFSIZE=400
# Several NPUs: a separate communicator for isend and irecv, in MB (0 without it: none).
# export P2P_HCCL_BUFFSIZE=20
# The log of CANN has errors only (3); 0 and 1 make training slow.
# export ASCEND_GLOBAL_LOG_LEVEL=3
# While porting: an operator that would run on the CPU without a word is an error.
# export TORCH_NPU_FALLBACK_CPU_DISABLE=1
# While looking for an error: operators run one by one, so that the traceback shows the right line. Slow.
# export ASCEND_LAUNCH_BLOCKING=1
