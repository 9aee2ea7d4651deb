/**
 * Runs the end-to-end tests on the packaged extension, in a real workbench:
 *
 *   npm run e2e                          all
 *   npm run e2e -- dialog -g "Chinese"   as Playwright's own arguments say
 *   npm run states                       pictures of every state in every look, for test-results/states: -g dark
 *   npm run measure                      what measures instead of testing: of two configurations the last one counts
 *
 * The workbench and the browser come from e2e/install-workbench.sh. Without them the tests are skipped, saying
 * so; where GPU2ASCEND_REQUIRE_ALL is set, that is a failure.
 */

import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { createRequire } from "node:module";
import * as path from "node:path";

const extension = path.resolve(import.meta.dirname, "..");
const env = {
    ...process.env,
    E2E_WORKBENCH: process.env.E2E_WORKBENCH ?? path.join(extension, ".cache", "workbench"),
    E2E_CHROMIUM: process.env.E2E_CHROMIUM ?? "/usr/bin/chromium",
};

const missing = [path.join(env.E2E_WORKBENCH, ".installed"), env.E2E_CHROMIUM].filter(
    (file) => !fs.existsSync(file),
);
if (missing.length > 0) {
    const text = `${missing.join(" and ")} not found; vscode-extension/e2e/install-workbench.sh installs what is needed`;
    console.error(
        process.env.GPU2ASCEND_REQUIRE_ALL
            ? `error: ${text}`
            : `note: the tests in a workbench are skipped: ${text}`,
    );
    process.exit(process.env.GPU2ASCEND_REQUIRE_ALL ? 1 : 0);
}
if (!process.env.E2E_VSIX) {
    run(process.execPath, ["scripts/package.mjs", "--native"]);
}
const playwright = createRequire(import.meta.url).resolve("@playwright/test/cli");
run(process.execPath, [playwright, "test", "--config", "e2e/playwright.config.ts", ...process.argv.slice(2)]);

function run(program, args) {
    const { status } = spawnSync(program, args, { cwd: extension, stdio: "inherit", env });
    if (status !== 0) {
        process.exit(status ?? 1);
    }
}
