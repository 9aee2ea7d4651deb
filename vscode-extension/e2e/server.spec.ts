import * as fs from "node:fs";
import * as path from "node:path";

import { expect, test } from "./fixtures";
import { servers } from "./workbench/processes";

/** A program that says of itself what a Python too old would say. */
const OLD_PYTHON = `#!/bin/sh
echo 'gpu2ascend runs on {"executable": "/old", "version": [3, 8, 1], "extensionSuffix": ".so", "machine": "x86_64"}' >&2
`;

/** A Python that has gpu2ascend in its own environment: the one that the tests of the server run on. */
const PYTHON = process.env.PYTHON ?? path.resolve(__dirname, "..", "..", ".venv", "bin", "python");

/** A Python that hangs after it has said what it is, as long as there is a file beside it that says so. */
const HANGING_PYTHON = `#!/bin/sh
if [ -e "$0.hangs" ]; then
  echo 'gpu2ascend runs on {"executable": "/hanging", "version": [3, 12, 0], "extensionSuffix": ".so", "machine": "x86_64", "hasServer": true}' >&2
  exec sleep 617
fi
exec "${PYTHON}" "$@"
`;

test.describe("without an interpreter that fits", () => {
  test.use({
    server: { settings: { "gpu2ascend.interpreter": "/no/such/python" } },
    files: { "old-python": OLD_PYTHON },
  });

  test("a message says what is needed, and the one that is chosen then is used, with its own server", async ({
    workbench,
  }) => {
    await test.step("there is none", async () => {
      const toast = workbench.toasts.filter({ hasText: "(/no/such/python) does not exist" });
      await expect(toast).toBeVisible();
      await workbench.screenshot("no-python");
      await workbench.run("GPU2Ascend: Select Interpreter");
      await expect(workbench.page.locator(".quick-input-list")).toContainText("Find one by itself");
      await workbench.page.keyboard.press("Escape");
    });
    await test.step("it is too old", async () => {
      fs.chmodSync(workbench.path("old-python"), 0o755);
      workbench.configure({ "gpu2ascend.interpreter": workbench.path("old-python") });
      const toast = workbench.toasts.filter({
        hasText: "is Python 3.8.1; PyTorch GPU2Ascend needs 3.10 or newer",
      });
      await toast.getByRole("button", { name: "Show Log" }).click();
      await expect(workbench.page.locator(".part.panel")).toContainText("is Python 3.8.1, too old");
    });
    await test.step("it fits", async () => {
      workbench.configure({
        "gpu2ascend.interpreter": PYTHON,
        "gpu2ascend.importStrategy": "fromEnvironment",
      });
      await expect(workbench.squiggles.first()).toBeVisible();
      expect(servers(`${PYTHON} -I`, "--from-environment lsp").length).toBeGreaterThan(0);
      await expect(workbench.page.locator(".part.panel")).toContainText("fromEnvironment:");
    });
  });
});

test("a server that is killed is started again, and left alone when it happens too often", async ({
  workbench,
  extensions,
}) => {
  await expect(workbench.squiggles.first()).toBeVisible();
  const killed = new Set<number>();
  for (let time = 0; time < 4; time += 1) {
    let next: number | undefined;
    await expect
      .poll(() => (next = servers(extensions, "run_server.py", "lsp").find((pid) => !killed.has(pid))))
      .not.toBeUndefined();
    // A server that is killed before it has run would not be started again.
    await expect.poll(() => workbench.readiness().length).toBe(time + 1);
    if (next !== undefined) {
      killed.add(next);
      process.kill(next, "SIGKILL");
    }
  }
  const toast = workbench.toasts.filter({ hasText: "has stopped" });
  await expect(toast).toBeVisible();
  await workbench.screenshot("crashed");
  await toast.getByRole("button", { name: "Restart Server" }).click();
  await expect
    .poll(() => servers(extensions, "run_server.py", "lsp").filter((pid) => !killed.has(pid)).length)
    .toBe(1);
});

test("a server that hangs gives way to another one when it is started again @beyond", async ({
  workbench,
  extensions,
}) => {
  await expect(workbench.squiggles.first()).toBeVisible();
  const [hanging] = servers(extensions, "run_server.py", "lsp");
  expect(hanging).toBeDefined();
  process.kill(hanging ?? 0, "SIGSTOP");
  await workbench.run("GPU2Ascend: Restart Server");
  await expect.poll(() => workbench.readiness().length).toBe(2);
  const left = servers(extensions, "run_server.py", "lsp");
  expect(left).toHaveLength(1);
  expect(left).not.toContain(hanging);
  await expect(workbench.squiggles.first()).toBeVisible();
  await expect(workbench.toasts).toHaveCount(0);
});

test.describe("on an interpreter that hangs", () => {
  test.use({ files: { python: HANGING_PYTHON, "python.hangs": "" } });

  test("a server that never came to run gives way too @beyond", async ({ workbench }) => {
    await expect(workbench.squiggles.first()).toBeVisible();
    fs.chmodSync(workbench.path("python"), 0o755);
    workbench.configure({
      "gpu2ascend.interpreter": workbench.path("python"),
      "gpu2ascend.importStrategy": "fromEnvironment",
    });
    const isHanging = (): boolean => servers("sleep 617").length > 0;
    await expect.poll(isHanging).toBe(true);
    await expect(workbench.squiggles).toHaveCount(0);
    fs.rmSync(workbench.path("python.hangs"));
    await workbench.run("GPU2Ascend: Restart Server");
    await expect.poll(() => workbench.readiness().length).toBe(2);
    await expect(workbench.squiggles.first()).toBeVisible();
    expect(isHanging()).toBe(false);
    await expect(workbench.toasts).toHaveCount(0);
  });
});

test("a server at work is not taken away when another interpreter is to be used @beyond", async ({
  workbench,
  extensions,
}) => {
  await expect(workbench.squiggles.first()).toBeVisible();
  const panel = workbench.page.locator(".part.panel");
  await workbench.run("GPU2Ascend: Show Log");
  await expect(panel).toContainText("ready");
  const [atWork] = servers(extensions, "run_server.py", "lsp");
  expect(atWork).toBeDefined();
  process.kill(atWork ?? 0, "SIGSTOP");
  try {
    await workbench.run("GPU2Ascend: Analyze Workspace");
    await expect(workbench.toasts.filter({ hasText: "Analyzing the workspace" })).toBeVisible();
    workbench.configure({ "gpu2ascend.interpreter": PYTHON, "gpu2ascend.importStrategy": "fromEnvironment" });
    await expect(panel).toContainText("once the server has nothing to do");
  } finally {
    process.kill(atWork ?? 0, "SIGCONT");
  }
  const rows = workbench.page.locator(".part.sidebar .monaco-list-row");
  await expect(rows.filter({ hasText: "gpu.py" })).toBeVisible();
  await expect.poll(() => workbench.readiness().length).toBe(2);
  // One that ends in good order is given some seconds for it, and the next one is ready before.
  await expect.poll(() => servers(extensions, "run_server.py", "lsp")).not.toContain(atWork);
});

test.describe("where the setting names no interpreter", () => {
  test.use({
    files: { ".vscode/settings.json": JSON.stringify({ "gpu2ascend.interpreter": "/no/such/python" }) },
  });

  test("each place says the same, and a button mends it @beyond", async ({ workbench }) => {
    const cause = "The interpreter of gpu2ascend.interpreter (/no/such/python) does not exist.";
    const toast = workbench.toasts.filter({ hasText: cause });
    await expect(toast).toBeVisible();
    await workbench.screenshot("no-interpreter");
    await workbench.run("PyTorch GPU2Ascend");
    await expect(workbench.webview.locator("body")).toContainText(cause);
    await workbench.run("GPU2Ascend: Analyze Workspace");
    await expect(toast.getByRole("button", { name: "Open Settings" }).first()).toBeVisible();
    await toast.getByRole("button", { name: "Find Another by Itself" }).first().click();
    await expect.poll(() => workbench.readiness().length).toBe(1);
    await expect(workbench.webview.locator("form.dialog")).toBeVisible();
  });
});

test("a terminal has the program on its path @beyond", async ({ workbench }) => {
  await expect(workbench.squiggles.first()).toBeVisible();
  await workbench.run("GPU2Ascend: Open a Terminal with gpu2ascend");
  const terminal = workbench.page.locator(".terminal.xterm");
  await terminal.click();
  // What a shell has not yet begun to read is lost.
  await expect(async () => {
    await workbench.page.keyboard.type("gpu2ascend --version > said.txt\n");
    await expect
      .poll(() => fs.existsSync(workbench.path("said.txt")) && workbench.read("said.txt"), {
        timeout: 10_000,
      })
      .toMatch(/^gpu2ascend \d/);
  }).toPass();
  await workbench.run("GPU2Ascend: Check This Machine for NPUs (doctor)");
  await expect(terminal).toHaveCount(2);
});
