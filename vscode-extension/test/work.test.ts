import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { OngoingWork } from "../src/server/work";

/** Work that goes on until it is asked to end. */
function begin(ongoing: OngoingWork): { end: (error?: Error) => void; done: Promise<void> } {
  let end: (error?: Error) => void = () => undefined;
  const done = ongoing.during(
    () =>
      new Promise<void>((resolve, reject) => {
        end = (error) => {
          if (error === undefined) {
            resolve();
          } else {
            reject(error);
          }
        };
      }),
  );
  return { end, done };
}

/** Lets everything go on that waits for nothing else. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("waiting until no work goes on", () => {
  it("waits for nothing where there is none", async () => {
    const ongoing = new OngoingWork();
    await ongoing.whenNone();
    assert.ok(ongoing.isNone);
  });

  it("waits for the last", async () => {
    const ongoing = new OngoingWork();
    const [first, second] = [begin(ongoing), begin(ongoing)];
    let isNone = false;
    const waiting = ongoing.whenNone().then(() => (isNone = true));
    first.end();
    await settle();
    assert.ok(!isNone);
    second.end();
    await waiting;
  });

  it("waits for work that failed, and no longer", async () => {
    const ongoing = new OngoingWork();
    const work = begin(ongoing);
    const waiting = ongoing.whenNone();
    work.end(new Error("it failed"));
    await assert.rejects(work.done, /it failed/);
    await waiting;
  });
});
