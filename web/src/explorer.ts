// The distribution of one point's times: histogram and distribution function side by side, of what counts or of any processes.
import { countAxis, decadeAxis, decades, linear, linearAxis, type Scale } from './axes';
import type { Point, Run } from './data';
import { h, labelled, newId, select } from './dom';
import { type Drawing, Figure, nothing } from './figure';
import * as format from './format';
import { runColour } from './look';
import { grid, legend, mark, marks, tooltip } from './pieces';
import type { Section } from './section';
import {
  type Bar,
  type Times,
  type Whose,
  bars,
  binsBelow,
  edge,
  parseRanks,
  quantile,
  smooth,
  timesOf,
} from './spread';
import { cell, timeCell } from './table';
import { theme } from './theme';
import { zoom } from './zoom';

interface Shown extends Times {
  run: Run;
  point: Point;
  colour: string;
}

/** Where the longest time exceeds the median by this factor, the tail is what a reader wants to know about. */
const heavyTail = 10;

const ranksWords = (ranks: Set<number>): string =>
  `${ranks.size === 1 ? 'rank' : 'ranks'} ${format.ranks([...ranks].sort((a, b) => a - b))}`;

/** The explorer of a section: its controls and two linked charts. */
export function explorer(section: Section): { controls: HTMLElement; figures: Figure[] } | undefined {
  if (!section.spreads) return undefined;
  let whose: Whose = 'counted';
  let some = new Set<number>([0]);
  let wrong = false;
  let scale: Scale = decades;
  // Where a few times are very long, the others would all be in one bar, and at the top of a distribution function.
  const ends = new Map(section.point()?.spread?.quantiles);
  const tail = (from: number): boolean => (ends.get(1) ?? 1) > heavyTail * (ends.get(from) ?? 1);
  let beyond = tail(0.5);
  let upTo = tail(0.99) ? 0.99 : 1;

  const shown = (): Shown[] =>
    section.runs.flatMap((run) => {
      const point = section.point(run);
      const times = point?.spread && (whose === 'counted' || point.spread.ranks) && timesOf(point.spread, whose, some);
      return point && times && times.total > 0 ? [{ ...times, run, point, colour: runColour(section, run) }] : [];
    });
  const what = (): string => {
    const point = section.point();
    const words = {
      max: 'the slowest process',
      root: 'the first process',
      mean: 'the mean over processes',
      median: 'the median over processes',
      min: 'the fastest process',
      span: 'first start to last end',
      each: 'each process',
    } as Record<string, string>;
    return whose === 'counted'
      ? (words[point?.over_ranks ?? ''] ?? 'what counts')
      : whose === 'all'
        ? 'all processes'
        : ranksWords(some) + (wrong ? ' (not the reported value)' : '');
  };
  const place = (): string => `${section.place}, ${what()}`;
  /** The text on the picked run. */
  const summary = (all: Shown[], words: (of: Shown) => string): string => {
    const of = all.find((one) => one.run === section.run);
    return of ? `${place()}: ${words(of)}` : `No times of ${place()}.`;
  };
  const described = (of: Shown, share: number): string =>
    `${of.exact.has(share) ? '' : 'about '}${format.time(quantile(of, share))}`;
  const range = (all: Shown[], share = upTo): [number, number] => {
    const occupied = all.map((one) => {
      const first = one.counts.findIndex((count) => count > 0);
      return [edge(one.bins, first), edge(one.bins, Math.ceil(binsBelow(one, share)))] as const;
    });
    return [Math.min(...occupied.map(([low]) => low)), Math.max(...occupied.map(([, high]) => high))];
  };
  const timeAxis = ([low, high]: [number, number]): object => ({
    ...(scale === decades ? decadeAxis : linearAxis)([low, high], { name: 'time', text: format.timeTick, pad: 0.02 }),
    nameGap: 28,
  });
  const modes = (): object[] =>
    (whose === 'counted' ? (section.point()?.distribution?.modes ?? []) : []).map((mode) =>
      mark(scale.at(mode.at_ns), '', theme().muted),
    );

  const histogram = (): Drawing => {
    const all = shown();
    if (all.length === 0) return nothing(`No times of ${place()}.`);
    const ends = range(all);
    const sets = all.map((one) => bars(one, scale, ends[0], ends[1]));
    const share = (one: Shown, bar: Bar): number => bar.count / one.total;
    const width = ([first]: Bar[]): number => (first ? first.to - first.from : 0);
    const lines = all.map((one, i) =>
      whose !== 'counted'
        ? []
        : smooth(one.point.distribution?.density ?? [], scale, width(sets[i] as Bar[])).filter(
            ([at]) => at >= scale.at(ends[0]) && at <= scale.at(ends[1]),
          ),
    );
    const largest = Math.max(
      ...all.flatMap((one, i) => [
        ...(sets[i] as Bar[]).map((bar) => share(one, bar)),
        ...(lines[i] as [number, number][]).map(([, y]) => y),
      ]),
    );
    /** With enough digits that neighbours differ. */
    const edges = (from: number, to: number): [string, string] => {
      const [low, high] = [scale.value(from), scale.value(to)];
      return [format.time(low, high - low), format.time(high, high - low)];
    };
    return {
      summary: summary(
        all,
        (of) =>
          `${format.plural(of.total, 'time')}, median ${described(of, 0.5)}, middle half ${described(of, 0.25)} to ${described(of, 0.75)}, ` +
          `99 % below ${described(of, 0.99)}, the largest ${described(of, 1)}. ` +
          (upTo < 1 ? `Shown up to ${format.percent(upTo)}. ` : '') +
          (whose === 'counted' && of.point.distribution?.density.length ? 'The line is the kernel density. ' : '') +
          (whose === 'counted' ? (of.point.distribution?.text ?? '') : ''),
      ),
      option: {
        grid: grid(all.length, { outerBoundsMode: 'none' }),
        legend: legend(all.map((one) => one.run.name)),
        dataZoom: [zoom()],
        xAxis: timeAxis(ends),
        yAxis: { ...countAxis(largest, { name: 'share of times in a bar', text: format.percent }), nameGap: 48 },
        tooltip: tooltip({
          trigger: 'item',
          formatter: (hit: { seriesIndex: number; seriesName: string; data: number[] }) =>
            `${section.several ? `${hit.seriesName}\n` : ''}${edges(hit.data[0] as number, hit.data[1] as number).join(' .. ')}\n` +
            `${format.percent(hit.data[2])} of ${format.plural(all[hit.seriesIndex]?.total ?? 0, 'time')}`,
        }),
        series: [
          ...all.map((one, i) => ({
            type: 'custom',
            clip: true,
            name: one.run.name,
            itemStyle: { color: one.colour },
            encode: { x: [0, 1], y: 2 },
            data: (sets[i] as Bar[]).filter((bar) => bar.count > 0).map((bar) => [bar.from, bar.to, share(one, bar)]),
            renderItem: (_: unknown, api: { value(i: number): number; coord(at: number[]): number[] }) => {
              const [left, top] = api.coord([api.value(0), api.value(2)]) as [number, number];
              const [right, bottom] = api.coord([api.value(1), 0]) as [number, number];
              return {
                type: 'rect',
                shape: { x: left, y: top, width: Math.max(1, right - left - 0.5), height: bottom - top },
                style: { fill: one.colour, opacity: all.length > 1 ? 0.55 : 0.85 },
              };
            },
          })),
          ...all.map((one, i) => ({
            type: 'line',
            name: one.run.name,
            silent: true,
            symbol: 'none',
            tooltip: { show: false },
            data: lines[i],
            lineStyle: { width: 1.5, color: all.length > 1 ? one.colour : theme().text },
          })),
          marks(modes()),
        ],
      },
      table: {
        name: `${section.operation}-histogram`,
        columns: [{ title: 'run', word: true }, { title: 'from_ns' }, { title: 'to_ns' }, { title: 'share' }],
        rows: all.flatMap((one, i) =>
          (sets[i] as Bar[]).map((bar) => {
            const [from, to] = edges(bar.from, bar.to);
            return [
              cell(one.run.name),
              cell(from, scale.value(bar.from)),
              cell(to, scale.value(bar.to)),
              cell(format.percent(share(one, bar)), share(one, bar)),
            ];
          }),
        ),
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
      if (found.length > 0 && edge(one.bins, bin + 1) <= high * 1.000001)
        found.push([edge(one.bins, bin + 1), below / one.total]);
    }
    return found;
  };
  const cumulative = (): Drawing => {
    const all = shown();
    if (all.length === 0) return nothing(`No times of ${place()}.`);
    // A share beyond is about the longest times.
    const ends = range(all, beyond ? 1 : upTo);
    const picked = all.find((one) => one.run === section.run);
    const shares = [0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];
    return {
      summary: summary(
        all,
        (of) =>
          `half of the times are below ${described(of, 0.5)}, 9 of 10 below ${described(of, 0.9)}, none above ${described(of, 1)}.` +
          (beyond ? ' Shown is the share beyond a time, on a logarithmic scale.' : ''),
      ),
      option: {
        grid: grid(all.length, { outerBoundsMode: 'none' }),
        legend: legend(all.map((one) => one.run.name)),
        dataZoom: [zoom()],
        xAxis: timeAxis(ends),
        yAxis: {
          ...(beyond
            ? decadeAxis([1, ...all.map((one) => 1 / one.total)], {
                name: 'share of times beyond',
                text: format.percent,
              })
            : {
                ...linearAxis([0, 1], { name: 'share of times at or below', text: format.percent, pad: 0 }),
                max: 1.02,
              }),
          nameGap: 48,
        },
        tooltip: tooltip({
          trigger: 'axis',
          formatter: (hit: { seriesIndex: number; seriesName: string; data: number[] }[]) =>
            hit
              .map((one) => {
                const time = scale.value(one.data[0] as number);
                return (
                  `${section.several ? `${one.seriesName}: ` : ''}${format.percent(beyond ? decades.value(one.data[1] as number) : one.data[1])} ` +
                  `${beyond ? 'beyond' : 'at or below'} ` +
                  format.time(time, time * ((all[one.seriesIndex]?.bins.ratio ?? 2) - 1))
                );
              })
              .join('\n'),
        }),
        series: [
          ...all.map((one) => ({
            type: 'line',
            name: one.run.name,
            symbol: 'none',
            color: one.colour,
            lineStyle: { width: 2, color: one.colour },
            data: beyond
              ? steps(one, ends[1])
                  .filter(([, share]) => share < 1)
                  .map(([time, share]) => [scale.at(time), decades.at(1 - share)])
              : steps(one, ends[1]).map(([time, share]) => [scale.at(time), share]),
          })),
          marks(
            picked
              ? [
                  mark(scale.at(quantile(picked, 0.5)), 'median', theme().muted),
                  mark(scale.at(quantile(picked, 0.99)), '99 %', theme().muted, { right: true }),
                ]
              : [],
          ),
        ],
      },
      table: {
        name: `${section.operation}-quantiles`,
        columns: [
          { title: 'run', word: true },
          { title: 'share' },
          { title: 'time_ns' },
          { title: 'exact', word: true },
        ],
        rows: all.flatMap((one) =>
          shares.map((share) => [
            cell(one.run.name),
            cell(format.percent(share), share),
            timeCell(quantile(one, share)),
            cell(one.exact.has(share) ? 'yes' : 'to a bin'),
          ]),
        ),
      },
    };
  };

  const figures = [
    new Figure('Histogram', histogram, section.arrows),
    new Figure('Distribution function', cumulative, section.arrows),
  ];
  const redraw = (): void => figures.forEach((figure) => figure.refresh());
  const help = h('span', { id: newId(), class: 'muted', role: 'status' });
  const input = h('input', { type: 'text', size: 9, placeholder: '0,4-7', value: '0', 'aria-describedby': help.id });
  /** Applies the ranks entered; on an error, shows it and keeps the previous ones, as far as they exist. */
  const take = (): void => {
    const wanted = parseRanks(input.value);
    const there = new Set(section.runs.flatMap((run) => section.point(run)?.spread?.ranks?.rank ?? []));
    const missing = new Set([...(wanted ?? [])].filter((rank) => !there.has(rank)));
    wrong = !wanted || missing.size > 0;
    const kept = [...some].filter((rank) => there.has(rank));
    some = wanted && !wrong ? wanted : new Set(kept.length > 0 ? kept : [...there].slice(0, 1));
    input.setAttribute('aria-invalid', String(wrong));
    help.textContent =
      (!wanted
        ? 'This is not a list of ranks. Write one as 0,4-7.'
        : wrong
          ? `There is no ${ranksWords(missing)} here.`
          : 'Numbers and ranges, such as 0,4-7') + (wrong ? ` Shown: ${ranksWords(some)}.` : '');
  };
  take();
  section.changed(take);
  input.addEventListener('input', () => {
    take();
    redraw();
  });
  const someRanks = labelled('ranks', input);
  someRanks.append(help);
  someRanks.hidden = true;
  const controls = h(
    'div',
    { class: 'controls explorer' },
    labelled(
      'Times of',
      select<Whose>(
        [
          ['what counts', 'counted'],
          ...(section.placed.some(({ point }) => point.spread?.ranks)
            ? ([
                ['all processes', 'all'],
                ['some processes', 'some'],
              ] as [string, Whose][])
            : []),
        ],
        whose,
        (wanted) => {
          whose = wanted;
          someRanks.hidden = whose !== 'some';
          redraw();
        },
      ),
    ),
    someRanks,
    labelled(
      'Axis',
      select<Scale>(
        [
          ['logarithmic', decades],
          ['linear', linear],
        ],
        scale,
        (wanted) => {
          scale = wanted;
          redraw();
        },
      ),
    ),
    labelled(
      'Function',
      select<boolean>(
        [
          ['share at or below', false],
          ['share beyond, logarithmic', true],
        ],
        beyond,
        (wanted) => {
          beyond = wanted;
          redraw();
        },
      ),
    ),
    labelled(
      'Range',
      select<number>(
        [
          ['all times', 1],
          ['up to 99 %', 0.99],
          ['up to 90 %', 0.9],
        ],
        upTo,
        (wanted) => {
          upTo = wanted;
          redraw();
        },
      ),
    ),
  );
  return { controls, figures };
}
