// Painted prairie: sky, sun, ridges in haze, and a herd in front. Pictures of photographs' weight without a photograph.

import { mix, noise, noiseEdge, type Random, type Rgb, random, rgb } from './painting.ts';
import type { Picture } from './png.ts';

export interface Landscape {
  seed: number;
  width: number;
  height: number;
  palette: keyof typeof palettes;
  /** Amplitude of the film grain, in levels of 255: it decides the file's size. */
  grain: number;
  /** Pronghorns on the front ridge. */
  herd?: number;
}

const palettes = {
  dawn: { sky: ['#2f4a7a', '#f3b38b'], sun: '#ffe9c4', haze: '#e9b49a', front: '#33291f' },
  noon: { sky: ['#3f83c4', '#dcebf2'], sun: '#ffffff', haze: '#b9cfd3', front: '#5d6b2c' },
  dusk: { sky: ['#241d4d', '#e2714f'], sun: '#ffd27a', haze: '#a3566b', front: '#17121d' },
  storm: { sky: ['#3c4753', '#b5bfc1'], sun: '#e8ecea', haze: '#98a5a3', front: '#4a4c33' },
  winter: { sky: ['#6f8fae', '#eef1f4'], sun: '#ffffff', haze: '#d5dee6', front: '#8c8f86' },
} as const;

const ridgeCount = 5;

export function paintLandscape({ seed, width, height, palette, grain, herd = 0 }: Landscape): Picture {
  const chance = random(seed);
  const colours = palettes[palette];
  const [zenith, horizon] = [rgb(colours.sky[0]), rgb(colours.sky[1])];
  const [sun, haze, front] = [rgb(colours.sun), rgb(colours.haze), rgb(colours.front)];
  const ridges = Array.from({ length: ridgeCount }, (_, depth) => ridge(chance, width, height, depth / (ridgeCount - 1)));
  const ridgeColours = ridges.map((_, depth) => mix(haze, front, (depth / (ridgeCount - 1)) ** 1.3));
  const sunX = chance.float(0.2, 0.8) * width;
  const sunY = chance.float(0.18, 0.4) * height;
  const glow = (height * 0.22) ** 2;

  const pixels = new Uint8ClampedArray(width * height * 3);
  let at = 0;
  for (let y = 0; y < height; y++) {
    const [skyR, skyG, skyB] = mix(zenith, horizon, (y / height) * 1.7);
    for (let x = 0; x < width; x++) {
      let red: number;
      let green: number;
      let blue: number;
      let depth = ridgeCount - 1;
      while (depth >= 0 && y < ((ridges[depth] as Float32Array)[x] as number)) depth--;
      if (depth < 0) {
        const near = glow / (glow + ((x - sunX) ** 2 + (y - sunY) ** 2) * 4);
        const share = near > 0.93 ? 1 : near * 0.8;
        red = skyR + (sun[0] - skyR) * share;
        green = skyG + (sun[1] - skyG) * share;
        blue = skyB + (sun[2] - skyB) * share;
      } else {
        // Mist gathers at the foot of each ridge, except the one that we stand on; there is grass.
        const below = (y - ((ridges[depth] as Float32Array)[x] as number)) / height;
        const own = ridgeColours[depth] as Rgb;
        const mist = depth === ridgeCount - 1 ? 0 : Math.min(0.55, below * 2.2);
        const grass = depth === ridgeCount - 1 ? grain01(x * 3, y >> 2) * 14 : 0;
        red = own[0] + (haze[0] - own[0]) * mist + grass;
        green = own[1] + (haze[1] - own[1]) * mist + grass;
        blue = own[2] + (haze[2] - own[2]) * mist + grass * 0.6;
      }
      const film = grain01(x, y) * grain;
      pixels[at++] = red + film;
      pixels[at++] = green + film * 0.9;
      pixels[at++] = blue + grain01(x + 91, y + 37) * grain * 0.8;
    }
  }
  const picture = { width, height, rgb: new Uint8Array(pixels.buffer) };
  for (let n = 0; n < herd; n++) {
    const x = Math.round(((n + chance.float(0.25, 0.75)) / herd) * 0.8 * width + 0.1 * width);
    const size = height * chance.float(0.11, 0.16);
    const ground = ((ridges[ridgeCount - 1] as Float32Array)[x] as number) + size * 0.05;
    paintPronghorn(picture, { x, y: ground, size, colour: mix(front, [0, 0, 0], 0.35), facing: chance.pick([-1, 1]) });
  }
  return picture;
}

/** Noise in −1…1 by place. Rows are shifted so that the square doesn't show as a pattern. */
function grain01(x: number, y: number): number {
  const shift = (noise[(y * 7) & (noiseEdge * noiseEdge - 1)] as number) * 5;
  return (noise[((y & (noiseEdge - 1)) * noiseEdge + ((x + shift) & (noiseEdge - 1))) & (noiseEdge * noiseEdge - 1)] as number) / 127;
}

/** The height of a ridge's edge for each column; nearness 0 is the farthest, 1 the one that we stand on. */
function ridge(chance: Random, width: number, height: number, nearness: number): Float32Array {
  const base = height * (0.48 + 0.36 * nearness);
  const roughness = height * 0.09 * (1.15 - nearness);
  const waves = [1, 2.3, 5.1, 11, 23].map((frequency) => ({
    frequency: frequency * chance.float(0.7, 1.4),
    phase: chance.float(0, 7),
    amplitude: (roughness / frequency ** 0.8) * chance.float(0.6, 1.2),
  }));
  return Float32Array.from({ length: width }, (_, x) =>
    waves.reduce((y, { frequency, phase, amplitude }) => y + Math.sin((x / width) * frequency * Math.PI * 2 + phase) * amplitude, base),
  );
}

/** Strokes of a standing pronghorn in a square of edge 1 with its feet at (0, 0): from, to, and the width at both ends. */
const strokes: readonly [x0: number, y0: number, x1: number, y1: number, width0: number, width1: number][] = [
  [-0.3, 0.55, 0.22, 0.57, 0.15, 0.14], // trunk
  [0.24, 0.6, 0.42, 0.87, 0.1, 0.055], // neck
  [0.42, 0.89, 0.58, 0.82, 0.06, 0.032], // head
  [0.43, 0.93, 0.46, 1.12, 0.018, 0.012], // horn
  [0.46, 1.03, 0.53, 1.08, 0.013, 0.008], // its prong
  [0.4, 0.93, 0.32, 0.99, 0.022, 0.01], // ear
  [0.25, 0.5, 0.24, 0, 0.05, 0.018], // legs
  [0.16, 0.5, 0.12, 0.02, 0.045, 0.018],
  [-0.33, 0.52, -0.29, 0, 0.07, 0.018],
  [-0.38, 0.52, -0.42, 0.02, 0.065, 0.018],
  [-0.43, 0.62, -0.5, 0.55, 0.03, 0.015], // tail
];

function paintPronghorn(
  { width, height, rgb: pixels }: Picture,
  { x: left, y: ground, size, colour, facing }: { x: number; y: number; size: number; colour: Rgb; facing: -1 | 1 },
): void {
  const [fromX, toX] = [Math.max(0, Math.floor(left - size * 0.7)), Math.min(width - 1, Math.ceil(left + size * 0.7))];
  const [fromY, toY] = [Math.max(0, Math.floor(ground - size * 1.2)), Math.min(height - 1, Math.ceil(ground + size * 0.05))];
  for (let y = fromY; y <= toY; y++) {
    for (let x = fromX; x <= toX; x++) {
      const inside = coverage(((x - left) / size) * facing, (ground - y) / size, size);
      if (inside === 0) continue;
      for (let channel = 0; channel < 3; channel++) {
        const at = (y * width + x) * 3 + channel;
        const before = pixels[at] as number;
        pixels[at] = before + ((colour[channel] as number) - before) * inside;
      }
    }
  }
}

/** Share of the pixel at (x, y) that the strokes cover, 0…1, with an edge of one pixel. */
function coverage(x: number, y: number, size: number): number {
  let covered = 0;
  for (const [x0, y0, x1, y1, width0, width1] of strokes) {
    const [dx, dy] = [x1 - x0, y1 - y0];
    const along = Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / (dx * dx + dy * dy)));
    const distance = Math.sqrt((x - x0 - dx * along) ** 2 + (y - y0 - dy * along) ** 2); // hypot takes ten times as long
    covered = Math.max(covered, Math.min(1, (width0 + (width1 - width0) * along - distance) * size + 0.5));
  }
  return Math.max(0, covered);
}
