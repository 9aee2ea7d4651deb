import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Memento } from "vscode";

import { Drafts } from "../src/dialog/drafts";

/** What a workspace keeps, in memory. */
function memory(kept: Record<string, unknown> = {}): Memento {
  return {
    keys: () => Object.keys(kept),
    get: (key: string) => kept[key],
    update: (key: string, value: unknown) => {
      kept[key] = value;
      return Promise.resolve();
    },
  } as Memento;
}

describe("what was entered", () => {
  it("is kept by folder, and the last of all as well", async () => {
    const drafts = new Drafts(memory());
    await drafts.write("/one", { hardware: "A3" });
    await drafts.write("/two", { version: "2.6.0" });
    assert.deepEqual(drafts.of("/one"), { hardware: "A3" });
    assert.deepEqual(drafts.latest(), { version: "2.6.0" });
    await drafts.write("/one", {});
    assert.deepEqual(drafts.of("/one"), {});
    assert.deepEqual(drafts.latest(), {});
    assert.equal(drafts.of("/three"), undefined);
  });

  it("is passed over when it has another form", () => {
    for (const kept of [
      "text",
      { folder: "/one" },
      [1, null, { folder: 1 }, { folder: "/one", values: [1] }],
    ]) {
      assert.equal(new Drafts(memory({ "gpu2ascend.dialog.entered": kept })).latest(), undefined);
    }
  });
});
