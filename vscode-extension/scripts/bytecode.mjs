/**
 * Compiles what the server imports at its start, for one minor version of CPython:
 *
 *   node scripts/bytecode.mjs FOLDER 3.12
 *
 * Bytecode differs between minor versions of CPython, not between platforms. So that every version can be had on
 * any machine, the compiler is CPython as WebAssembly, from npm. The files are not checked against their sources
 * when they are loaded: whatever order and times an installation gives them, they are used.
 */

import * as path from "node:path";
import { fileURLToPath } from "node:url";

/** The rest is compiled where it is used first; with it a .vsix would be larger than it may be. */
const PACKAGES = [
    ...["attr", "attrs", "cattrs", "lsprotocol", "pygls", "typing_extensions.py"],
    ...[
        "tree_sitter",
        "tree_sitter_bash",
        "tree_sitter_json",
        "tree_sitter_python",
        "tree_sitter_toml",
        "tree_sitter_yaml",
        "packaging",
        "gpu2ascend",
        "gpu2ascend_rules",
    ],
];
const LEFT_OUT = [
    "/gpu2ascend_rules/similar/parts",
    // Rules for other targets and for files that few projects have: Python compiles these at the first start.
    "/gpu2ascend_rules/catalog/(accelerator|advice|automatic|configurations|containers|kernel|shell|sources)/",
    // Of these the start imports a few modules only.
    "/gpu2ascend_rules/codemods/(?!(amp/((__init__|documentation|refactoring)|to_apex/(__init__|change))|__init__)\\.py)",
    "/gpu2ascend_rules/custom/(?!(__init__|already_applied|find|rule_base)\\.py)",
    "/gpu2ascend/project/(git|handover|in_place|inference|update|kernels|launchers|inspect/library)/",
    "/gpu2ascend/lsp/commands/verifying/",
    "/gpu2ascend/(agents|verify|doctor|survey)/",
    "/gpu2ascend/project/adapters/templates/",
    "/gpu2ascend/project/report/(tally|unexamined|html/(collect|colours|document|rules|spool|style))\\.py",
    "/gpu2ascend/project/report/html/sections/(apis|dependencies|diffs|files|findings|readiness|reference|way)\\.py",
    // A migration has a process of its own.
    "/gpu2ascend/project/migrate/(run|migrate|output|file_job|readiness|added_files|codemods|staging)\\.py",
    "/gpu2ascend/project/(manifest/ledger|report/(reports|log|csv_report|causes))\\.py",
    "/gpu2ascend/cli/(checks|formats|pages|commands/(projects|reference|running|serving/mcp\\.py))",
    "/gpu2ascend/cli/(selection|since|standard_input|in_place|updating|help|parsing/completions|output/(diagnostics|progress|wrapping|diffs))\\.py",
    "/gpu2ascend/project/(migrate/pages/|inspect/tables\\.py|index/(documents|foreign)\\.py)",
    "/cattrs/(strategies|preconf)/",
    "/packaging/(licenses/|(dependency_groups|direct_url|metadata|pylock|ranges)\\.py)",
    "/pygls/(client|cli|lsp/_base_client|lsp/client)\\.py",
].join("|");

const COMPILE = `
import compileall, py_compile, re, sys
how = {
    "rx": re.compile(left_out),
    "invalidation_mode": py_compile.PycInvalidationMode.UNCHECKED_HASH,
    "stripdir": "/libs",
    "force": True,
    "quiet": 1,
}
for name in names:
    compiled = compileall.compile_file if name.endswith(".py") else compileall.compile_dir
    if not compiled(f"/libs/{name}", **how):
        raise SystemExit(f"{name} cannot be compiled")
"%d.%d" % sys.version_info[:2]
`;

const [folder, version] = process.argv.slice(2);
const module = import.meta.resolve(`pyodide-${version}`);
const { loadPyodide } = await import(module);
const python = await loadPyodide({ indexURL: path.join(path.dirname(fileURLToPath(module)), path.sep) });
python.FS.mkdir("/libs");
python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(folder) }, "/libs");
python.globals.set("names", python.toPy(PACKAGES));
python.globals.set("left_out", LEFT_OUT);
const compiledBy = python.runPython(COMPILE);
if (compiledBy !== version) {
    throw new Error(`pyodide-${version} is Python ${compiledBy}`);
}
