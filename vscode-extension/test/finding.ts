/** Findings for the tests. */

import type { Finding } from "../src/server/protocol";

export function finding(path: string, line: number, more: Partial<Finding> = {}): Finding {
  const place = { line, character: 0 };
  return {
    ...{ code: "NPU101", message: "m", severity: "warning", kind: "", family: "device", api: null },
    ...{ applicability: "manual", path, file: `/p/${path}`, range: { start: place, end: place }, cell: null },
    ...more,
  };
}
