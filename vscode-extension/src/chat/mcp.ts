/** The MCP server of the program that the extension has found, where the editor takes such servers (VS Code 1.101). */

import type * as vscode from "vscode";

import type { Launch } from "../server/launch";

/** As the manifest names it. */
const PROVIDER = "gpu2ascend";

type Definition = object;

/** The newer part of the editor's interface; types of the oldest supported release do not have it. */
interface Newer {
  readonly registerMcpServerDefinitionProvider?: (
    id: string,
    provider: {
      readonly onDidChangeMcpServerDefinitions: vscode.Event<unknown>;
      readonly provideMcpServerDefinitions: () => Definition[];
    },
  ) => vscode.Disposable;
}

export interface McpHost {
  readonly lm?: object;
  readonly McpStdioServerDefinition?: new (
    label: string,
    command: string,
    args: string[],
    env: Record<string, string | null>,
    version: string,
  ) => Definition;
}

/** What the server is started with, at the moment. */
export interface McpSource {
  /** The command line of the program with arguments; undefined while it cannot serve agents. */
  readonly commandLine: (args: readonly string[]) => Launch | undefined;
  /** The folders that agents may read and write. */
  readonly roots: () => readonly string[];
  readonly version: string;
  readonly onDidChange: vscode.Event<unknown>;
}

/** Offers the server; undefined where the editor takes none. */
export function offerMcpServer(host: McpHost, source: McpSource): vscode.Disposable | undefined {
  const lm = (host.lm ?? {}) as Newer;
  const Stdio = host.McpStdioServerDefinition;
  if (lm.registerMcpServerDefinitionProvider === undefined || Stdio === undefined) {
    return undefined;
  }
  const provider = {
    onDidChangeMcpServerDefinitions: source.onDidChange,
    provideMcpServerDefinitions: (): Definition[] => {
      const roots = source.roots();
      const args = ["mcp", ...roots.flatMap((root) => ["--root", root])];
      const start = roots.length === 0 ? undefined : source.commandLine(args);
      return start === undefined
        ? []
        : [new Stdio("PyTorch GPU2Ascend", start.command, [...start.args], {}, source.version)];
    },
  };
  try {
    return lm.registerMcpServerDefinitionProvider(PROVIDER, provider);
  } catch {
    return undefined; // VS Code 1.100 has it as a proposal, and refuses it to all but its own
  }
}
