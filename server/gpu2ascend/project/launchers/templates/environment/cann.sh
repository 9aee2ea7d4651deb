# Before a training, in the same shell:  . ./@NAME@
# Whatever is set already stays as it is.

# CANN. Its set_env.sh knows the rest: libraries, operators, compiler. It is looked for where ASCEND_HOME_PATH
# says, below ASCEND_INSTALL_PATH, and where its installers put it for all users or for one: from CANN 8.5 on in
# `cann`, before that in `ascend-toolkit`. Where it was sourced already it is not sourced again.
# Scripts of the vendor read variables that are not set, which `set -u` would not allow.
case $- in
*u*) gpu2ascend_unset=u ;;
*) gpu2ascend_unset= ;;
esac
set +u
if [ -z "$ASCEND_OPP_PATH" ] || [ ! -d "$ASCEND_OPP_PATH" ]; then
    gpu2ascend_found=
    for gpu2ascend_script in \
        "${ASCEND_HOME_PATH:-/usr/local/Ascend/cann}/set_env.sh" \
        "${ASCEND_HOME_PATH:-/usr/local/Ascend/cann}/../set_env.sh" \
        "${ASCEND_INSTALL_PATH:-/usr/local/Ascend}/cann/set_env.sh" \
        "${ASCEND_INSTALL_PATH:-/usr/local/Ascend}/ascend-toolkit/set_env.sh" \
        "$HOME/Ascend/cann/set_env.sh" \
        "$HOME/Ascend/ascend-toolkit/set_env.sh"; do
        if [ -f "$gpu2ascend_script" ]; then
            gpu2ascend_found=$gpu2ascend_script
            # shellcheck source=/dev/null
            . "$gpu2ascend_script"
            break
        fi
    done
    # NNAL: fused attention operators, a package of its own.
    if [ -f "${ASCEND_INSTALL_PATH:-/usr/local/Ascend}/nnal/atb/set_env.sh" ]; then
        # shellcheck source=/dev/null
        . "${ASCEND_INSTALL_PATH:-/usr/local/Ascend}/nnal/atb/set_env.sh"
    fi
    if [ -n "$gpu2ascend_found" ]; then
        echo "@NAME@: CANN from $gpu2ascend_found" >&2
    else
        echo "@NAME@: CANN was not found; set ASCEND_HOME_PATH to its directory" >&2
    fi
    unset gpu2ascend_found gpu2ascend_script
fi
if [ -n "$gpu2ascend_unset" ]; then
    set -u
fi
unset gpu2ascend_unset
