import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AnnotatedTextEdit, TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageclient";

import { type Obstacle, offerOf } from "../src/migrate/offer";

const START = { line: 0, character: 0 };

function textEdit(newText: string, annotationId?: string): TextEdit | AnnotatedTextEdit {
  const plain = { range: { start: START, end: START }, newText };
  return annotationId === undefined ? plain : { ...plain, annotationId };
}

function documentEdit(uri: string, ...edits: (TextEdit | AnnotatedTextEdit)[]): TextDocumentEdit {
  return { textDocument: { uri, version: null }, edits };
}

const GIVEN: WorkspaceEdit = {
  documentChanges: [
    documentEdit("file:///a.py", textEdit("import torch_npu"), textEdit("npu", "a#1")),
    documentEdit("file:///b.py", textEdit("npu", "b#1")),
  ],
  changeAnnotations: {
    "a#1": { label: "NPU110, line 2: why", needsConfirmation: false },
    "b#1": { label: "NPU301, line 5: why", needsConfirmation: true },
  },
};

function offered(obstacles: Readonly<Record<string, Obstacle>> = {}): ReturnType<typeof offerOf> {
  return offerOf(GIVEN, (uri) => obstacles[uri], "Imports");
}

describe("what is offered to be changed", () => {
  it("is one entry for each finding, and one for what they share", () => {
    const labels = Object.values(offered().edit.changeAnnotations ?? {}).map(({ label }) => label);
    assert.deepEqual(labels, ["NPU110, line 2: why", "NPU301, line 5: why", "Imports"]);
    for (const change of offered().edit.documentChanges ?? []) {
      assert.ok("edits" in change && change.edits.every((edit) => "annotationId" in edit));
    }
  });

  it("is asked about by the editor only where something is to be confirmed", () => {
    assert.equal(offered().isAskedAbout, true);
    assert.equal(offered({ "file:///b.py": "readOnly" }).isAskedAbout, false);
  });

  it("leaves out what cannot be written, or was changed, and names it", () => {
    const { edit, uris, left } = offered({ "file:///a.py": "changed", "file:///b.py": "readOnly" });
    assert.deepEqual(edit, { documentChanges: [], changeAnnotations: {} });
    assert.deepEqual(uris, []);
    assert.deepEqual(left, { changed: ["file:///a.py"], readOnly: ["file:///b.py"] });
  });

  it("keeps files that are made for the changes", () => {
    const made: WorkspaceEdit = { documentChanges: [{ kind: "create", uri: "file:///p.py" }] };
    const { edit, uris } = offerOf(made, () => undefined, "Imports");
    assert.equal(edit.documentChanges?.length, 1);
    assert.deepEqual(uris, []);
  });
});
