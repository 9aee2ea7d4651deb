/**
 * Makes the .vsix files, one per platform, from a clean checkout.
 *
 *   npm run package                     all platforms
 *   npm run package -- linux-x64 ...    these
 *   npm run package -- --native         the one of this machine
 *
 * Needs a Python with pip: `PYTHON`, else the checkout's virtual environment, else python3.
 */

import { execFile, execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import { createRequire } from "node:module";
import { promisify } from "node:util";

const PLATFORMS = ["linux-x64", "linux-arm64", "win32-x64", "darwin-x64", "darwin-arm64"];
const PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"];
const NATIVE = `${process.platform}-${process.arch}`;
const LARGEST = 30_000_000;

const extension = path.resolve(import.meta.dirname, "..");
const checkout = path.dirname(extension);
const vsce = createRequire(import.meta.url).resolve("@vscode/vsce/vsce");

const wanted = process.argv.slice(2).map((name) => (name === "--native" ? NATIVE : name));
const unknown = wanted.filter((name) => !PLATFORMS.includes(name));
if (unknown.length > 0) {
    throw new Error(`no such platform: ${unknown.join(", ")}; there are ${PLATFORMS.join(", ")}`);
}

run(process.execPath, ["esbuild.mjs", "--production"]);
fs.copyFileSync(path.join(checkout, "LICENSE"), path.join(extension, "LICENSE"));
bundle(NATIVE);
const started = execFileSync(python(), ["scripts/started.py"], { cwd: extension });
const platforms = new Set(wanted.length > 0 ? wanted : PLATFORMS);
if (platforms.delete(NATIVE)) {
    await finish(NATIVE);
}
for (const platform of platforms) {
    bundle(platform);
    await finish(platform);
}

function bundle(platform) {
    run(python(), ["scripts/bundle.py", platform]);
}

async function finish(platform) {
    run(python(), ["scripts/notices.py"]);
    await Promise.all(PYTHONS.map((version) => compile(version)));
    pack(platform);
}

/**
 * Adds bytecode of what a start imports to the bundle, so that the first start is as quick as those after it. Python
 * compiles the rest where it is used first.
 */
async function compile(version) {
    const script = path.join(import.meta.dirname, "bytecode.mjs");
    const compiling = promisify(execFile)(process.execPath, [script, "bundled/libs", version], {
        cwd: extension,
    });
    compiling.child.stdin.end(started);
    await compiling;
}

function pack(platform) {
    const { name, version } = JSON.parse(fs.readFileSync(path.join(extension, "package.json"), "utf8"));
    const file = path.join(extension, "dist", `${name}-${platform}-${version}.vsix`);
    const flags = ["--no-dependencies", "--allow-missing-repository", "--no-gitHubIssueLinking"];
    flags.push(...wholeAddresses());
    // To look for secrets in bytecode takes minutes, and all that is packed is public: this repository and PyPI.
    flags.push("--allow-package-all-secrets", "--allow-package-env-file");
    run(process.execPath, [vsce, "package", "--target", platform, "--out", file, ...flags]);
    run(python(), ["scripts/recompress.py", file]);
    const { size } = fs.statSync(file);
    console.log(`${path.relative(checkout, file)}: ${(size / 1e6).toFixed(1)} MB`);
    if (size > LARGEST) {
        throw new Error(`${file} is larger than ${LARGEST / 1e6} MB`);
    }
}

/**
 * Where the pictures and files are that the packed pages lead to: in the repository, as those of the page on PyPI.
 * While its address is not known, they lead to the files of the package.
 */
function wholeAddresses() {
    const project = fs.readFileSync(path.join(checkout, "pyproject.toml"), "utf8");
    const [, repository] = /^repository = "(.*)"$/m.exec(project);
    if (repository === "") {
        return ["--no-rewrite-relative-links"];
    }
    const folder = `main/${path.basename(extension)}`;
    return [
        ...["--baseContentUrl", `${repository}/blob/${folder}`],
        ...["--baseImagesUrl", `${repository}/raw/${folder}`],
    ];
}

function python() {
    const venv = path.join(
        checkout,
        ".venv",
        process.platform === "win32" ? "Scripts/python.exe" : "bin/python",
    );
    return process.env.PYTHON ?? (fs.existsSync(venv) ? venv : "python3");
}

function run(program, args) {
    execFileSync(program, args, { cwd: extension, stdio: "inherit" });
}
