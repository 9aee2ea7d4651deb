import assert from "node:assert/strict";
import { test } from "node:test";
import * as zlib from "node:zlib";

import { withPalette } from "../e2e/workbench/palette";

const SIGNATURE = "\x89PNG\r\n\x1a\n";
const WIDTH = 40;
const HEIGHT = 30;

/** A PNG as a browser makes it: RGB, each row filtered in another way. */
function picture(colour: (x: number, y: number) => readonly number[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Array.from({ length: HEIGHT }, (_, y) =>
    Array.from({ length: WIDTH }, (_, x) => colour(x, y)).flat(),
  );
  const filtered = rows.flatMap((row, y) => {
    const filter = y % 3;
    const before = row.map((_, at) => (filter === 1 ? (row[at - 3] ?? 0) : (rows[y - 1]?.[at] ?? 0)));
    return [filter, ...row.map((sample, at) => (filter === 0 ? sample : (sample - (before[at] ?? 0)) & 255))];
  });
  const data = zlib.deflateSync(Buffer.from(filtered));
  return Buffer.concat([Buffer.from(SIGNATURE, "latin1"), chunk("IHDR", header), chunk("IDAT", data)]);
}

function chunk(name: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(name), data, Buffer.alloc(4)]);
}

/** The colours of a PNG with a palette. */
function coloursOf(png: Buffer): number[][] {
  const part = (name: string): Buffer => {
    const at = png.indexOf(name);
    return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  };
  const palette = part("PLTE");
  const rows = zlib.inflateSync(part("IDAT"));
  const pixels = [...rows].filter((_, at) => at % (WIDTH + 1) > 0);
  return pixels.map((number) => [...palette.subarray(number * 3, number * 3 + 3)]);
}

test("few colours stay what they are", () => {
  const colour = (x: number, y: number): number[] => [x > 20 ? 255 : 3, y * 8, 200];
  const expected = Array.from({ length: WIDTH * HEIGHT }, (_, at) =>
    colour(at % WIDTH, Math.floor(at / WIDTH)),
  );
  assert.deepEqual(coloursOf(withPalette(picture(colour))), expected);
});

test("of many, each becomes one that is near", () => {
  const colour = (x: number, y: number): number[] => [x * 6, y * 8, (x + y) * 3];
  const far = coloursOf(withPalette(picture(colour))).map((found, at) => {
    const wanted = colour(at % WIDTH, Math.floor(at / WIDTH));
    return Math.max(...found.map((sample, channel) => Math.abs(sample - (wanted[channel] ?? 0))));
  });
  assert.ok(Math.max(...far) > 0);
  assert.ok(Math.max(...far) < 32, `${Math.max(...far)} of 255`);
});

test("what fills an area stays what it is, however near it is to another", () => {
  const area = (x: number): number[] => (x < 5 ? [255, 255, 255] : [248, 248, 248]);
  const colour = (x: number, y: number): number[] => (x < 10 ? area(x) : [x * 6, y * 8, (x + y) * 3]);
  const found = coloursOf(withPalette(picture(colour)));
  assert.deepEqual([found[WIDTH], found[WIDTH + 7]], [area(0), area(7)]);
});

test("what no browser makes is refused", () => {
  const gray = picture(() => [0, 0, 0]);
  gray[SIGNATURE.length + 8 + 9] = 0;
  assert.throws(() => withPalette(gray), /colour type 0/);
});
