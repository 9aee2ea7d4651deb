/** How well a text can be distinguished from what is behind it. */

import type { Locator } from "@playwright/test";

/** The contrast that WCAG 2 asks for, of text of usual size. */
export const READABLE = 4.5;

/** What is used here of an element of a page. */
interface PageElement {
  readonly parentElement: PageElement | null;
  readonly ownerDocument: {
    readonly defaultView: { getComputedStyle(element: PageElement): Style };
  };
}

interface Style {
  readonly color: string;
  readonly backgroundColor: string;
  getPropertyValue(name: string): string;
}

/** Red, green and blue up to 255, and the opacity. */
type Colour = readonly [number, number, number, number];

interface Colours {
  readonly text: string;
  /** From the element out to the page. */
  readonly layers: readonly string[];
}

/** The contrast of an element's text by WCAG 2, from 1 to 21. */
export async function contrastOf(element: Locator): Promise<number> {
  const { text, layers }: Colours = await element.evaluate(coloursOf as (element: unknown) => Colours);
  const behind = layers.map(parse).reduceRight((below, layer) => over(layer, below), [0, 0, 0, 1] as Colour);
  const [dark = 0, light = 0] = [luminance(over(parse(text), behind)), luminance(behind)].sort(
    (one, other) => one - other,
  );
  return (light + 0.05) / (dark + 0.05);
}

/** Runs in the page. A web view is transparent: behind it is the background of editors. */
function coloursOf(element: PageElement): Colours {
  const style = (of: PageElement): Style => of.ownerDocument.defaultView.getComputedStyle(of);
  const layers: string[] = [];
  for (let at: PageElement | null = element; at !== null; at = at.parentElement) {
    layers.push(style(at).backgroundColor);
  }
  layers.push(style(element).getPropertyValue("--vscode-editor-background"));
  return { text: style(element).color, layers };
}

function parse(colour: string): Colour {
  const hex = /^#(..)(..)(..)$/.exec(colour.trim());
  const parts =
    hex === null
      ? (colour.match(/[\d.]+/g) ?? []).map(Number)
      : hex.slice(1).map((part) => Number.parseInt(part, 16));
  const [red = 0, green = 0, blue = 0, opacity = 1] = parts;
  return [red, green, blue, opacity];
}

function over([red, green, blue, opacity]: Colour, below: Colour): Colour {
  const mix = (part: number, under: number): number => part * opacity + under * (1 - opacity);
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
}

function luminance([red, green, blue]: Colour): number {
  const linear = (part: number): number => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
