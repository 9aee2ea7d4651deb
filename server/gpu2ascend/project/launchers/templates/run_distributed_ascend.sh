#!/bin/bash
# Trains with a rank table. On every host:
#   bash run_distributed_ascend.sh RANK_TABLE_FILE RANK_SIZE RANK_START DEVICE_START [arguments of the training]
#     RANK_TABLE_FILE  the table of all hosts: `gpu2ascend rank-table` makes it
#     RANK_SIZE        the number of processes on all hosts together
#     RANK_START       the rank of this host's first process
#     DEVICE_START     the number of the first NPU that this host trains on
# One host with 8 NPUs: bash run_distributed_ascend.sh rank_table.json 8 0 0
# 用 rank table 启动训练，在每台主机上执行：
#   bash run_distributed_ascend.sh RANK_TABLE_FILE RANK_SIZE RANK_START DEVICE_START [训练脚本的参数]
#     RANK_TABLE_FILE  包含所有主机的 rank table 文件    RANK_SIZE     所有主机的进程总数
#     RANK_START       本机第一个进程的 rank             DEVICE_START  本机使用的第一个 NPU 的编号
# Output is in train<rank>.log. If one process fails, the others of this host are stopped, and its code is the
# exit code.

if (($# < 4)) || [[ ! "$2$3$4" =~ ^[0-9]+$ ]]; then
    echo "@SAY_USAGE@: bash $0 RANK_TABLE_FILE RANK_SIZE RANK_START DEVICE_START [@SAY_ARGUMENTS@]" >&2
    exit 2
fi
if grep -q '^ *please input your shell script here' "$0"; then
    echo "$0: @SAY_COMMAND@" >&2
    exit 2
fi
# The collective library does not follow symbolic links.
RANK_TABLE_FILE=$(readlink -f "$1")
if [ ! -f "$RANK_TABLE_FILE" ]; then
    echo "$0: @SAY_FILE@ $1" >&2
    exit 2
fi
export RANK_TABLE_FILE
export RANK_SIZE=$2
RANK_START=$3
DEVICE_START=$4
shift 4
cd "$(dirname "$0")" || exit 2
# shellcheck source=/dev/null
source ./@ENVIRONMENT@

# From the table: how many processes this host starts, and the address of the host of rank 0.
if ! table=$(python3 - "$RANK_TABLE_FILE" "$RANK_SIZE" "$RANK_START" <<'PYTHON'
import json, sys

path, size, start = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path) as file:
    servers = json.load(file)["server_list"]
ranks = [[int(device["rank_id"]) for device in server["device"]] for server in servers]
if sorted(sum(ranks, [])) != list(range(size)):
    sys.exit("@SAY_RANKS@" % (path, size - 1))
own = [rank for of_server in ranks if start in of_server for rank in of_server if rank >= start]
if not own:
    sys.exit("@SAY_RANK@" % (path, start))
first = next(server for server, of_server in zip(servers, ranks) if 0 in of_server)
print(len(own), "127.0.0.1" if len(servers) == 1 else first.get("host_ip", first["server_id"]))
PYTHON
); then
    exit 2
fi
read -r PROCESSES address <<<"$table"
export MASTER_ADDR="${MASTER_ADDR:-$address}"
export MASTER_PORT="${MASTER_PORT:-29688}"
export WORLD_SIZE=$RANK_SIZE

@PROCESSES@

for ((i = 0; i < PROCESSES; i++)); do
    export DEVICE_ID=$((DEVICE_START + i))
    export RANK_ID=$((RANK_START + i))
    export LOCAL_RANK=$DEVICE_ID
    export RANK=$RANK_ID
    @COMMAND@ > "train$RANK_ID.log" 2>&1 &
    processes+=($!)
done

@WAIT@
