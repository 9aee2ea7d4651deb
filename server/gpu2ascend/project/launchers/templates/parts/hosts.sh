cd "$(dirname "$0")" || exit 2
# shellcheck source=/dev/null
source ./@ENVIRONMENT@

IFS=, read -r -a visible <<<"${ASCEND_RT_VISIBLE_DEVICES// /}"
NPROC_PER_NODE="${NPROC_PER_NODE:-${#visible[@]}}"
((NPROC_PER_NODE > 0)) || NPROC_PER_NODE=8
NNODES="${NNODES:-@NNODES@}"
NODE_RANK="${NODE_RANK:-0}"
export MASTER_PORT="${MASTER_PORT:-29688}"
if ((NNODES == 1)); then
    NODE_RANK=0
    export MASTER_ADDR="${MASTER_ADDR:-127.0.0.1}"
elif [ -z "$MASTER_ADDR" ] || ((NODE_RANK < 0 || NODE_RANK >= NNODES)); then
    echo "@SAY_EVERY_HOST@: NODE_RANK=0..$((NNODES - 1)) MASTER_ADDR=<@SAY_ADDRESS@> bash $0" >&2
    exit 2
fi
