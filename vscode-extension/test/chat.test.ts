import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";

import { answerOf, explanationAnswer, Tool, ToolError } from "../src/chat/answers";
import { Chat, type ChatHost } from "../src/chat/chat";
import { type McpHost, offerMcpServer } from "../src/chat/mcp";
import { inputOf } from "../src/chat/input";
import { folderOf, lookAt, placeIn } from "../src/chat/scope";

const OPEN = "workbench.action.chat.open";

/** An editor with these models and commands; what it is told to do is kept. */
function editor(models: (() => unknown[]) | undefined, commands: string[] = [OPEN]) {
  const done: unknown[][] = [];
  let tell = (): void => undefined;
  const host = {
    ...(models === undefined
      ? {}
      : {
          lm: {
            selectChatModels: () => Promise.resolve(models()),
            onDidChangeChatModels: (listener: () => void) => {
              tell = listener;
              return { dispose: () => undefined };
            },
          },
        }),
    commands: {
      getCommands: () => Promise.resolve(commands),
      executeCommand: (...args: unknown[]) => {
        done.push(args);
        return Promise.resolve();
      },
    },
  } as unknown as ChatHost;
  return {
    host,
    done,
    changeModels: () => {
      tell();
    },
  };
}

describe("the chat", () => {
  const asked = async (models: (() => unknown[]) | undefined, commands?: string[]) => {
    const { host, done } = editor(models, commands);
    const chat = new Chat(host);
    await chat.follow();
    assert.deepEqual(done, [["setContext", "gpu2ascend.chat", chat.isThere]]);
    return chat.isThere;
  };

  it("is there where a model answers and the editor has a view for it", async () => {
    assert.equal(await asked(() => ["a model"]), true);
  });

  it("is not there without a model, without a view, or in an editor that knows no models", async () => {
    assert.equal(await asked(() => []), false);
    assert.equal(await asked(() => ["a model"], ["other"]), false);
    assert.equal(await asked(undefined), false);
    const refusing = () => {
      throw new Error("not allowed");
    };
    assert.equal(await asked(refusing), false);
  });

  it("comes and goes with the models", async () => {
    let models: string[] = [];
    const { host, changeModels } = editor(() => models);
    const heard: boolean[] = [];
    const chat = new Chat(host, (isThere) => heard.push(isThere));
    await chat.follow();
    for (models of [["a model"], ["a model", "another"], []]) {
      changeModels();
      await new Promise(setImmediate);
    }
    assert.deepEqual(heard, [true, false]);
  });

  it("is opened with a text that is not sent yet", async () => {
    const { host, done } = editor(() => ["a model"]);
    await new Chat(host).open("Do it.");
    assert.deepEqual(done, [[OPEN, { query: "Do it.", isPartialQuery: true }]]);
  });
});

describe("the MCP server", () => {
  class Stdio {
    readonly args: readonly unknown[];
    constructor(...args: readonly unknown[]) {
      this.args = args;
    }
  }
  const launch = (args: readonly string[]) => ({ command: "/python", args, directory: "/bundled" });
  const source = {
    commandLine: launch as (args: readonly string[]) => ReturnType<typeof launch> | undefined,
    roots: () => ["/projects/one", "/projects/two"],
    version: "0.3.0",
    onDidChange: () => ({ dispose: () => undefined }),
  };

  const offered = (given: typeof source): unknown[] => {
    let provide = (): object[] => [];
    const lm = {
      registerMcpServerDefinitionProvider: (
        id: string,
        provider: { provideMcpServerDefinitions: () => object[] },
      ) => {
        assert.equal(id, "gpu2ascend");
        provide = () => provider.provideMcpServerDefinitions();
        return { dispose: () => undefined };
      },
    };
    const host = { lm, McpStdioServerDefinition: Stdio } as unknown as McpHost;
    assert.notEqual(offerMcpServer(host, given), undefined);
    return provide().map((definition) => (definition as Stdio).args);
  };

  it("is offered by a newer editor, for the folders that are open", () => {
    const args = ["mcp", "--root", "/projects/one", "--root", "/projects/two"];
    assert.deepEqual(offered(source), [["PyTorch GPU2Ascend", "/python", args, {}, "0.3.0"]]);
  });

  it("is not offered without a folder, or where it cannot run", () => {
    assert.deepEqual(offered({ ...source, roots: () => [] }), []);
    assert.deepEqual(offered({ ...source, commandLine: () => undefined }), []);
  });

  it("is not offered by an editor that refuses it", () => {
    const registerMcpServerDefinitionProvider = () => {
      throw new Error("not in contributes.modelContextServerCollections");
    };
    const host = { lm: { registerMcpServerDefinitionProvider }, McpStdioServerDefinition: Stdio };
    assert.equal(offerMcpServer(host as unknown as McpHost, source), undefined);
  });

  it("asks nothing of an older editor", () => {
    assert.equal(offerMcpServer({}, source), undefined);
    assert.equal(offerMcpServer({ lm: {} }, source), undefined);
  });
});

describe("an answer of a tool", () => {
  it("is what the server made of the result, untouched", () => {
    const answer = { total: 1, findings: [{ code: "NPU101" }], next_offset: null };
    assert.equal(answerOf({ status: "completed", answer }), answer);
    assert.equal(
      explanationAnswer({ name: "NPU101", kind: "rule", markdown: "", close: [], answer }),
      answer,
    );
  });

  it("says what a model can do about what was not done", () => {
    const unknown = { name: "torch.x", kind: null, markdown: "", close: ["torch.xpu"] } as const;
    assert.throws(() => explanationAnswer(unknown), /Nothing is known of torch\.x\. Similar: torch\.xpu/);
    const failed = { status: "failed", message: "no such project" } as const;
    assert.throws(() => answerOf(failed), /no such project/);
    assert.throws(() => answerOf({ status: "cancelled" }), ToolError);
  });
});

describe("a place that a model names", () => {
  const folders = [
    path.resolve("/projects/one"),
    path.resolve("/projects/one/inner"),
    path.resolve("/out/one_msft"),
  ];

  it("is one of the folders or in one of them", () => {
    assert.equal(placeIn(folders, "."), folders[0]);
    assert.equal(placeIn(folders, "..data/a.py"), path.resolve("/projects/one/..data/a.py"));
    assert.equal(placeIn(folders, folders[2] ?? ""), folders[2]);
    for (const outside of ["..", "../other", "/", "/projects/one_more", "a/../../x"]) {
      assert.throws(() => placeIn(folders, outside), /outside of the workspace/, outside);
    }
    assert.throws(() => placeIn([], "."), /No folder is open/);
  });

  it("belongs to the innermost folder", () => {
    assert.equal(folderOf(folders, path.resolve("/projects/one/inner/a.py")), folders[1]);
    assert.equal(folderOf(folders, path.resolve("/projects/one/a.py")), folders[0]);
  });
});

describe("what a tool is given", () => {
  it("is taken by the names and types of the manifest, and else counts as not given", () => {
    const given = { paths: ["a.py"], code: "NPU1", offset: 0, limit: 5, order: "NPU101-0a1b2c3d" };
    assert.deepEqual(inputOf(given), given);
    assert.deepEqual(inputOf({ project: ".", arguments: ["train.py", "--x"] }), {
      project: ".",
      arguments: ["train.py", "--x"],
    });
    const wrong = { paths: "a.py", arguments: ["a", 1], code: 1, offset: -1, limit: 0, other: "x" };
    assert.deepEqual(inputOf(wrong), {});
    assert.deepEqual([inputOf(undefined), inputOf({ paths: [] })], [{}, {}]);
  });

  it("is one folder, or places in one", () => {
    const [one, two] = [path.resolve("/projects/one"), path.resolve("/projects/two")];
    assert.deepEqual(lookAt([one, two], ["."]), { folder: one });
    assert.deepEqual(lookAt([one, two], ["a.py", "."]), { folder: one });
    const paths = [path.join(one, "a.py"), path.join(one, "b", "c.py")];
    assert.deepEqual(lookAt([one, two], ["a.py", "b/c.py"]), { folder: one, paths });
    assert.throws(() => lookAt([one, two], ["a.py", two]), /one folder/);
    assert.throws(() => lookAt([one, two], ["a.py", ".."]), /outside/);
  });
});

describe("the manifest", () => {
  const file = path.resolve(__dirname, "..", "package.json");
  const { contributes } = JSON.parse(fs.readFileSync(file, "utf8")) as {
    contributes: {
      languageModelTools: {
        name: string;
        modelDescription: string;
        inputSchema: { properties: Record<string, { description?: string }> };
      }[];
      mcpServerDefinitionProviders: { id: string }[];
    };
  };

  it("has the tools that are registered, each described for a model", () => {
    const tools = contributes.languageModelTools;
    assert.deepEqual(
      tools.map(({ name }) => name),
      Object.values(Tool),
    );
    for (const { modelDescription, inputSchema } of tools) {
      assert.ok(modelDescription.length > 80);
      assert.ok(Object.values(inputSchema.properties).every(({ description = "" }) => description !== ""));
    }
  });

  it("names the provider of the MCP server", () => {
    assert.deepEqual(
      contributes.mcpServerDefinitionProviders.map(({ id }) => id),
      ["gpu2ascend"],
    );
  });
});
