import { defineConfig } from "@playwright/test";

/**
 * Two scenarios at a time, each with its own workbench, extension host and server: a good part of every
 * one is waiting, and two cores are never idle so.
 */
export default defineConfig({
  testDir: ".",
  outputDir: "../test-results/runs",
  fullyParallel: false,
  workers: 2,
  retries: 0,
  forbidOnly: process.env.CI !== undefined || process.env.GPU2ASCEND_REQUIRE_ALL !== undefined,
  timeout: 180_000,
  expect: { timeout: 45_000 },
  reporter: [["list"], ["./closing.ts"]],
  use: {
    viewport: { width: 1280, height: 800 },
    actionTimeout: 30_000,
    // Pictures of every moment are a third of all processor time; the last one of a failed scenario is kept.
    trace: { mode: "retain-on-failure", screenshots: false, snapshots: false, sources: false },
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: process.env.E2E_CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
