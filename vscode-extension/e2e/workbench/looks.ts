/** The looks in which every state of the extension is to be looked at. */

import * as fs from "node:fs";
import * as path from "node:path";
import type { Page } from "@playwright/test";

import type { CodeServerOptions } from "./codeServer";

const FOLDER = path.resolve(__dirname, "..", "..", "test-results", "states");

export interface Look {
  readonly name: string;
  readonly theme: string;
  readonly language: "en" | "zh";
  /** What a browser says to a page that is no web view. */
  readonly media: {
    readonly colorScheme: "light" | "dark";
    readonly forcedColors: "none" | "active";
  };
}

export const LOOKS: readonly Look[] = [
  look("light", "Default Light Modern", "light"),
  look("dark", "Default Dark Modern", "dark"),
  { ...look("contrast", "Default High Contrast", "dark"), media: media("dark", "active") },
  { ...look("contrast-light", "Default High Contrast Light", "light"), media: media("light", "active") },
  { ...look("chinese", "Default Light Modern", "light"), language: "zh" },
];

function look(name: string, theme: string, colorScheme: "light" | "dark"): Look {
  return { name, theme, language: "en", media: media(colorScheme, "none") };
}

function media(colorScheme: "light" | "dark", forcedColors: "none" | "active"): Look["media"] {
  return { colorScheme, forcedColors };
}

/** The workbench in a look. */
export function serverOf({ theme, language }: Look): CodeServerOptions {
  const settings = { "workbench.colorTheme": theme };
  return { settings, ...(language === "zh" ? { locale: "zh-cn" } : {}) };
}

/** Keeps a picture of a state: in a folder of the look, which is not committed. */
export async function picture(page: Page, { name }: Look, state: string, fullPage = false): Promise<void> {
  const folder = path.join(FOLDER, name);
  fs.mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${state}.png`), fullPage });
}
