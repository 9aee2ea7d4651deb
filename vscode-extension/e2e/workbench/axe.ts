/** What axe finds wrong with a page for people who do not see it, or see it otherwise. */

import * as fs from "node:fs";
import { createRequire } from "node:module";
import { expect, type Frame, type FrameLocator, type Page } from "@playwright/test";

const AXE = fs.readFileSync(createRequire(__filename).resolve("axe-core/axe.min.js"), "utf8");

export interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

export async function violations(page: Page | Frame): Promise<readonly Violation[]> {
  await page.evaluate(AXE);
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    return (await axe.run()).violations;
  });
}

/** Expects that axe finds nothing wrong with a web view. */
export async function expectAccessible(view: FrameLocator): Promise<void> {
  const body = await view.locator("body").elementHandle();
  const frame = await body.ownerFrame();
  const found = frame === null ? undefined : await violations(frame);
  const told = found?.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html.slice(0, 200))]);
  expect(told).toEqual([]);
}
