/** Which documents the server is shown. */

import type { DocumentSelector } from "vscode-languageclient";

/** Languages of the kinds of file that there are rules for; `languages` in `rules/gpu2ascend_rules/kinds`. */
const LANGUAGES = [
  "python",
  "shellscript",
  "pip-requirements",
  "toml",
  "yaml",
  "dockercompose",
  "json",
  "jsonc",
  "ini",
  "makefile",
  "just",
  "dockerfile",
  "dotenv",
  "github-actions-workflow",
  "cuda-cpp",
];

/** Files whose language says less than their names. */
const NAMES: Record<string, string> = {
  plaintext:
    "**/{*requirements*.txt,*requirements*.lock,Pipfile,*.sbatch,*.slurm,*.sb,*.pbs,*.qsub,*.lsf,*.gin}",
  properties: "**/*.cfg",
};

/**
 * Of the kinds of file that there are rules for: files, those that have no name yet, and the cells of notebooks.
 * The other side of a Git diff and a refactor preview are documents too: their problems would stand beside those
 * of the file itself.
 */
export const SELECTOR: DocumentSelector = [
  ...LANGUAGES.map((language) => ({ scheme: "file", language })),
  ...Object.entries(NAMES).map(([language, pattern]) => ({ scheme: "file", language, pattern })),
  { scheme: "untitled", language: "python" },
  { scheme: "untitled", language: "shellscript" },
  { notebook: "*", language: "python" },
];
