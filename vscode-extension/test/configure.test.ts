import assert from "node:assert/strict";
import { posix } from "node:path";
import { describe, it } from "node:test";

import { debugText } from "../src/configure/debugText";
import { setFirst, withSeverity } from "../src/configure/severities";
import { foldersAbove } from "../src/views/folders";

describe("the severity of a rule", () => {
  it("takes the place of the one before, and leaves the others", () => {
    const before = { NPU101: "hint", NPU7: "error" };
    assert.deepEqual(withSeverity(before, "NPU101", "warning"), { NPU7: "error", NPU101: "warning" });
  });

  it("is the rule's own again without a choice", () => {
    assert.deepEqual(withSeverity({ NPU101: "hint" }, "NPU101", undefined), {});
  });
});

describe("the rules to set a severity for", () => {
  it("begin with those that have one", () => {
    const rules = ["NPU101", "NPU102", "NPU103"].map((code) => ({ code }));
    const { set, others } = setFirst(rules, { NPU102: "hint", NPU9: "error" });
    assert.deepEqual([set, others], [[{ code: "NPU102" }], [{ code: "NPU101" }, { code: "NPU103" }]]);
  });
});

describe("the debug information", () => {
  const home = "/home/someone";

  it("names the home directory by a sign", () => {
    const text = debugText({ log: `${home}/logs`, other: "/opt/x" }, home, "remark");
    assert.ok(!text.includes("someone") && text.includes("~/logs") && text.includes("/opt/x"));
  });

  it("holds no passwords and no tokens of addresses", () => {
    const address = "https://user:secret@example.org/simple?token=abc";
    const text = debugText({ settings: { indexUrl: address } }, home, "remark");
    assert.ok(text.includes("https://***@example.org/simple?***"));
    assert.ok(!/secret|abc/.test(text));
  });

  it("is JSON below its remark", () => {
    const [remark, ...rest] = debugText({ extension: "1" }, home, "remark").split("\n");
    assert.match(remark ?? "", /^\/\//);
    assert.deepEqual(JSON.parse(rest.join("\n")), { extension: "1" });
  });
});

describe("the folders with Python", () => {
  it("are those of the files and all above them, up to that of the workspace", () => {
    const found = foldersAbove(["/w/a/b", "/w/a/b", "/w/c"], ["/w"], (folder) => posix.dirname(folder));
    assert.deepEqual([...found].sort(), ["/w", "/w/a", "/w/a/b", "/w/c"]);
  });

  it("end at the root of the system where a file is in no folder of the workspace", () => {
    assert.deepEqual([...foldersAbove(["/x/y"], ["/w"], (folder) => posix.dirname(folder))].sort(), [
      "/",
      "/x",
      "/x/y",
    ]);
  });
});
