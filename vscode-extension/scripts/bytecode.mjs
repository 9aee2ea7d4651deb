/**
 * Compiles modules of the bundle, for one minor version of CPython:
 *
 *   node scripts/bytecode.mjs FOLDER 3.12 < MODULES
 *
 * The modules are paths below the folder, as a list in JSON; `started.py` prints those that a start imports.
 * Bytecode differs between minor versions of CPython, not between platforms. So that every version can be had on
 * any machine, the compiler is CPython as WebAssembly, from npm. The files are not checked against their sources
 * when they are loaded: whatever order and times an installation gives them, they are used.
 */

import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

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
    compile_file(LIBS / name)
"%d.%d" % sys.version_info[:2]
`;

const [folder, version] = process.argv.slice(2);
const module = import.meta.resolve(`pyodide-${version}`);
const { loadPyodide } = await import(module);
const python = await loadPyodide({ indexURL: path.join(path.dirname(fileURLToPath(module)), path.sep) });
python.FS.mkdir("/libs");
python.FS.mount(python.FS.filesystems.NODEFS, { root: path.resolve(folder) }, "/libs");
python.globals.set("names", python.toPy(JSON.parse(fs.readFileSync(0, "utf8"))));
python.globals.set("documented", DOCUMENTED);
const compiledBy = python.runPython(COMPILE);
if (compiledBy !== version) {
    throw new Error(`pyodide-${version} is Python ${compiledBy}`);
}
