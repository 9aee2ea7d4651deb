/** A picture with a palette of at most 256 colours: a third of the size, and no eye sees the difference. */

import * as zlib from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST = 256;
/** As many of the most frequent colours are kept as they are. */
const EXACT = 96;
/** Bits of a channel that may differ where colours are too many. */
const STEPS = [0, 1, 2, 3, 4, 5];
/** The samples of a pixel by the colour type of a PNG. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

/** The same picture; a PNG of 8 bits a sample without interlacing, as a browser makes it. */
export function withPalette(png: Buffer): Buffer {
  const chunks = chunksOf(png);
  const header = chunks[0]?.data ?? Buffer.alloc(13);
  const [width, height, type] = [
    header.readUInt32BE(0),
    header.readUInt32BE(4),
    header.readUInt8(9),
  ] as const;
  const channels = CHANNELS[type];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0) {
    throw new Error(`no picture of a browser: colour type ${type}`);
  }
  const packed = Buffer.concat(chunks.filter(({ name }) => name === "IDAT").map(({ data }) => data));
  const pixels = unfiltered(zlib.inflateSync(packed), width * channels, height, channels);
  const { palette, indices } = indexed(pixels, channels);
  const rows = Array.from({ length: height }, (_, row) =>
    Buffer.concat([Buffer.from([0]), indices.subarray(row * width, (row + 1) * width)]),
  );
  const indexedHeader = Buffer.from(header);
  indexedHeader[9] = 3;
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", indexedHeader),
    chunk("PLTE", palette),
    chunk("IDAT", zlib.deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunksOf(png: Buffer): { readonly name: string; readonly data: Buffer }[] {
  const chunks = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({
      name: png.toString("latin1", at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(zlib.crc32(body), body.length + 4);
  return framed;
}

/** The samples, without what each row says of how it was filtered. */
function unfiltered(data: Buffer, stride: number, height: number, channels: number): Buffer {
  const samples = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row += 1) {
    const filter = data.readUInt8(row * (stride + 1));
    for (let column = 0; column < stride; column += 1) {
      const at = row * stride + column;
      const left = column >= channels ? samples.readUInt8(at - channels) : 0;
      const above = row > 0 ? samples.readUInt8(at - stride) : 0;
      const corner = row > 0 && column >= channels ? samples.readUInt8(at - stride - channels) : 0;
      const guess = guessed(filter, left, above, corner);
      samples[at] = data.readUInt8(row * (stride + 1) + 1 + column) + guess;
    }
  }
  return samples;
}

function guessed(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4:
      return paeth(left, above, corner);
    default:
      return 0;
  }
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** The most frequent colours, and of each pixel the number of the nearest one. */
function indexed(pixels: Buffer, channels: number): { readonly palette: Buffer; readonly indices: Buffer } {
  const colours = new Uint32Array(pixels.length / channels);
  const counts = new Map<number, number>();
  for (let at = 0; at < colours.length; at += 1) {
    const colour = pixels.readUIntBE(at * channels, 3);
    colours[at] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const byCount = [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  const chosen = spread(byCount);
  const numbers = new Map(byCount.map((colour) => [colour, nearest(colour, chosen)]));
  const palette = Buffer.alloc(chosen.length * 3);
  chosen.forEach((colour, number) => palette.writeUIntBE(colour, number * 3, 3));
  return { palette, indices: Buffer.from(Array.from(colours, (colour) => numbers.get(colour) ?? 0)) };
}

/** The most frequent colours, which fill areas, as they are; of the others one of each that nearly look the same. */
function spread(byCount: readonly number[]): readonly number[] {
  const exact = byCount.slice(0, EXACT);
  const choices = STEPS.map((bits) => {
    const mask = 0x010101 * ((0xff << bits) & 0xff);
    const kept = new Map<number, number>();
    byCount.slice(EXACT).forEach((colour) => kept.has(colour & mask) || kept.set(colour & mask, colour));
    return [...exact, ...kept.values()];
  });
  return (choices.find((colours) => colours.length <= MOST) ?? byCount).slice(0, MOST);
}

function nearest(colour: number, chosen: readonly number[]): number {
  const distances = chosen.map((other) =>
    [0, 8, 16].reduce((sum, bits) => sum + (((colour >> bits) & 255) - ((other >> bits) & 255)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}
