# Seconds that ranks wait for each other while they connect: hosts do not start in the same second.
export HCCL_CONNECT_TIMEOUT="${HCCL_CONNECT_TIMEOUT:-1800}"
# Older CANN compares the hosts with a list of trusted ones, which hardly anybody keeps.
export HCCL_WHITELIST_DISABLE="${HCCL_WHITELIST_DISABLE:-1}"

# Several hosts: the network interface that they reach each other by, if a host has more than one.
# export HCCL_SOCKET_IFNAME=eth0
# export GLOO_SOCKET_IFNAME=eth0
# Seconds that a collective operation may take, if one rank works alone for long (1800 or so without it).
# export HCCL_EXEC_TIMEOUT=3600
