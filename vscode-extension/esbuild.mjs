/** Builds the extension and its web views into dist/. */

import * as fs from "node:fs/promises";
import { createRequire } from "node:module";
import * as path from "node:path";
import esbuild from "esbuild";

const production = process.argv.includes("--production");
const watch = process.argv.includes("--watch");

const shared = {
    bundle: true,
    minify: production,
    sourcemap: production ? false : "linked",
    legalComments: "none", // the whole licences are in a separate file
    metafile: true,
    logLevel: "warning",
};

/** The extension runs in Node.js, its views in a browser. */
const builds = [
    {
        ...shared,
        entryPoints: { extension: "src/extension.ts" },
        outdir: "dist",
        platform: "node",
        format: "cjs",
        target: "node20",
        external: ["vscode"],
        mainFields: ["module", "main"],
    },
    {
        ...shared,
        entryPoints: {
            dialog: "src/webview/dialog/main.ts",
            result: "src/webview/result/main.ts",
        },
        outdir: "dist/webview",
        platform: "browser",
        format: "iife",
        target: "es2022",
        loader: { ".css": "css" },
    },
];

await fs.rm("dist/webview", { recursive: true, force: true });
await copyCodicons("dist/webview");
if (watch) {
    const contexts = await Promise.all(builds.map((options) => esbuild.context(options)));
    await Promise.all(contexts.map((context) => context.watch()));
} else {
    const results = await Promise.all(builds.map((options) => esbuild.build(options)));
    await writeNotices("dist/JavaScriptNotices.txt", [
        ...results.flatMap(({ metafile }) => Object.keys(metafile.inputs)),
        createRequire(import.meta.url).resolve("@vscode/codicons/dist/codicon.css"),
    ]);
}

/** The licences of the packages whose files were bundled, as they ask for; `notices.py` adds those of Python's. */
async function writeNotices(target, inputs) {
    const folders = new Set(
        inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []),
    );
    const notices = await Promise.all(
        [...folders].map(async (folder) => {
            const { name, version, license } = JSON.parse(
                await fs.readFile(path.join(folder, "package.json"), "utf8"),
            );
            const files = (await fs.readdir(folder)).filter((file) => /^licen[cs]e/i.test(file));
            if (files.length === 0) {
                throw new Error(`${folder} has no licence`);
            }
            const texts = files.map((file) => fs.readFile(path.join(folder, file), "utf8"));
            return [`${name} ${version} (${license})`, ...(await Promise.all(texts))].join("\n\n");
        }),
    );
    await fs.writeFile(target, notices.sort().join(`\n\n${"-".repeat(80)}\n\n`));
}

/** The editor's own symbols, which a web view has to bring along. */
async function copyCodicons(target) {
    const folder = path.dirname(createRequire(import.meta.url).resolve("@vscode/codicons/dist/codicon.css"));
    await fs.mkdir(target, { recursive: true });
    for (const name of ["codicon.css", "codicon.ttf"]) {
        await fs.copyFile(path.join(folder, name), path.join(target, name));
    }
}
