import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { openingReport, showingLog } from "../src/result/actions";
import { fromResult, resultState } from "../src/result/protocol";
import type { Report } from "../src/server/protocol";
import { sealed } from "../src/views/sealed";

const LOG: Report = { name: "msFmkTranspltlog.txt", path: "/out/msFmkTranspltlog.txt", kind: "log" };
const TABLE: Report = { name: "unsupported_api.csv", path: "/out/unsupported_api.csv", kind: "table" };
const PAGE: Report = { name: "report.html", path: "/out/report.html", kind: "page" };
const DIFFERENCES: Report = { name: "report_diffs.html", path: "/out/report_diffs.html", kind: "page" };

/** The report that the extension opens when the page sends a message, as it arrives there. */
function opened(reports: readonly Report[], message: unknown): Report | undefined {
  const received = fromResult(JSON.parse(JSON.stringify(message)));
  return received?.type === "openReport" ? reports[received.index] : undefined;
}

describe("the reports of a result", () => {
  it("are opened by the button where one of them is a page", () => {
    const reports = [LOG, TABLE, PAGE];
    assert.equal(opened(reports, openingReport({ reports })), PAGE);
  });

  it("are led by the page that says where the project stands, not by that of its differences", () => {
    const reports = [PAGE, DIFFERENCES, TABLE, LOG];
    assert.equal(opened(reports, openingReport({ reports })), PAGE);
  });

  it("have no button where none of them is a page", () => {
    assert.equal(openingReport({ reports: [LOG, TABLE] }), undefined);
  });

  it("have the log among them, else the log of the extension is shown", () => {
    assert.equal(opened([TABLE, LOG], showingLog({ reports: [TABLE, LOG] })), LOG);
    assert.deepEqual(fromResult(showingLog({ reports: [TABLE] })), { type: "showLog" });
  });

  it("are opened by no message that is not of this form", () => {
    for (const index of [-1, 1.5, "0", null, undefined]) {
      assert.equal(fromResult({ type: "openReport", index }), undefined);
    }
  });
});

describe("a report in a web view", () => {
  const shown = sealed("<!DOCTYPE html><html><head><title>x</title></head></html>");

  it("has its policy before everything else", () => {
    assert.match(shown, /^<meta http-equiv="Content-Security-Policy" content="default-src 'none';/);
  });

  it("may run no script and load nothing", () => {
    const [, policy = ""] = /content="([^"]*)"/.exec(shown) ?? [];
    const directives = policy.split("; ");
    assert.deepEqual(directives, ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]);
  });
});

describe("what a result page keeps of itself", () => {
  it("is how it was looked at", () => {
    const state = { id: "17", grouping: "kind", open: ["NPU101"], scrolled: 240 };
    assert.deepEqual(resultState(state), state);
  });

  it("is filled up where it is of an earlier release, and nothing without an id", () => {
    assert.deepEqual(resultState({ id: "17" }), { id: "17", grouping: "file", open: null, scrolled: 0 });
    assert.equal(resultState({ id: "../17" }), undefined);
    assert.equal(resultState(undefined), undefined);
  });
});
