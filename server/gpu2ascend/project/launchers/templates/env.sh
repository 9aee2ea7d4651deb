# shellcheck shell=bash
# The environment that training on Ascend NPUs needs. Every run_*.sh reads it; so can you: `source env.sh`.

# CANN: its own set_env.sh knows the rest. ASCEND_INSTALL_PATH says where it is, if not in the usual place.
# From CANN 8.5 on it is in `cann`; releases before it leave `ascend-toolkit` behind.
for candidate in \
    "${ASCEND_INSTALL_PATH:-/usr/local/Ascend}/cann/set_env.sh" \
    "${ASCEND_INSTALL_PATH:-/usr/local/Ascend}/ascend-toolkit/set_env.sh" \
    "$HOME/Ascend/cann/set_env.sh" \
    "$HOME/Ascend/ascend-toolkit/set_env.sh"; do
    if [ -f "$candidate" ]; then
        # shellcheck disable=SC1090
        source "$candidate"
        break
    fi
done

# Seconds that ranks wait for each other while they connect: hosts do not start in the same second.
export HCCL_CONNECT_TIMEOUT="${HCCL_CONNECT_TIMEOUT:-1800}"
# Older CANN compares the hosts with a list of trusted ones, which hardly anybody keeps.
export HCCL_WHITELIST_DISABLE="${HCCL_WHITELIST_DISABLE:-1}"

# Several hosts: the network interface that they reach each other by, if a host has more than one.
# export HCCL_SOCKET_IFNAME=eth0
# export GLOO_SOCKET_IFNAME=eth0
