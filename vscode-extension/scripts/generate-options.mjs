/**
 * Writes what is made from the server's definition of the options: the TypeScript types, the settings and the
 * properties of tasks in package.json, and their texts in package.nls*.json; and the repository's address there. What
 * the tools of the chat take comes from the MCP server.
 *
 *   node scripts/generate-options.mjs            writes them
 *   node scripts/generate-options.mjs --check    fails if they would change
 */

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";

const extension = path.resolve(import.meta.dirname, "..");
const checkout = path.dirname(extension);

/** What is chosen for each migration anew, and so is no setting. */
const NO_SETTINGS = ["inputPath", "outputPath", "force", "discardChanges"];

/** Where the settings of a migration are shown, section by section; those of no list are in the first. */
const SECTIONS = {
    migration: () => true,
    rules: ({ name, group }) =>
        ["customRule", "replace", "analysis"].includes(group) ||
        ["select", "ignore", "severities", "unsafeFixes", "advice"].includes(name) ||
        ["unknownApis", "restrictedApis", "apiFiles"].includes(name),
    distributed: ({ group }) => group === "distributed",
    amp: ({ name, group }) => group === "amp" || name === "enableAmp",
    files: ({ name }) =>
        ["exclude", "copy", "entries", "largeFiles", "maxFileSize", "projectSettings"].includes(name),
    mindspore: ({ dependsOn }) => dependsOn?.target === "mindspore",
};
/** Those between which the sections of the extension itself stand: few use MindSpore. */
const LAST = "mindspore";

const english = catalogue("en");
const files = {
    "src/server/options.generated.ts": types(english.schema),
    "package.json": manifest(english.schema),
    "package.nls.json": texts("package.nls.json", english.schema),
    "package.nls.zh-cn.json": texts("package.nls.zh-cn.json", catalogue("zh").schema),
};

const stale = Object.entries(files).filter(([name, text]) => read(name) !== text);
if (process.argv.includes("--check")) {
    if (stale.length > 0) {
        throw new Error(`out of date: ${stale.map(([name]) => name).join(", ")}; run npm run generate`);
    }
} else {
    stale.forEach(([name, text]) => fs.writeFileSync(path.join(extension, name), text));
}

function catalogue(language) {
    return run("gpu2ascend", "options", "--json", "--language", language);
}

/** What a module of the checkout prints as JSON. */
function run(...module) {
    const venv = path.join(
        checkout,
        ".venv",
        process.platform === "win32" ? "Scripts/python.exe" : "bin/python",
    );
    const python = process.env.PYTHON ?? (fs.existsSync(venv) ? venv : "python3");
    const roots = ["rules", "server", "."].map((name) => path.join(checkout, name)).join(path.delimiter);
    const output = execFileSync(python, ["-m", ...module], {
        env: { ...process.env, PYTHONPATH: roots, PYTHONUTF8: "1" },
        encoding: "utf8",
    });
    return JSON.parse(output);
}

function types(schema) {
    const lines = ofMigration(schema).map(([name, option]) => {
        const optional = schema.required.includes(name) ? "" : "?";
        return `  /** ${sentence(option.description)} */\n  readonly ${name}${optional}: ${typeOf(option)};`;
    });
    return [
        "// Made from the server's options by scripts/generate-options.mjs. Do not edit.",
        "",
        "/** The parameters of a migration. */",
        "export interface MigrationParameters {",
        ...lines,
        "}",
        "",
    ].join("\n");
}

function typeOf(option) {
    if (option.enum !== undefined) {
        return option.enum.map((value) => JSON.stringify(value)).join(" | ");
    }
    return [option.type]
        .flat()
        .map((name) => {
            switch (name) {
                case "array":
                    return "readonly string[]";
                case "object":
                    return `Readonly<Record<string, ${typeOf(option.additionalProperties)}>>`;
                case "integer":
                    return "number";
                default:
                    return name;
            }
        })
        .join(" | ");
}

function manifest(schema) {
    const document = JSON.parse(read("package.json"));
    const made = sectionsOf(schema);
    const own = document.contributes.configuration.filter(
        ({ title }) => !Object.keys(SECTIONS).some((id) => title === titleOf(id)),
    );
    const last = made.filter(({ title }) => title === titleOf(LAST));
    document.contributes.configuration = [
        ...made.filter((section) => !last.includes(section)),
        ...own,
        ...last,
    ];
    number(document.contributes.configuration);
    const [task] = document.contributes.taskDefinitions;
    task.required = ["task", ...schema.required];
    task.properties = { task: task.properties.task, ...taskProperties(schema) };
    const inputs = run("tools.chat_tools");
    for (const tool of document.contributes.languageModelTools) {
        tool.inputSchema = inputs[tool.name];
    }
    return JSON.stringify(published(document), null, 2) + "\n";
}

/** With the address of the repository behind the license; while there is none, nothing may be published. */
function published(document) {
    const project = fs.readFileSync(path.join(checkout, "pyproject.toml"), "utf8");
    const [, repository] = /^repository = "(.*)"$/m.exec(project);
    const made =
        repository === ""
            ? { private: true }
            : {
                  homepage: repository,
                  repository: { type: "git", url: `${repository}.git` },
                  bugs: { url: `${repository}/issues` },
              };
    const names = ["private", "homepage", "repository", "bugs"];
    const rest = Object.entries(document).filter(([name]) => !names.includes(name));
    const at = rest.findIndex(([name]) => name === "license") + 1;
    return Object.fromEntries([...rest.slice(0, at), ...Object.entries(made), ...rest.slice(at)]);
}

function sectionsOf(schema) {
    const sections = Object.keys(SECTIONS).map((id) => ({ title: titleOf(id), properties: {} }));
    for (const [name, option] of settings(schema)) {
        const at = Object.values(SECTIONS).findLastIndex((holds) => holds({ name, ...option }));
        sections[at].properties[`gpu2ascend.${name}`] = { order: 0, ...setting(name, option) };
    }
    return sections;
}

function titleOf(section) {
    return `%settings.${section}%`;
}

/** The form of a setting. One that may have no value is empty then: the page of settings would show "null". */
function setting(name, option) {
    const [type, nothing] = [option.type].flat();
    const { enum: values, items, additionalProperties } = option;
    const form = { type, enum: values, items, additionalProperties, default: option.default };
    if (nothing === "null") {
        form.default = "";
        if (values !== undefined) {
            form.enum = values.map((value) => value ?? "");
            form.enumItemLabels = values.map((value) => value ?? "%settings.automatic%");
        }
    }
    return { ...form, scope: "resource", markdownDescription: `%option.${name}%` };
}

/** The editor shows settings by the alphabet, unless each has its place. */
function number(sections) {
    sections.forEach((section, at) => {
        section.order = at;
        Object.values(section.properties).forEach((property, place) => (property.order = place));
    });
}

/** What a task of tasks.json may hold: every option, of which the editor then knows names and values. */
function taskProperties(schema) {
    return Object.fromEntries(
        ofMigration(schema).map(([name, option]) => {
            // No null: an option without a value is left out, and the editor stumbles over null in these schemas.
            const [type] = [option.type].flat();
            const values = option.enum?.filter((value) => value !== null);
            const { items, additionalProperties } = option;
            const form = { type, enum: values, items, additionalProperties };
            return [name, { ...form, description: `%option.${name}%` }];
        }),
    );
}

function texts(file, schema) {
    const own = Object.entries(JSON.parse(read(file))).filter(([key]) => !key.startsWith("option."));
    const made = Object.entries(schema.properties).map(([name, option]) => [
        `option.${name}`,
        sentence(option.description),
    ]);
    return JSON.stringify(Object.fromEntries([...own, ...made]), null, 2) + "\n";
}

function ofMigration(schema) {
    return Object.entries(schema.properties).filter(([, option]) => option.ofMigration !== false);
}

function settings(schema) {
    return Object.entries(schema.properties).filter(([name]) => !NO_SETTINGS.includes(name));
}

/** The server's help is written for a list of flags: a small letter first, no full stop. */
function sentence(text) {
    const end = /[.。]$/.test(text) ? "" : /[\u4e00-\u9fff]/.test(text) ? "。" : ".";
    return text.charAt(0).toUpperCase() + text.slice(1) + end;
}

function read(name) {
    const file = path.join(extension, name);
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}
