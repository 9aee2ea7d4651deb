/** What a model gives a tool, as far as it has the types of the manifest. */

import { isRecord } from "../records";
import type { Page } from "./answers";

/** What a tool is given, of which only the types are known; a model may have written anything. */
export interface Input extends Page {
  readonly paths?: readonly string[];
  readonly code?: string;
  readonly name?: string;
  readonly order?: string;
  readonly project?: string;
  readonly arguments?: readonly string[];
}

/** The parameters of a call; those of other types count as not given. */
export function inputOf(given: unknown): Input {
  const input = isRecord(given) ? given : {};
  const text = (name: string): string | undefined => {
    const value = input[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const number = (name: string, least: number): number | undefined => {
    const value = input[name];
    return typeof value === "number" && Number.isInteger(value) && value >= least ? value : undefined;
  };
  const list = (name: string): readonly string[] | undefined => {
    const value = input[name];
    const isList = Array.isArray(value) && value.length > 0;
    return isList && value.every((item) => typeof item === "string") ? value : undefined;
  };
  const texts = ["code", "name", "order", "project"].map((name) => [name, text(name)]);
  const lists = ["paths", "arguments"].map((name) => [name, list(name)]);
  const numbers = [
    ["offset", number("offset", 0)],
    ["limit", number("limit", 1)],
  ];
  return Object.fromEntries(
    [...texts, ...lists, ...numbers].filter(([, value]) => value !== undefined),
  ) as Input;
}
