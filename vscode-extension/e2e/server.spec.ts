import { execFileSync } from "node:child_process";

import { expect, test } from "./fixtures";

/** The processes of the server that was started from this folder of extensions. */
function servers(extensions: string): number[] {
  const list = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n");
  const own = list.filter((line) => line.includes(extensions) && line.includes("run_server.py lsp"));
  return own.map((line) => Number.parseInt(line, 10));
}

test.describe("with an interpreter that does not exist", () => {
  test.use({ server: { settings: { "gpu2ascend.interpreter": "/no/such/python" } } });

  test("a message says what is needed, and offers to choose one", async ({ workbench }) => {
    const toast = workbench.toasts.filter({ hasText: "needs Python 3.10 or newer" });
    await expect(toast).toBeVisible();
    await workbench.screenshot("no-python");
    await toast.getByRole("button", { name: "Select Interpreter…" }).click();
    await expect(workbench.page.locator(".quick-input-list")).toContainText("Find one by itself");
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
    await expect.poll(() => (next = servers(extensions).find((pid) => !killed.has(pid)))).not.toBeUndefined();
    // A server that is killed before it has run would not be started again.
    await expect(workbench.squiggles.first()).toBeVisible();
    if (next !== undefined) {
      killed.add(next);
      process.kill(next, "SIGKILL");
    }
  }
  const toast = workbench.toasts.filter({ hasText: "has stopped" });
  await expect(toast).toBeVisible();
  await workbench.screenshot("crashed");
  await toast.getByRole("button", { name: "Restart Server" }).click();
  await expect.poll(() => servers(extensions).filter((pid) => !killed.has(pid)).length).toBe(1);
});
