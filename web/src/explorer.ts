// How the times of one point spread: histogram and distribution function side by side, of what counts or of any processes.
import { countAxis, decadeAxis, decades, linear, linearAxis, type Scale } from './axes';
import { type Grid, type Point, type Run, type Spread, unpack } from './data';
import { h, labelled, select } from './dom';
import { type Drawing, Figure, grid, legend, mark, tooltip } from './figure';
import * as format from './format';
import type { Section } from './section';
import { cell } from './table';
import { theme } from './theme';

type Whose = 'counted' | 'all' | 'some';

/** Ranks as `0,4-7`; null if it cannot be read. */
export function parseRanks(text: string): Set<number> | null {
  const found = new Set<number>();
  for (const part of text.split(',').map((one) => one.trim()).filter(Boolean)) {
    const match = /^(\d{1,7})(?:\s*-\s*(\d{1,7}))?$/.exec(part);
    if (!match) return null;
    const [first, last] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (last < first || last - first > 100000) return null;
    for (let rank = first; rank <= last; rank++) found.add(rank);
  }
  return found.size > 0 ? found : null;
}

const decoded = new WeakMap<Spread, Map<string, Float64Array>>();

/** What counts has a grid of its own; processes have one together. */
const gridOf = (spread: Spread, whose: Whose): Grid => (whose === 'counted' ? spread : spread.ranks);

/** Counts on that grid, of the ranks that are wanted. */
function countsOf(spread: Spread, whose: Whose, some: Set<number>): Float64Array {
  const key = whose === 'some' ? [...some].join() : whose;
  let known = decoded.get(spread);
  if (!known) decoded.set(spread, known = new Map());
  let counts = known.get(key);
  if (!counts) {
    const { bins } = spread.ranks;
    counts = new Float64Array(bins);
    if (whose === 'counted') counts = unpack(spread.counts, spread.bins);
    else {
      for (let i = 0; i < spread.ranks.rank.length; i++) {
        if (whose === 'some' && !some.has(spread.ranks.rank[i] as number)) continue;
        const own = unpack(spread.ranks.counts[i] as string, bins);
        for (let bin = 0; bin < bins; bin++) (counts[bin] as number) += own[bin] as number;
      }
    }
    known.set(key, counts);
  }
  return counts;
}

const edge = (grid: Grid, bin: number): number => grid.low_ns * grid.ratio ** bin;

/** Time below which a share of the counts lies, to the width of a bin. */
function quantile(grid: Grid, counts: Float64Array, share: number): number {
  const total = counts.reduce((sum, one) => sum + one, 0);
  let below = 0;
  for (let bin = 0; bin < counts.length; bin++) {
    below += counts[bin] as number;
    if (below >= share * total) return edge(grid, bin + 1);
  }
  return edge(grid, counts.length);
}

interface Bar { from: number; to: number; count: number }

/** Bins to look at: few, of one width on the scale. What a fine bin holds is shared out evenly over its width. */
function bars(grid: Grid, counts: Float64Array, scale: Scale, from: number, to: number): Bar[] {
  // Never finer than the grid itself at the lower end.
  const finest = scale.at(edge(grid, 1)) - scale.at(edge(grid, 0));
  const whole = Math.max(scale.at(to) - scale.at(from), 1e-12);
  const shown = Math.max(1, Math.min(60, Math.floor(whole / finest + 1e-6)));
  const width = whole / shown;
  const found = Array.from({ length: shown }, (_, i): Bar => ({ from: scale.at(from) + i * width, to: scale.at(from) + (i + 1) * width, count: 0 }));
  for (let bin = 0; bin < counts.length; bin++) {
    const count = counts[bin] as number;
    if (count === 0) continue;
    const [low, high] = [scale.at(edge(grid, bin)), scale.at(edge(grid, bin + 1))];
    const first = Math.max(0, Math.floor((low - scale.at(from)) / width + 1e-9));
    for (let i = first; i < shown; i++) {
      const bar = found[i] as Bar;
      const part = Math.min(high, bar.to) - Math.max(low, bar.from);
      if (part <= 0) break;
      bar.count += count * part / (high - low);
    }
  }
  return found;
}

interface Shown { run: Run; point: Point; spread: Spread; bins: Grid; counts: Float64Array; total: number; colour: string }

/** The explorer of a section: its controls and two linked charts. */
export function explorer(section: Section): { controls: HTMLElement; figures: Figure[] } | undefined {
  if (!section.placed.some(({ point }) => point.spread)) return undefined;
  let whose: Whose = 'counted';
  let some = new Set<number>([0]);
  let scale: Scale = decades;
  // Where a few times are very long, the others would all be in one bar.
  const ends = new Map(section.point()?.spread?.quantiles);
  let upTo = (ends.get(1) ?? 1) > 10 * (ends.get(0.99) ?? 1) ? 0.99 : 1;

  const shown = (): Shown[] => section.runs.flatMap((run, i) => {
    const point = section.point(run);
    if (!point?.spread) return [];
    const counts = countsOf(point.spread, whose, some);
    const total = counts.reduce((sum, one) => sum + one, 0);
    const colours = theme().series;
    return total > 0 ? [{ run, point, spread: point.spread, bins: gridOf(point.spread, whose), counts, total, colour: colours[i % colours.length] as string }] : [];
  });
  const what = (): string => {
    const point = section.point();
    const words = { max: 'the slowest process', root: 'the first process', mean: 'the mean over processes', min: 'the fastest process',
      span: 'first start to last end' } as Record<string, string>;
    return whose === 'counted' ? words[point?.over_ranks ?? ''] ?? 'what counts' : whose === 'all' ? 'all processes'
      : `${some.size === 1 ? 'rank' : 'ranks'} ${format.ranks([...some].sort((a, b) => a - b))}`;
  };
  const place = (): string => `${section.sized ? `${format.bytes(section.size)}, ` : ''}${format.processes(section.proc)}, ${what()}`;
  const range = (all: Shown[]): [number, number] => {
    const occupied = all.map((one) => {
      const first = one.counts.findIndex((count) => count > 0);
      return [edge(one.bins, first), upTo < 1 ? quantile(one.bins, one.counts, upTo) : quantile(one.bins, one.counts, 1)] as const;
    });
    return [Math.min(...occupied.map(([low]) => low)), Math.max(...occupied.map(([, high]) => high))];
  };
  const timeAxis = ([low, high]: [number, number]): object =>
    ({ ...(scale === decades ? decadeAxis : linearAxis)([low, high], { name: 'time', text: format.timeTick, pad: 0.02 }), nameGap: 28 });
  const nothing = (): Drawing => ({ summary: `No times of ${place()}.`, option: {}, table: { name: 'none', columns: [], rows: [] } });
  const modes = (): object[] => (whose === 'counted' ? section.point()?.distribution?.modes ?? [] : []).map((mode) =>
    mark(scale.at(mode.at_ns), '', theme().muted));

  const histogram = (): Drawing => {
    const all = shown();
    if (all.length === 0) return nothing();
    const ends = range(all);
    const sets = all.map((one) => bars(one.bins, one.counts, scale, ends[0], ends[1]));
    const share = (one: Shown, bar: Bar): number => bar.count / one.total;
    const largest = Math.max(...all.flatMap((one, i) => (sets[i] as Bar[]).map((bar) => share(one, bar))));
    const first = all[0] as Shown;
    const exact = whose === 'counted' ? new Map(first.spread.quantiles) : undefined;
    const at = (q: number): string => format.time(exact?.get(q) ?? quantile(first.bins, first.counts, q));
    return {
      summary: `${place()}: ${format.count(first.total)} times, median ${at(0.5)}, middle half ${at(0.25)} to ${at(0.75)}, 99 % below ${at(0.99)}, the largest ${at(1)}. ` +
        (upTo < 1 ? `Shown up to ${format.percent(upTo)}. ` : '') +
        (whose === 'counted' ? first.point.distribution?.text ?? '' : ''),
      option: {
        grid: grid(all.length), legend: legend(all.map((one) => one.run.name)),
        xAxis: timeAxis(ends), yAxis: countAxis(largest, { name: '', text: format.percent }),
        tooltip: tooltip({ trigger: 'item', formatter: (hit: { seriesName: string; data: number[] }) =>
          `${format.time(scale.value(hit.data[0] as number))} .. ${format.time(scale.value(hit.data[1] as number))}\n` +
          `${format.percent(hit.data[2])} of ${format.count(all.find((one) => one.run.name === hit.seriesName)?.total ?? 0)} times` }),
        series: all.map((one, i) => ({
          type: 'custom', clip: true, name: one.run.name, itemStyle: { color: one.colour }, encode: { x: [0, 1], y: 2 },
          data: (sets[i] as Bar[]).filter((bar) => bar.count > 0).map((bar) => [bar.from, bar.to, share(one, bar)]),
          renderItem: (_: unknown, api: { value(i: number): number; coord(at: number[]): number[] }) => {
            const [left, top] = api.coord([api.value(0), api.value(2)]) as [number, number];
            const [right, bottom] = api.coord([api.value(1), 0]) as [number, number];
            return { type: 'rect', shape: { x: left, y: top, width: Math.max(1, right - left - 0.5), height: bottom - top },
              style: { fill: one.colour, opacity: all.length > 1 ? 0.55 : 0.85 } };
          },
          markLine: i === 0 ? { silent: true, symbol: 'none', data: modes() } : undefined,
        })),
      },
      table: {
        name: `${section.operation}-histogram`,
        columns: [{ title: 'run', word: true }, { title: 'from_ns' }, { title: 'to_ns' }, { title: 'share' }],
        rows: all.flatMap((one, i) => (sets[i] as Bar[]).map((bar) => [cell(one.run.name), cell(format.time(scale.value(bar.from)), scale.value(bar.from)),
          cell(format.time(scale.value(bar.to)), scale.value(bar.to)), cell(format.percent(share(one, bar)), share(one, bar))])),
      },
    };
  };

  const steps = (one: Shown, high: number): [number, number][] => {
    const found: [number, number][] = [];
    let below = 0;
    for (let bin = 0; bin < one.counts.length; bin++) {
      const count = one.counts[bin] as number;
      if (found.length === 0 && count > 0) found.push([edge(one.bins, bin), 0]);
      below += count;
      if (found.length > 0 && edge(one.bins, bin + 1) <= high * 1.000001) found.push([edge(one.bins, bin + 1), below / one.total]);
    }
    return found;
  };
  const cumulative = (): Drawing => {
    const all = shown();
    if (all.length === 0) return nothing();
    const ends = range(all);
    const first = all[0] as Shown;
    const exact = whose === 'counted';
    const shares = [0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];
    const at = (one: Shown, q: number): number =>
      (exact ? one.spread.quantiles.find(([share]) => share === q)?.[1] : undefined) ?? quantile(one.bins, one.counts, q);
    return {
      summary: `${place()}: half of the times are below ${format.time(at(first, 0.5))}, 9 of 10 below ${format.time(at(first, 0.9))}, all below ` +
        `${format.time(at(first, 1))}.`,
      option: {
        grid: grid(all.length), legend: legend(all.map((one) => one.run.name)),
        xAxis: timeAxis(ends), yAxis: { ...linearAxis([0, 1], { name: '', text: format.percent, pad: 0 }), max: 1.02 },
        tooltip: tooltip({ trigger: 'axis', formatter: (hit: { seriesName: string; data: number[] }[]) =>
          hit.map((one) => `${all.length > 1 ? `${one.seriesName}: ` : ''}${format.percent(one.data[1])} at or below ` +
            format.time(scale.value(one.data[0] as number))).join('\n') }),
        series: all.map((one, i) => ({
          type: 'line', name: one.run.name, symbol: 'none', color: one.colour, lineStyle: { width: 2, color: one.colour },
          data: steps(one, ends[1]).map(([time, share]) => [scale.at(time), share]),
          markLine: i === 0 ? { silent: true, symbol: 'none', data: [mark(scale.at(at(first, 0.5)), 'median', theme().muted),
            mark(scale.at(at(first, 0.99)), '99 %', theme().muted)] } : undefined,
        })),
      },
      table: {
        name: `${section.operation}-quantiles`,
        columns: [{ title: 'run', word: true }, { title: 'share' }, { title: exact ? 'time_ns' : 'time_at_most_ns' }],
        rows: all.flatMap((one) => shares.map((q) => [cell(one.run.name), cell(format.percent(q), q), cell(format.time(at(one, q)), at(one, q))])),
      },
    };
  };

  const pick = { keys: (step: number) => section.step(step) };
  const figures = [new Figure('Histogram', histogram, pick), new Figure('Distribution function', cumulative, pick)];
  const redraw = (): void => figures.forEach((figure) => figure.refresh());
  const input = h('input', { type: 'text', size: 9, placeholder: '0,4-7', value: '0', 'aria-describedby': 'ranks-help' });
  input.addEventListener('input', () => {
    const wanted = parseRanks(input.value);
    input.setAttribute('aria-invalid', String(!wanted));
    if (wanted) {
      some = wanted;
      redraw();
    }
  });
  const someRanks = labelled('ranks', input);
  someRanks.hidden = true;
  const controls = h('div', { class: 'controls explorer' },
    labelled('Times of', select<Whose>([['what counts', 'counted'], ['all processes', 'all'], ['some processes', 'some']], whose, (wanted) => {
      whose = wanted;
      someRanks.hidden = whose !== 'some';
      redraw();
    })), someRanks,
    labelled('Axis', select<Scale>([['logarithmic', decades], ['linear', linear]], scale, (wanted) => {
      scale = wanted;
      redraw();
    })),
    labelled('Range', select<number>([['all times', 1], ['up to 99 %', 0.99], ['up to 90 %', 0.9]], upTo, (wanted) => {
      upTo = wanted;
      redraw();
    })));
  return { controls, figures };
}
