set -m # a process group for each process, so that what it starts can be stopped with it
processes=()

stop_all() {
    for process in "${processes[@]}"; do
        kill -TERM -- "-$process" 2>/dev/null
    done
    (
        sleep 10
        for process in "${processes[@]}"; do
            kill -KILL -- "-$process" 2>/dev/null
        done
    ) &
    wait "${processes[@]}" 2>/dev/null
    kill -TERM -- "-$!" 2>/dev/null
}
trap 'stop_all; exit 129' HUP
trap 'stop_all; exit 130' INT
trap 'stop_all; exit 143' TERM
