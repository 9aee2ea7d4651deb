#!/usr/bin/env bash
# Install a real VS Code workbench and a browser to drive it: code-server from npm; Chromium, ripgrep and a
# Chinese font from Debian (as root). Needs Node.js 20, a C++ compiler and Python.
#   usage: install-workbench.sh [DIR]
set -euo pipefail
version=4.100.3 # VS Code 1.100, the newest that runs on Node.js 20
# Of the package on npm; it brings its own list, with hashes, of all that it needs.
integrity=sha512-q/Fh2DOxCRNhC/WiG/6sAhSKnj7ZACTVBaeeZ+rWjol//0FCbl/qg1ln5ecZ99jYcfqMxZZAyWcN+YBIo0DgpA==
dir=${1:-$(dirname "${BASH_SOURCE[0]}")/../.cache/workbench}

missing=()
for package in chromium ripgrep libkrb5-dev pkg-config fonts-noto-cjk; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
done
if ((${#missing[@]})); then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

[[ $(cat "$dir/.installed" 2>/dev/null) != "$version" ]] || exit 0
mkdir -p "$dir"
cd "$dir"
export npm_config_yes=true # the install script of node-pty runs npx
npm_quietly() { npm "$@" --no-audit --no-fund --silent; }
# npm init would take the project around it for the package.
[[ -f package.json ]] || echo '{"private": true}' >package.json
# Its own install script downloads binaries. The few native modules that are needed are built here instead.
npm_quietly install "code-server@$version" --ignore-scripts
# npm has checked the package against the hash that the registry gave; none of it has run yet.
if ! grep -qF "\"$integrity\"" node_modules/.package-lock.json; then
    echo "error: code-server $version is not the package whose hash is listed" >&2
    exit 1
fi
npm_quietly rebuild argon2 --build-from-source
cd node_modules/code-server/lib/vscode
npm_quietly install --ignore-scripts --omit=dev
(cd extensions && npm_quietly install --ignore-scripts --omit=dev)
for module in node-pty @vscode/spdlog native-watchdog @parcel/watcher; do npm_quietly rebuild "$module"; done
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
ln -sfn node_modules node_modules.asar
(cd extensions && ln -sfn node_modules node_modules.asar)
cd - >/dev/null
echo "$version" >.installed
