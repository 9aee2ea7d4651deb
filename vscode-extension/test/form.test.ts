import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";

import {
  changed,
  entered,
  type FormValues,
  isActive,
  isChosenIn,
  ofAnyProject,
  ofMigration,
  parameters,
  parseList,
  parseMap,
  parseNumber,
  sameModels,
  sections,
  shownValue,
  startValues,
  tiedTo,
} from "../src/dialog/form";
import { fromDialog, isValues, toDialog } from "../src/dialog/protocol";
import type { OptionCatalogue, OptionSchema } from "../src/server/protocol";
import { taskArguments } from "../src/tasks/commandLine";

function option(group: string, type: OptionSchema["type"], more: Partial<OptionSchema> = {}): OptionSchema {
  return { title: "", description: "", type, group, ...more };
}

/** Options in the server's form: a plain group, one with an optional file, two with their own switch. */
const CATALOGUE: OptionCatalogue = {
  versions: ["1.5.0", "2.8.0"],
  groups: ["basic", "customRule", "distributed", "amp", "advanced", "empty"].map((id) => ({ id, title: id })),
  schema: {
    required: ["inputPath"],
    properties: {
      inputPath: option("basic", "string", { control: "path-directory", flags: ["-i", "--input"] }),
      version: option("basic", ["string", "null"], {
        enum: [null, "1.5.0", "2.8.0"],
        default: null,
        flags: ["-v", "--version"],
      }),
      customRule: option("customRule", ["string", "null"], {
        control: "path-file",
        default: null,
        flags: ["-r", "--rule"],
      }),
      distributed: option("distributed", "boolean", { default: false }),
      targetModel: option("distributed", "string", { default: "model", dependsOn: { distributed: true } }),
      ampTransplant: option("amp", "boolean", { default: false, dependsOn: { version: "1.5.0" } }),
      ampModel: option("amp", "string", { default: "model", dependsOn: { ampTransplant: true } }),
      select: option("advanced", "array", { default: [], flags: ["--select"] }),
      unsafeFixes: option("advanced", "boolean", { default: false, flags: ["--unsafe"] }),
    },
  },
};

function values(...sources: Record<string, unknown>[]): FormValues {
  return startValues(CATALOGUE, ...sources);
}

describe("the sections of the form", () => {
  it("are the groups that have options, in the server's order", () => {
    assert.deepEqual(
      sections(CATALOGUE).map(({ group }) => group.id),
      ["basic", "customRule", "distributed", "amp", "advanced"],
    );
  });

  it("have the group's first option as their switch, or a separate one for an optional file", () => {
    const switches = Object.fromEntries(
      sections(CATALOGUE).map(({ group, switchName }) => [group.id, switchName]),
    );
    assert.deepEqual(switches, {
      basic: null,
      customRule: "customRule.enabled",
      distributed: "distributed",
      amp: "ampTransplant",
      advanced: null,
    });
  });
});

describe("a field", () => {
  it("counts only while what it depends on is on", () => {
    assert.ok(!isActive("targetModel", values(), CATALOGUE));
    assert.ok(isActive("targetModel", values({ distributed: true }), CATALOGUE));
  });

  it("does not count when what it depends on does not count", () => {
    const wrongVersion = values({ version: "2.8.0", ampTransplant: true });
    assert.ok(!isActive("ampModel", wrongVersion, CATALOGUE));
    assert.ok(isActive("ampModel", values({ version: "1.5.0", ampTransplant: true }), CATALOGUE));
  });

  it("that a version brings counts also when that version is only proposed", () => {
    const found = { ...CATALOGUE, proposedVersion: { version: "1.5.0", message: "" } };
    assert.ok(isActive("ampTransplant", values(), found));
    assert.ok(!isActive("ampTransplant", values({ version: "2.8.0" }), found));
    assert.equal(parameters(values(), found).version, "1.5.0");
  });

  it("of an optional file counts when its box is ticked", () => {
    assert.ok(!isActive("customRule", values(), CATALOGUE));
    assert.ok(isActive("customRule", values({ customRule: "/rules.json" }), CATALOGUE));
    assert.ok(
      !isActive("customRule", values({ customRule: "/rules.json", "customRule.enabled": false }), CATALOGUE),
    );
  });

  it("does not count with a target that has nothing for it", () => {
    const properties = {
      target: option("basic", "string", { enum: ["torch_npu", "mindspore"], default: "torch_npu" }),
      auto: option("basic", "boolean", { default: false, noEffectWith: { target: ["mindspore"] } }),
      apiStyle: option("basic", "string", { noEffectWith: { target: ["mindspore"], auto: [true] } }),
    };
    const targets = { ...CATALOGUE, schema: { required: [], properties } };
    const isShown = (name: string, given: FormValues): boolean =>
      isActive(name, startValues(targets, given), targets);
    assert.ok(isShown("apiStyle", {}));
    assert.ok(!isShown("apiStyle", { target: "mindspore" }));
    assert.ok(!isShown("apiStyle", { auto: true }));
    assert.ok(!isShown("auto", { auto: true, target: "mindspore" }));
  });
});

describe("the values", () => {
  it("come from the first source that has a fitting one, else from the defaults", () => {
    const start = values({ version: "9.9.9", unsafeFixes: "yes" }, { version: "2.8.0" });
    assert.equal(start.version, "2.8.0");
    assert.equal(start.unsafeFixes, false);
    assert.equal(start.targetModel, "model");
  });

  it("keep the two model names the same while both count", () => {
    const both = values({ version: "1.5.0", ampTransplant: true, distributed: true });
    assert.equal(changed(both, "ampModel", "net", CATALOGUE).targetModel, "net");
    assert.equal(changed(both, "targetModel", "net", CATALOGUE).ampModel, "net");
    const one = values({ distributed: true });
    assert.equal(changed(one, "targetModel", "net", CATALOGUE).ampModel, "model");
    const kept = values({ version: "1.5.0", ampTransplant: true, distributed: true, targetModel: "net" });
    assert.equal(kept.ampModel, "net");
  });

  it("are shown as tied only while both names count", () => {
    const both = values({ version: "1.5.0", ampTransplant: true, distributed: true });
    assert.equal(tiedTo("targetModel", both, CATALOGUE), "ampModel");
    assert.equal(tiedTo("ampModel", both, CATALOGUE), "targetModel");
    assert.equal(tiedTo("select", both, CATALOGUE), undefined);
    assert.equal(tiedTo("targetModel", values({ distributed: true }), CATALOGUE), undefined);
  });

  it("that were entered are those that differ from the start", () => {
    const start = values({ hardware: "A2" });
    const now = changed(changed(start, "select", ["NPU1"], CATALOGUE), "customRule", "/r.json", CATALOGUE);
    assert.deepEqual(entered(now, start), { select: ["NPU1"], customRule: "/r.json" });
    assert.deepEqual(entered(start, start), {});
  });

  it("of a group are known to be chosen where one is not the default", () => {
    assert.equal(isChosenIn("advanced", values({ distributed: true, version: "2.8.0" }), CATALOGUE), false);
    assert.equal(isChosenIn("advanced", values({ unsafeFixes: true }), CATALOGUE), true);
    assert.equal(isChosenIn("advanced", values({ select: ["NPU1"] }), CATALOGUE), true);
  });

  it("of another project are taken over without its places, names and version", () => {
    const all = values({ inputPath: "/p", version: "2.8.0", distributed: true, unsafeFixes: true });
    assert.deepEqual(ofAnyProject(all, CATALOGUE, {}), { select: [], unsafeFixes: true });
  });

  it("of another project do not go over what a project's own settings say", () => {
    const all = values({ select: ["NPU1"], unsafeFixes: true });
    const settings = { select: ["NPU2"], unsafeFixes: false };
    assert.deepEqual(ofAnyProject(all, CATALOGUE, settings), { unsafeFixes: true });
  });

  it("ask for the file of a ticked box", () => {
    const ticked = values({ "customRule.enabled": true });
    assert.equal(parameters(ticked, CATALOGUE).customRule, "");
  });

  it("become parameters in which what does not count is off, whatever the settings say", () => {
    const unticked = { "customRule.enabled": false, customRule: "/r.json", ampTransplant: true };
    const sent = parameters(values({ inputPath: "/p", ...unticked }), CATALOGUE);
    assert.deepEqual(sent, {
      inputPath: "/p",
      version: null,
      customRule: null,
      distributed: false,
      ampTransplant: false,
      select: [],
      unsafeFixes: false,
    });
  });

  it("are completed when the project turns out to be of a version that brings a field", () => {
    const before = values({ distributed: true, ampTransplant: true, targetModel: "net" });
    const found = { ...CATALOGUE, proposedVersion: { version: "1.5.0", message: "" } };
    assert.equal(before.ampModel, "model");
    assert.equal(sameModels(before, found).ampModel, "net");
  });

  it("of options that a migration does not heed are neither shown nor sent", () => {
    const { properties } = CATALOGUE.schema;
    const select = { ...properties.select, ofMigration: false } as OptionSchema;
    const catalogue = ofMigration({
      ...CATALOGUE,
      schema: { ...CATALOGUE.schema, properties: { ...properties, select } },
    });
    assert.ok(sections(catalogue).every(({ fields }) => !fields.includes("select")));
    assert.ok(!("select" in parameters(values(), catalogue)));
  });

  it("are typed as texts", () => {
    assert.deepEqual(parseList(" NPU1, ,NPU203 "), ["NPU1", "NPU203"]);
    assert.equal(parseNumber("8"), 8);
    assert.equal(parseNumber("two"), "two");
    assert.deepEqual(parseMap("NPU1=hint, NPU2"), { NPU1: "hint", NPU2: "" });
    assert.equal(shownValue(["a", "b"]), "a, b");
    assert.equal(shownValue({ NPU1: "hint" }), "NPU1=hint");
  });
});

describe("a message of the dialog", () => {
  it("is taken when it has its form", () => {
    const message = {
      type: "changed",
      revision: 1,
      values: { a: "x", b: true, c: ["y"], d: null, e: { f: "g" } },
    };
    assert.deepEqual(fromDialog(message), message);
    assert.deepEqual(fromDialog({ type: "ready", more: 1 }), { type: "ready" });
    const guide = { type: "guide", field: "customRule" };
    assert.deepEqual(fromDialog(guide), guide);
  });

  it("is passed over otherwise", () => {
    const wrong = [null, "ready", {}, { type: "other" }, { type: "changed", revision: "1", values: {} }];
    for (const message of [
      ...wrong,
      { type: "transplant", values: { a: undefined } },
      { type: "browse", field: 1 },
      { type: "guide" },
    ]) {
      assert.equal(fromDialog(message), undefined);
    }
    assert.ok(!isValues({ a: [1] }));
  });
});

describe("a message to the dialog", () => {
  const validation = { errors: [], notices: [], target: null, detected: null };

  it("is taken when it has its form", () => {
    for (const message of [
      { type: "validated", revision: 2, validation },
      { type: "picked", field: "inputPath", path: "/p" },
      { type: "running", running: true },
      { type: "unavailable", reason: "gone", texts: {} },
      { type: "show", options: CATALOGUE, values: values(), texts: {}, running: false, focus: true },
    ]) {
      assert.deepEqual(toDialog(message), message);
    }
  });

  it("is passed over otherwise", () => {
    const wrong = [null, undefined, "show", [], {}, { type: "toString" }, { type: "show" }];
    for (const message of [...wrong, { type: "validated", revision: 1.5, validation }, { type: "picked" }]) {
      assert.equal(toDialog(message), undefined);
    }
  });
});

/** What reads the problems out of a task's terminal. */
function problemMatcher(): { owner: string; pattern: { regexp: string } } {
  const file = path.resolve(import.meta.dirname, "..", "package.json");
  const manifest = JSON.parse(fs.readFileSync(file, "utf8")) as {
    contributes: { problemMatchers: [ReturnType<typeof problemMatcher>] };
  };
  return manifest.contributes.problemMatchers[0];
}

describe("a task", () => {
  it("becomes the command line with the options' own flags", () => {
    const definition = { type: "gpu2ascend", task: "migrate", inputPath: "/p", select: ["NPU1", "NPU2"] };
    assert.deepEqual(
      taskArguments({ ...definition, unsafeFixes: true, version: null }, CATALOGUE.schema.properties),
      ["migrate", "--input", "/p", "--select", "NPU1,NPU2", "--unsafe"],
    );
  });

  it("has its problems found in what the program prints", () => {
    const pattern = new RegExp(problemMatcher().pattern.regexp);
    const parts = (line: string): (string | undefined)[] | undefined => pattern.exec(line)?.slice(1);
    assert.deepEqual(parts("/p/a.py:17: NPU104 It raises"), [
      "/p/a.py",
      "17",
      undefined,
      "NPU104",
      "It raises",
    ]);
    assert.deepEqual(parts("c:\\p\\a.py:4:1: NPU101 [*] It fails"), [
      "c:\\p\\a.py",
      "4",
      "1",
      "NPU101",
      "It fails",
    ]);
    assert.equal(parts("Migrated for PyTorch 2.8.0: /out"), undefined);
  });

  it("does not own the problems of the server: those would go when it ends", () => {
    const server = path.resolve(import.meta.dirname, "..", "..", "server", "gpu2ascend", "lsp");
    const identifier = /^SOURCE = "([^"]*)"/m.exec(
      fs.readFileSync(path.join(server, "startup", "announcement.py"), "utf8"),
    )?.[1];
    assert.ok(identifier);
    assert.notEqual(problemMatcher().owner, identifier);
  });

  it("leaves a path as it is", () => {
    assert.deepEqual(taskArguments({ inputPath: "/a, b/p" }, CATALOGUE.schema.properties).slice(1), [
      "--input",
      "/a, b/p",
    ]);
  });
});
