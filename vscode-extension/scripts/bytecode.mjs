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
    // Rules for other targets and for files beside Python: Python compiles these at the first start.
    "/gpu2ascend_rules/catalog/(accelerator|advice|automatic|configurations|containers|dependencies|kernel|shell|sources|third_party)/",
    "/gpu2ascend_rules/(patterns|flow/(command_line|precision|settings))/",
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

/** Where the texts of rules are, which are docstrings; elsewhere nothing reads them at run time. */
const DOCUMENTED = "/gpu2ascend_rules/(catalog|codemods|custom)/";

const COMPILE = `
import ast, importlib.util, re, sys
from importlib._bootstrap_external import _code_to_hash_pyc
from pathlib import Path

LIBS = Path("/libs")

def without_docstrings(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                first = node.body[0]
                rest = node.body[1:]
                node.body = rest or [ast.copy_location(ast.Pass(), first)]

def compile_file(file):
    source = file.read_bytes()
    tree = ast.parse(source)
    if not re.search(documented, str(file)):
        without_docstrings(tree)
    code = compile(tree, str(file.relative_to(LIBS)), "exec", dont_inherit=True)
    cached = Path(importlib.util.cache_from_source(file))
    cached.parent.mkdir(exist_ok=True)
    cached.write_bytes(_code_to_hash_pyc(code, importlib.util.source_hash(source), False))

for name in names:
    place = LIBS / name
    files = [place] if place.suffix else sorted(place.rglob("*.py"))
    for file in files:
        if not re.search(left_out, str(file)):
            compile_file(file)
    if not files:
        raise SystemExit(f"{name} is not there")
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
python.globals.set("documented", DOCUMENTED);
const compiledBy = python.runPython(COMPILE);
if (compiledBy !== version) {
    throw new Error(`pyodide-${version} is Python ${compiledBy}`);
}
