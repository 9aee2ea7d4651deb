import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";

import { ServerProcess } from "../src/server/process";

/** A process that has begun to run a script. */
async function started(script: string): Promise<ChildProcessWithoutNullStreams> {
  const child = spawn(process.execPath, ["-e", `process.stdout.write("begun"); ${script}`]);
  await once(child.stdout, "data");
  return child;
}

const FOR_EVER = "setInterval(() => undefined, 1000)";

/** POSIX alone can stop a process in its tracks. */
const skip = process.platform === "win32";

describe("the process of a server", () => {
  it("is ended even if it hangs", { skip }, async () => {
    const child = await started(FOR_EVER);
    const server = new ServerProcess(child);
    child.kill("SIGSTOP");
    server.kill();
    await once(child, "exit");
    assert.ok(server.hasEnded);
    assert.equal(server.outcome, "SIGKILL");
  });

  it("is heard no more, though what it has started holds its pipes open", { skip }, async () => {
    const inherit = `require("node:child_process").spawn("sleep", ["5"], { stdio: "inherit" }).unref();`;
    const child = await started(`${inherit} ${FOR_EVER}`);
    const closed = once(child.stdout, "close");
    new ServerProcess(child).kill();
    await closed;
  });

  it("has the time it is given to end by itself", async () => {
    const child = await started("process.stdin.on('end', () => process.exit(3)).resume()");
    const server = new ServerProcess(child);
    server.killAfter(60_000);
    child.stdin.end();
    await once(child, "exit");
    assert.equal(server.outcome, "3");
  });

  it("is ended when that time is over", async () => {
    const child = await started(FOR_EVER);
    const server = new ServerProcess(child);
    assert.ok(!server.hasEnded);
    server.killAfter(1);
    await once(child, "exit");
    assert.ok(server.hasEnded);
  });

  it("leaves its last words", async () => {
    const server = new ServerProcess(await started("console.error('first'); console.error('last')"));
    assert.match(await server.lastWords(), /last\n$/);
  });

  it("that never began is no uncaught error", async () => {
    const child = spawn("/no/such/program");
    const server = new ServerProcess(child);
    await once(child.stderr, "close");
    assert.equal(await server.lastWords(), "");
  });
});
