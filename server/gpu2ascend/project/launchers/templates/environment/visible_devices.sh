# The NPUs to train on. Something of this project chooses devices by CUDA_VISIBLE_DEVICES; the runtime of the NPU
# reads another variable, and wants the numbers in ascending order.
# gpu2ascend: ignore[NPU10]
gpu2ascend_devices=${CUDA_VISIBLE_DEVICES:-} # gpu2ascend: ignore[NPU10]
case $gpu2ascend_devices in
'' | *[!0-9,]*) ;;
*)
    if [ -z "${ASCEND_RT_VISIBLE_DEVICES:-}" ]; then
        ASCEND_RT_VISIBLE_DEVICES=$(echo "$gpu2ascend_devices" | tr ',' '\n' | sort -n | paste -s -d , -)
        export ASCEND_RT_VISIBLE_DEVICES
    fi
    ;;
esac
unset gpu2ascend_devices
