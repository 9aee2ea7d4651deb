/**
 * The form as data: which fields there are, which of them count at the moment, and what they come to as the
 * parameters of a migration. Without a view, so that both sides of the dialog and the tests use it.
 */

import type { Detected, OptionCatalogue, OptionGroup, OptionSchema } from "../server/protocol";

export type FormValue =
  string | number | boolean | null | readonly string[] | Readonly<Record<string, string>>;
export type FormValues = Readonly<Record<string, FormValue>>;

/** The options, and the version that the project asks for, or that fits it best. */
export type FormOptions = OptionCatalogue & { readonly proposedVersion?: Detected | null };

/** How a field is shown. */
export type FieldKind = "choice" | "flag" | "file" | "directory" | "text" | "number" | "list" | "map";

export function fieldKind(option: OptionSchema): FieldKind {
  if (option.enum !== undefined) {
    return "choice";
  }
  if (option.control !== undefined) {
    return option.control === "path-file" ? "file" : "directory";
  }
  switch (firstType(option)) {
    case "boolean":
      return "flag";
    case "integer":
      return "number";
    case "array":
      return "list";
    case "object":
      return "map";
    default:
      return "text";
  }
}

/** Whether an option may stay without a value. */
export function isOptional(option: OptionSchema): boolean {
  return Array.isArray(option.type) && option.type.includes("null");
}

/** Options without which there is no migration: where nothing is chosen, what is proposed counts. */
const PROPOSED = new Set(["version"]);

/**
 * Whether the form marks an option as required: one that must have a value, and a file that what was turned on
 * above it needs.
 */
export function isRequired(name: string, option: OptionSchema): boolean {
  const isNeeded = !isOptional(option) && option.default === undefined;
  return isNeeded || PROPOSED.has(name) || fieldKind(option) === "file";
}

function firstType(option: OptionSchema): string {
  return typeof option.type === "string"
    ? option.type
    : (option.type.find((name) => name !== "null") ?? "string");
}

/** The catalogue without the options that a migration does not heed: there is nothing to choose about them. */
export function ofMigration<Catalogue extends OptionCatalogue>(catalogue: Catalogue): Catalogue {
  const { schema } = catalogue;
  const heeded = Object.entries(schema.properties).filter(([, option]) => option.ofMigration !== false);
  return { ...catalogue, schema: { ...schema, properties: Object.fromEntries(heeded) } };
}

/** The groups that have a switch: they are a heading with a box to tick, and fields that appear with the tick. */
export interface Section {
  readonly group: OptionGroup;
  /**
   * What turns the section on: the name of an option; or, where an optional option is the whole group, a name
   * made up here, which is no parameter; null for a group whose fields are always shown.
   */
  readonly switchName: string | null;
  readonly switchOption: OptionSchema | null;
  readonly fields: readonly string[];
}

const PLAIN_GROUPS = new Set(["basic", "advanced"]);

/** The sections of the form, in the server's order. */
export function sections(catalogue: OptionCatalogue): Section[] {
  return catalogue.groups.flatMap((group): Section[] => {
    const fields = Object.entries(catalogue.schema.properties).filter(
      ([, option]) => option.group === group.id,
    );
    if (fields.length === 0) {
      return [];
    }
    const names = fields.map(([name]) => name);
    const [first] = fields;
    if (PLAIN_GROUPS.has(group.id) || first === undefined) {
      return [{ group, switchName: null, switchOption: null, fields: names }];
    }
    const [name, option] = first;
    if (fieldKind(option) === "flag") {
      return [{ group, switchName: name, switchOption: option, fields: names.slice(1) }];
    }
    return [{ group, switchName: switchOf(group), switchOption: null, fields: names }];
  });
}

/** The made-up name of a group's switch. */
function switchOf(group: OptionGroup): string {
  return `${group.id}.enabled`;
}

/** A field's value; no choice of a version is the choice of the one that is proposed. */
export function valueOf(name: string, values: FormValues, options: FormOptions): FormValue | undefined {
  const proposed = PROPOSED.has(name) ? options.proposedVersion?.version : undefined;
  return values[name] ?? proposed ?? values[name];
}

/** Whether a field has an effect with these values, so that it is shown and sent. */
export function isActive(name: string, values: FormValues, catalogue: FormOptions): boolean {
  const option = catalogue.schema.properties[name];
  if (option === undefined) {
    return false;
  }
  const section = sections(catalogue).find(({ fields }) => fields.includes(name));
  const switchName = section?.switchName ?? null;
  if (switchName !== null && switchName.includes(".") && values[switchName] !== true) {
    return false;
  }
  const holds = (other: string, wanted: readonly unknown[]): boolean =>
    (other === name || isActive(other, values, catalogue)) &&
    wanted.includes(valueOf(other, values, catalogue));
  return (
    Object.entries(option.dependsOn ?? {}).every(([other, wanted]) => holds(other, [wanted])) &&
    !Object.entries(option.noEffectWith ?? {}).some(([other, wanted]) => holds(other, wanted))
  );
}

/** What a form starts with: what was last entered, else what the settings say, else the defaults. */
export function startValues(
  catalogue: FormOptions,
  ...sources: readonly Readonly<Record<string, unknown>>[]
): FormValues {
  const values: Record<string, FormValue> = {};
  for (const [name, option] of Object.entries(catalogue.schema.properties)) {
    const given = sources
      .map((source) => source[name])
      .find((value) => value !== undefined && fits(value, option));
    values[name] = (given ?? option.default ?? emptyValue(option)) as FormValue;
  }
  for (const section of sections(catalogue)) {
    if (section.switchName?.includes(".") === true) {
      const name = section.switchName;
      const given = sources.map((source) => source[name]).find((value) => typeof value === "boolean");
      values[name] = given ?? section.fields.some((field) => isFilled(values[field]));
    }
  }
  return sameModels(values, catalogue);
}

/** Whether a value that was kept somewhere still is one of this option. */
function fits(value: unknown, option: OptionSchema): boolean {
  if (value === null) {
    return isOptional(option);
  }
  switch (fieldKind(option)) {
    case "choice":
      return option.enum?.includes(value as string) === true;
    case "flag":
      return typeof value === "boolean";
    case "number":
      return typeof value === "number";
    case "list":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "map":
      return typeof value === "object" && !Array.isArray(value);
    case "file":
    case "directory":
    case "text":
      return typeof value === "string";
  }
}

function emptyValue(option: OptionSchema): FormValue {
  switch (fieldKind(option)) {
    case "flag":
      return false;
    case "number":
      return 1;
    case "list":
      return [];
    case "map":
      return {};
    case "choice":
      return option.enum?.[0] ?? null;
    case "file":
    case "directory":
    case "text":
      return isOptional(option) ? null : "";
  }
}

function isFilled(value: FormValue | undefined): boolean {
  return value !== undefined && value !== null && value !== "" && value !== false;
}

/** The same model goes into both wrappers, so its name is entered once. */
const SAME_VALUE: readonly (readonly [string, string])[] = [["targetModel", "ampModel"]];

/** The other field that has the same value as this one at the moment. */
export function tiedTo(name: string, values: FormValues, catalogue: FormOptions): string | undefined {
  const pair = SAME_VALUE.find((names) => names.includes(name));
  const isTied = pair?.every((one) => isActive(one, values, catalogue)) === true;
  return isTied ? pair.find((one) => one !== name) : undefined;
}

/** The values after one field has changed. */
export function changed(
  values: FormValues,
  name: string,
  value: FormValue,
  catalogue: FormOptions,
): FormValues {
  return sameModels({ ...values, [name]: value }, catalogue, name);
}

/** The values with the same model in both wrappers, while both count: the one that was just entered, if one was. */
export function sameModels(values: FormValues, catalogue: FormOptions, entered?: string): FormValues {
  const next: Record<string, FormValue> = { ...values };
  for (const [one, other] of SAME_VALUE) {
    if (isActive(one, next, catalogue) && isActive(other, next, catalogue)) {
      if (entered === other) {
        next[one] = next[other] ?? null;
      } else {
        next[other] = next[one] ?? null;
      }
    }
  }
  return next;
}

/** The parameters of a migration: the values that count, and that the others are off, whatever the settings say. */
export function parameters(values: FormValues, catalogue: FormOptions): Record<string, FormValue> {
  const result: Record<string, FormValue> = {};
  for (const [name, option] of Object.entries(catalogue.schema.properties)) {
    const value = isActive(name, values, catalogue) ? valueOf(name, values, catalogue) : offValue(option);
    if (value === undefined) {
      continue;
    }
    if (isAskedFor(name, values, catalogue)) {
      result[name] = value ?? "";
    } else {
      result[name] = value === "" && isOptional(option) ? null : value;
    }
  }
  return result;
}

/** What turns an option off; undefined for one that has no effect once what it depends on is off. */
function offValue(option: OptionSchema): FormValue | undefined {
  return fieldKind(option) === "flag" ? false : isOptional(option) ? null : undefined;
}

/** Whether a ticked box asks for this file: without it there is nothing to do, and the server says so. */
function isAskedFor(name: string, values: FormValues, catalogue: FormOptions): boolean {
  const section = sections(catalogue).find(({ fields }) => fields.includes(name));
  const switchName = section?.switchOption === null ? section.switchName : null;
  return switchName !== null && values[switchName] === true;
}

/** What was entered: the values that are others than those a form starts with. */
export function entered(values: FormValues, start: FormValues): FormValues {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(start[name])),
  );
}

/** Whether a group has a value that is not the default of its option. */
export function isChosenIn(group: string, values: FormValues, catalogue: OptionCatalogue): boolean {
  return Object.entries(catalogue.schema.properties).some(
    ([name, option]) =>
      option.group === group &&
      name in values &&
      JSON.stringify(values[name]) !== JSON.stringify(option.default ?? emptyValue(option)),
  );
}

const OF_ANY_PROJECT = new Set(["basic", "replace", "advanced"]);

/**
 * Those of the values that may well be wanted in another project: no paths, no names in it, no version, and
 * nothing that its own settings say.
 */
export function ofAnyProject(
  values: FormValues,
  catalogue: FormOptions,
  settings: Readonly<Record<string, unknown>>,
): FormValues {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => {
      const option = catalogue.schema.properties[name];
      return (
        option !== undefined &&
        JSON.stringify(settings[name] ?? option.default) === JSON.stringify(option.default) &&
        option.control === undefined &&
        OF_ANY_PROJECT.has(option.group) &&
        !["version", "exclude", "force", "discardChanges"].includes(name)
      );
    }),
  );
}

/** A list as it is typed: `NPU1, NPU203`. */
export function parseList(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** A number as it is typed; what is none stays a text, which the server refuses at its field. */
export function parseNumber(text: string): number | string {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : text;
}

/** Pairs as they are typed: `NPU101=hint, NPU7=information`. A name without a value keeps its place. */
export function parseMap(text: string): Record<string, string> {
  return Object.fromEntries(
    parseList(text).map((item) => {
      const [name = "", value = ""] = item.split("=", 2);
      return [name.trim(), value.trim()];
    }),
  );
}

/** A value as text to be edited. */
export function shownValue(value: FormValue | undefined): string {
  if (value === undefined || value === null || typeof value === "boolean") {
    return "";
  }
  if (typeof value === "string" || typeof value === "number") {
    return String(value);
  }
  if (isList(value)) {
    return value.join(", ");
  }
  return Object.entries(value)
    .map(([name, item]) => `${name}=${item}`)
    .join(", ");
}

function isList(value: FormValue): value is readonly string[] {
  return Array.isArray(value);
}
