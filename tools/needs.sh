#!/bin/sh
# What this machine lacks for `make test`, in one list with the commands that bring it, before anything runs.
# Ends with 1 where nothing can run without it, or where GPU2ASCEND_REQUIRE_ALL asks for everything. With the argument
# `extension` it says nothing, and ends with 1 where the tests of the VS Code extension cannot run.
set -u
python=${PYTHON:-python3}
packages=
required=

lacks() { # PACKAGE, WHAT FOR, and "required" where nothing runs without it
    packages="$packages $1"
    if [ "${3:-}" = required ]; then
        required=yes
        echo "  $1: $2" >&2
    else
        echo "  $1: $2 (without it: skipped)" >&2
    fi
}

has() { command -v "$1" >/dev/null 2>&1; }
python_has() { "$python" -I -c "$1" >/dev/null 2>&1; }
node_is_new() { [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -ge 20 ]; }

offered_node_is_new() { # by the packages of this system; where nobody says, it is
    version=$(apt-cache show nodejs 2>/dev/null | sed -n 's/^Version: \([0-9]*:\)\{0,1\}\([0-9]*\).*/\2/p' | head -n 1)
    [ "${version:-20}" -ge 20 ]
}

if [ "${1:-}" = extension ]; then
    has npm && node_is_new
    exit
fi

check() {
    if ! has "$python"; then
        lacks python3 "everything" required
        lacks python3-venv "everything" required
        lacks python3-dev "tests of extensions"
    elif ! python_has 'import sys; assert sys.version_info >= (3, 10)'; then
        lacks python3 "Python 3.10 or newer; PYTHON=python3.12 make test takes another" required
    else
        python_has 'import ensurepip, venv' || lacks python3-venv "everything" required
        python_has 'import pathlib, sysconfig
assert pathlib.Path(sysconfig.get_path("include"), "Python.h").exists()' ||
            lacks python3-dev "tests of extensions"
    fi
    has git || lacks git "tests of diffs"
    has patch || lacks patch "tests of diffs"
    has g++ || lacks g++ "tests that compile"
    has shellcheck || lacks shellcheck "tests of the scripts that are written"
    if ! has npm && offered_node_is_new; then
        lacks npm "the VS Code extension"
    elif ! has npm || ! node_is_new; then
        echo "  Node.js 20 or newer, from https://nodejs.org: the VS Code extension (without it: skipped)" >&2
    fi
    has nvim || lacks neovim "the tests in Neovim"
    has emacs || lacks emacs-nox "the tests in Emacs"
    has emacs || lacks elpa-eglot "the tests in Emacs"
}

said=$(check 2>&1)
check 2>/dev/null
[ -n "$said" ] || exit 0
{
    echo "This machine lacks:"
    echo "$said"
    [ -z "$packages" ] || echo "On Debian and Ubuntu:"
    [ -z "$packages" ] || echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends$packages"
} >&2
if [ -n "$required" ] || [ -n "${GPU2ASCEND_REQUIRE_ALL:-}" ]; then
    exit 1
fi
