for ((left = ${#processes[@]}; left > 0; left--)); do
    wait -n
    code=$?
    if ((code != 0)); then
        echo "$0: @SAY_FAILED@" >&2
        stop_all
        exit "$code"
    fi
done
