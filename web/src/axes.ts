// Axes in the logarithm of what they show, with ticks that people can read.
import { theme } from './theme';

export interface Scale {
  /** Where a value is drawn. */
  at(value: number): number;
  /** The value that is drawn there. */
  value(at: number): number;
}

export const decades: Scale = { at: (value) => Math.log10(Math.max(value, 1e-9)), value: (at) => 10 ** at };
/** Sizes by powers of two; 0 is shown separately, left of 1. */
export const octaves: Scale = {
  at: (value) => (value > 0 ? Math.log2(value) : -1),
  value: (at) => (at < -0.5 ? 0 : 2 ** at),
};
export const linear: Scale = { at: (value) => value, value: (at) => at };

/** Where the ends of an interval are drawn: what reaches zero has no place on an axis of logarithms, and is not known. */
export const endsAt = (scale: Scale, ends: readonly [number, number]): [number | null, number | null] => {
  const at = (end: number): number | null =>
    Number.isFinite(end) && (scale !== decades || end > 0) ? scale.at(end) : null;
  return [at(ends[0]), at(ends[1])];
};

const within = (ticks: number[], low: number, high: number): number[] =>
  ticks.filter((tick) => tick >= low * 0.999999 && tick <= high * 1.000001);

/** Round numbers between two values: decades if there are enough of them, else their parts, else even steps. */
function roundTicks(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const last = Math.ceil(Math.log10(high));
  for (const parts of [[1], [1, 3], [1, 2, 5]]) {
    const all: number[] = [];
    for (let decade = first; decade <= last; decade++) for (const part of parts) all.push(part * 10 ** decade);
    const ticks = within(all, low, high);
    if (ticks.length >= 4) {
      const step = Math.ceil(ticks.length / 9);
      return ticks.filter((_, i) => i % step === 0);
    }
  }
  return evenTicks(low, high);
}

export function evenTicks(low: number, high: number): number[] {
  const rough = (high - low) / 6 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((part) => part * power >= rough) ?? 10) * power;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step);
  return ticks;
}

/** Powers of two, few enough, or where they are not two, the very sizes; 0 has room for its label. */
function sizeTicks(sizes: number[], width: number): number[] {
  const most = Math.max(2, Math.min(7, Math.floor(width / 60) - 2));
  const there = [...new Set(sizes)].sort((a, b) => a - b);
  const some = there.filter((size) => size > 0);
  const first = Math.ceil(octaves.at(some[0] ?? 1) - 1e-9);
  const last = Math.floor(octaves.at(some[some.length - 1] ?? 1) + 1e-9);
  if (last - first < 1) return there.filter((_, i) => i % Math.ceil(there.length / (most + 1)) === 0);
  const zero = there[0] === 0;
  const begin = zero ? octaves.at(0) : first;
  const step = [1, 2, 3, 4, 5, 10].find((one) => (last - begin) / one <= most) ?? 20;
  const ticks = zero ? [0] : [];
  for (let power = first; power <= last; power += step) if (!zero || power - begin >= step) ticks.push(2 ** power);
  return ticks;
}

/** `text`: a value, with enough digits to differ from one that is `step` away. */
interface AxisWords {
  name: string;
  text: (value: number, step: number) => string;
  pad?: number;
}

/** An axis that has other ticks where it is zoomed, given where the visible part begins and ends. */
export interface Zoomable {
  min: number;
  max: number;
  between: (low: number, high: number) => object;
}
type Axis = Zoomable & Record<string, unknown>;

/** An axis whose places are already on a scale; ticks are in values, for a part of the axis in places. */
function axis(
  scale: Scale,
  low: number,
  high: number,
  ticksOf: (low: number, high: number) => number[],
  words: AxisWords,
): Axis {
  const colours = theme();
  const between = (from: number, to: number): { axisTick: object; axisLabel: object; splitLine: object } => {
    const ticks = ticksOf(from, to);
    const places = ticks.map((tick) => scale.at(tick));
    const step = ticks.slice(1).reduce((best, tick, i) => Math.min(best, tick - (ticks[i] as number)), Infinity);
    return {
      axisTick: { show: true, customValues: places, lineStyle: { color: colours.line } },
      axisLabel: {
        customValues: places,
        color: colours.muted,
        hideOverlap: true,
        formatter: (at: number) => words.text(scale === linear ? at : snapped(scale.value(at), ticks), step),
      },
      splitLine: { show: true, customValues: places, lineStyle: { color: colours.grid } },
    };
  };
  return {
    type: 'value',
    min: low,
    max: high,
    between,
    name: words.name,
    nameLocation: 'middle',
    nameTextStyle: { color: colours.muted, fontSize: 12 },
    axisLine: { show: true, onZero: false, lineStyle: { color: colours.line } },
    minorTick: { show: false },
    ...between(low, high),
  };
}

const snapped = (value: number, ticks: number[]): number =>
  ticks.reduce((best, tick) => (Math.abs(tick - value) < Math.abs(best - value) ? tick : best), ticks[0] ?? value);

const ends = (values: number[]): [number, number] => {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [1, 10];
};

export function decadeAxis(values: number[], words: AxisWords): Axis {
  let [low, high] = ends(values.filter((value) => value > 0));
  if (high / low < 1.02) {
    low *= 0.98;
    high *= 1.02;
  }
  const room = Math.max((decades.at(high) - decades.at(low)) * (words.pad ?? 0.06), 1e-4);
  const from = decades.at(low) - room;
  const to = decades.at(high) + room;
  return axis(decades, from, to, (low, high) => roundTicks(10 ** low, 10 ** high), words);
}

/** `width`: of the chart, which limits the number of labels. */
export function sizeAxis(sizes: number[], width: number, words: AxisWords): Axis {
  const [first, last] = ends(sizes);
  const ticks = (low: number, high: number): number[] =>
    sizeTicks(
      sizes.filter((size) => octaves.at(size) >= low && octaves.at(size) <= high),
      width,
    );
  return axis(octaves, octaves.at(first) - 0.4, octaves.at(last) + 0.4, ticks, words);
}

/** The very numbers that are there: process counts are few. */
export function procsAxis(procs: number[], words: AxisWords): Axis {
  const [low, high] = ends(procs);
  return axis(octaves, octaves.at(low) - 0.3, octaves.at(high) + 0.3, () => [...new Set(procs)], words);
}

export function linearAxis(values: number[], words: AxisWords): Axis {
  let [low, high] = ends(values);
  if (high === low) high = low + 1;
  const room = (high - low) * (words.pad ?? 0.04);
  return axis(linear, low - room, high + room, evenTicks, words);
}

/** From nothing to what is there. */
export function countAxis(largest: number, words: AxisWords): Axis {
  const high = largest > 0 ? largest * 1.06 : 1;
  return axis(linear, 0, high, evenTicks, words);
}

/** The same of what is counted one by one: no ticks between whole numbers. */
export function wholeAxis(largest: number, words: AxisWords): Axis {
  const high = largest > 0 ? largest * 1.06 : 1;
  return axis(linear, 0, high, (from, to) => evenTicks(from, to).filter(Number.isInteger), words);
}
