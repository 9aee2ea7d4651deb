import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { describe, it } from "node:test";

import { html, label, markdown, visible } from "../src/escaping";

/** What VS Code 1.95 takes for a link in a notification and for a picture in a label. */
const LINK = /\[([^\]]+)\]\(((?:https?:|command:|file:)[^)\s]+)(?: (["'])(.+?)\3)?\)/;
const PICTURE = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/i;

const HOSTILE_NAMES = [
  "[run](command:workbench.action.terminal.new).py",
  "$(flame)$(x).py",
  "![](https://example.org/pixel.png).py",
  "<img src=x onerror=alert(1)>.py",
  "a\u202eyp.txt",
  "a\u001b]8;;https://example.org\u0007b.py",
  "`code` [b](http://example.org)",
];

describe("a label or a notification", () => {
  for (const name of HOSTILE_NAMES) {
    it(`has nothing to click and no picture of ${JSON.stringify(name)}`, () => {
      const shown = label(`The analysis failed: ${name}`);
      assert.doesNotMatch(shown, LINK);
      assert.doesNotMatch(shown, PICTURE);
    });
  }

  it("keeps harmless text", () => {
    const harmless = "src/模型/train_v2 (copy) [1].py: `torch.cuda.amp`, $HOME, x[0] (y)";
    assert.equal(label(harmless), harmless);
  });
});

describe("a message as Markdown", () => {
  it("has only text and code in it", () => {
    const shown = markdown("`a_b` [x](command:y) ![i](https://e/x) <b> *c* __d__ & &lt; \\ | $(x) me@e.org");
    assert.equal(
      shown,
      "`a_b` \\[x\\](command:y) !\\[i\\](https&#58;//e/x) \\<b\\> \\*c\\* \\_\\_d\\_\\_ & &#38;lt; \\\\ \\| \\$(x) me&#64;e.org",
    );
  });

  it("begins no heading, no list and no quotation", () => {
    assert.equal(markdown("# a\n- b\n> c\n1. d"), "\\# a\n\\- b\n\\> c\n1\u2060. d");
  });

  it("ends no code that it did not begin", () => {
    assert.equal(markdown("a ` b"), "a &#96; b");
  });

  it("keeps harmless text", () => {
    const harmless = "`torch.cuda.nvtx` is not supported by torch_npu 2.8.0 (A2); see 3.1";
    assert.equal(markdown(harmless), harmless);
  });
});

describe("what is not seen", () => {
  it("is written out", () => {
    assert.equal(visible("a\u202eb\u0007c\u200bd"), "a\\u202eb\\u0007c\\u200bd");
  });

  it("is not what other scripts need", () => {
    assert.equal(visible("模型\tपरीक्षा\n👩‍💻"), "模型\tपरीक्षा\n👩‍💻");
  });
});

describe("HTML", () => {
  it("is text", () => {
    assert.equal(html(`<a href="x" title='y'>&`), "&#60;a href=&#34;x&#34; title=&#39;y&#39;&#62;&#38;");
  });
});

describe("the sources", () => {
  const root = path.join(import.meta.dirname, "..", "src");
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && file !== "messages.ts",
  );

  it("hand the editor text that it reads as markup in one place only", () => {
    const markup = /showErrorMessage|showWarningMessage|showInformationMessage|new vscode\.MarkdownString/;
    const found = sources.filter((file) => markup.test(readFileSync(path.join(root, file), "utf8")));
    assert.deepEqual(found, []);
  });

  it("make no HTML of text", () => {
    const makers = /\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)\b|document\.write/;
    const found = sources.filter((file) => makers.test(readFileSync(path.join(root, file), "utf8")));
    assert.deepEqual(found, []);
  });
});
