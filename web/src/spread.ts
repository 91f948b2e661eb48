// Times on a grid: of what counts or of any processes; their quantiles, and bars to look at.
import type { Scale } from './axes';
import { type Distribution, type Grid, type Spread, unpack } from './data';

export type Whose = 'counted' | 'all' | 'some';

/** Ranks as `0,4-7`; null if it cannot be read. */
export function parseRanks(text: string): Set<number> | null {
  const found = new Set<number>();
  for (const part of text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)) {
    const match = /^(\d{1,7})(?:\s*-\s*(\d{1,7}))?$/.exec(part);
    if (!match) return null;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (last < first || last - first > 100000) return null;
    for (let rank = first; rank <= last; rank++) found.add(rank);
  }
  return found.size > 0 ? found : null;
}

/** `exact`: the quantiles that are known better than to a bin, at least the smallest and the largest time. */
export interface Times {
  bins: Grid;
  counts: Float64Array;
  total: number;
  exact: Map<number, number>;
}

const decoded = new WeakMap<Spread, Map<string, Times>>();

/** The times that are wanted. What counts has a grid of its own; processes have one together. */
export function timesOf(spread: Spread, whose: Whose, some: Set<number>): Times {
  const key = whose === 'some' ? [...some].join() : whose;
  let known = decoded.get(spread);
  if (!known) decoded.set(spread, (known = new Map()));
  let times = known.get(key);
  if (!times)
    known.set(
      key,
      (times =
        whose === 'counted' || !spread.ranks
          ? counted(spread)
          : ofRanks(spread.ranks, (rank) => whose === 'all' || some.has(rank))),
    );
  return times;
}

const sum = (counts: Float64Array): number => counts.reduce((all, one) => all + one, 0);

function counted(spread: Spread): Times {
  const counts = unpack(spread.counts, spread.bins);
  return { bins: spread, counts, total: sum(counts), exact: new Map(spread.quantiles) };
}

function ofRanks(ranks: NonNullable<Spread['ranks']>, wanted: (rank: number) => boolean): Times {
  const places = ranks.rank.flatMap((rank, i) => (wanted(rank) ? [i] : []));
  const counts = new Float64Array(ranks.bins);
  for (const place of places)
    unpack(ranks.counts[place] as string, ranks.bins).forEach((count, bin) => {
      (counts[bin] as number) += count;
    });
  const exact = new Map([
    [0, places.reduce((least, place) => Math.min(least, ranks.min_ns[place] as number), Infinity)],
    [1, places.reduce((most, place) => Math.max(most, ranks.max_ns[place] as number), 0)],
  ]);
  const [only, more] = places;
  if (only !== undefined && more === undefined)
    exact.set(0.5, ranks.median_ns[only] as number).set(0.99, ranks.p99_ns[only] as number);
  return { bins: ranks, counts, total: sum(counts), exact };
}

export const edge = (grid: Grid, bin: number): number => grid.low_ns * grid.ratio ** bin;

/** Bins below which a share of the counts lies: those of a bin are taken to lie evenly within it. */
export function binsBelow({ counts, total }: Times, share: number): number {
  let below = 0;
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin] as number;
    if (count > 0 && below + count >= share * total) return bin + Math.max(0, share * total - below) / count;
    below += count;
  }
  return counts.length;
}

/** Time below which a share lies. */
export const quantile = (times: Times, share: number): number =>
  times.exact.get(share) ??
  Math.max(
    times.exact.get(0) as number,
    Math.min(times.exact.get(1) as number, edge(times.bins, binsBelow(times, share))),
  );

type Dense = Distribution['density'][number];

/**
 * A density as the share of times that a bar around each place would hold: on the same axis as the bars, and never
 * more than all of them, however much narrower than a bar the density is.
 */
export function smooth(density: Distribution['density'], scale: Scale, width: number): [number, number][] {
  const shares: number[] = [0];
  for (let i = 1; i < density.length; i++) {
    const [before, one] = [density[i - 1] as Dense, density[i] as Dense];
    shares.push(
      (shares[i - 1] as number) + ((before.density_per_ns + one.density_per_ns) / 2) * (one.at_ns - before.at_ns),
    );
  }
  /** The share below a time, between the places that are known. */
  const below = (time: number): number => {
    const next = density.findIndex((one) => one.at_ns >= time);
    if (next <= 0) return next === 0 ? 0 : (shares[shares.length - 1] as number);
    const [low, high] = [density[next - 1] as Dense, density[next] as Dense];
    const part = (time - low.at_ns) / Math.max(high.at_ns - low.at_ns, 1e-12);
    return (shares[next - 1] as number) * (1 - part) + (shares[next] as number) * part;
  };
  return density.map((one) => {
    const at = scale.at(one.at_ns);
    return [at, Math.min(1, below(scale.value(at + width / 2)) - below(scale.value(at - width / 2)))];
  });
}

export interface Bar {
  from: number;
  to: number;
  count: number;
}

/** Bins to look at: few, of one width on the scale. What a fine bin holds is shared out evenly over its width. */
export function bars({ bins: grid, counts }: Times, scale: Scale, from: number, to: number): Bar[] {
  // Never finer than the grid itself at the lower end.
  const finest = scale.at(edge(grid, 1)) - scale.at(edge(grid, 0));
  const whole = Math.max(scale.at(to) - scale.at(from), 1e-12);
  const shown = Math.max(1, Math.min(60, Math.floor(whole / finest + 1e-6)));
  const width = whole / shown;
  const found = Array.from({ length: shown }, (_, i): Bar => ({
    from: scale.at(from) + i * width,
    to: scale.at(from) + (i + 1) * width,
    count: 0,
  }));
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin] as number;
    if (count === 0) continue;
    const [low, high] = [scale.at(edge(grid, bin)), scale.at(edge(grid, bin + 1))];
    const first = Math.max(0, Math.floor((low - scale.at(from)) / width + 1e-9));
    for (let i = first; i < shown; i++) {
      const bar = found[i] as Bar;
      const part = Math.min(high, bar.to) - Math.max(low, bar.from);
      if (part <= 0) break;
      bar.count += (count * part) / (high - low);
    }
  }
  return found;
}
