#!/bin/sh
# The virtual environment of a checkout. What fails is said in one sentence, with the command that mends it.
#
#   environment.sh make VENV                    with the interpreter PYTHON
#   environment.sh install VENV REQUIREMENT...  by pip, whose output stays in VENV/pip.log
#
# GOAL is what make was asked for, for the commands.
set -u
task=$1
venv=$2
shift 2
python=${PYTHON:-python3}
goal=${GOAL:-demo}

fail() {
    echo "error: $*" >&2
    exit 1
}

is_new() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; }

require_python() {
    is_new "$python" && return
    for other in python3.14 python3.13 python3.12 python3.11 python3.10 python3 python; do
        is_new "$other" && fail "$python is no Python 3.10 or newer, and $other is: make $goal PYTHON=$other"
    done
    fail "there is no Python 3.10 or newer on PATH: install one, and name it: make $goal PYTHON=/path/to/python3"
}

make_environment() {
    require_python
    existed=$(test -e "$venv" && echo yes)
    mkdir -p "$venv" 2>/dev/null ||
        fail "$venv cannot be written: make $goal VENV=\"\$HOME/gpu2ascend-venv\" DEMO_OUTPUT=\"\$HOME/gpu2ascend-demo\""
    "$python" -m venv "$venv" && return
    test -n "$existed" || rm -rf "$venv"
    fail "$python has no venv; on Debian and Ubuntu: sudo apt-get install -y python3-venv"
}

install() {
    log=$venv/pip.log
    echo "Installing into $venv: $*" >&2
    "$venv/bin/python" -m pip --disable-pip-version-check --quiet install "$@" >"$log" 2>&1 && return
    missing=$(sed -n 's/.*No matching distribution found for //p' "$log" | head -n 1)
    if [ -n "$missing" ] || grep -Eq 'ConnectionError|ProxyError|timed out|name resolution|NewConnection' "$log"; then
        fail "no package index gave ${missing:-what is needed} ($log): PIP_INDEX_URL=https://HOST/simple make $goal"
    fi
    cat "$log" >&2
    fail "pip could not install $*; what it said is in $log. Start anew: rm -rf $venv && make $goal"
}

case $task in
    make) make_environment ;;
    install) install "$@" ;;
    *) fail "unknown task: $task" ;;
esac
