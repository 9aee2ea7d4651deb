import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { FolderOptions } from "../src/server/protocol";
import { shownTarget } from "../src/status/shown";

function options(target: string | undefined): FolderOptions {
  const properties = {
    target: { default: "torch_npu" },
    version: { noEffectWith: { target: ["mindspore"] } },
    mindsporeVersion: { noEffectWith: { target: ["torch_npu", "accelerator"] } },
    hardware: { noEffectWith: { target: ["accelerator", "mindspore"] } },
  };
  const values = { target, hardware: "A2", mindsporeVersion: "2.10.0" };
  return { values, schema: { properties } } as unknown as FolderOptions;
}

describe("what problems are shown for", () => {
  for (const [target, shown] of [
    [undefined, "PyTorch 2.8.0 · A2"],
    ["torch_npu", "PyTorch 2.8.0 · A2"],
    ["accelerator", "PyTorch 2.8.0"],
    ["mindspore", "MindSpore 2.10.0"],
  ] as const) {
    it(`is of the target ${target ?? "by default"}`, () => {
      assert.equal(shownTarget(options(target), "PyTorch 2.8.0"), shown);
    });
  }
});
