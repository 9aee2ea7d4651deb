/**
 * Which interpreter was found the last time, where finding it takes long.
 *
 * A Python extension may need seconds to say what is selected, and `python3` on PATH may be a script that first looks
 * for what it is to start, for a tenth of a second and more.
 */

import { statSync } from "node:fs";
import * as path from "node:path";
import type * as vscode from "vscode";

import type { Candidate, Choice } from "./choose";
import type { PythonCommand } from "./start";

/** What a window keeps. */
export type Memory = Pick<vscode.Memento, "get" | "update">;

/** The file that a command on PATH was, and the interpreter that it started. */
interface OnPath {
  readonly command: PythonCommand;
  readonly file: string;
  readonly modified: number;
  readonly executable: string;
}

const SELECTED = "lastSelection";
const ON_PATH = "lastOnPath";

export class LastFound {
  constructor(
    private readonly memory: Memory,
    private readonly searchPath: () => string | undefined = () => process.env.PATH,
  ) {}

  /** What a Python extension had proposed. */
  selected(): Candidate | undefined {
    return this.memory.get<Candidate>(SELECTED);
  }

  /** The interpreter that a command on PATH started, if it is the same command still. */
  behind(command: PythonCommand): string | undefined {
    const last = this.memory.get<OnPath>(ON_PATH);
    if (last === undefined || JSON.stringify(last.command) !== JSON.stringify(command)) {
      return undefined;
    }
    const found = this.find(command.program);
    return found?.file === last.file && found.modified === last.modified ? last.executable : undefined;
  }

  async keep(choice: Choice): Promise<void> {
    const { candidate, facts } = choice;
    await this.memory.update(SELECTED, isSelected(choice) ? candidate : undefined);
    const found = candidate.source === "path" ? this.find(candidate.command.program) : undefined;
    if (found !== undefined && found.file !== facts.executable) {
      const { command } = candidate;
      await this.memory.update(ON_PATH, { command, ...found, executable: facts.executable } satisfies OnPath);
    }
  }

  /** The file that the system starts for a program's name; nothing for what is a path already. */
  private find(program: string): Pick<OnPath, "file" | "modified"> | undefined {
    if (path.basename(program) !== program) {
      return undefined;
    }
    const name = process.platform === "win32" ? `${program}.exe` : program;
    for (const folder of (this.searchPath() ?? "").split(path.delimiter)) {
      const file = path.join(folder, name);
      const modified = timeOf(file);
      if (modified !== undefined) {
        return { file, modified };
      }
    }
    return undefined;
  }
}

/** When a file was modified; nothing where there is none. */
function timeOf(file: string): number | undefined {
  try {
    const facts = statSync(file);
    return facts.isFile() ? facts.mtimeMs : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a Python extension has proposed it. */
export function isSelected({ candidate: { source } }: Choice): boolean {
  return source === "pythonEnvironments" || source === "pythonExtension";
}
