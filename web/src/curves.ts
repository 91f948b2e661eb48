// Time and bandwidth against size and processes.
import { decadeAxis, decades, endsAt, octaves, procsAxis, sizeAxis } from './axes';
import type { Point } from './data';
import { Figure, type Drawing, nothing } from './figure';
import * as format from './format';
import { keyCells, keyColumns, lineWith, look, runColour, runSymbol } from './look';
import { type Whisker, beyondAxis, grid, legend, mark, marks, tooltip, unknownWords, whiskers } from './pieces';
import { type Section, type Series, ci, value } from './section';
import { cell, endCells } from './table';
import { theme } from './theme';
import { zoom } from './zoom';

interface What {
  /** Of a point; null where it has none. */
  y: (point: Point) => number | null;
  ends: (point: Point) => [number, number] | null;
  text: (value: number) => string;
  tick: (value: number, step: number) => string;
  axis: string;
  unit: string;
}

const times: What = {
  y: (point) => (value(point) > 0 ? value(point) : null),
  ends: ci,
  text: format.time,
  tick: format.timeTick,
  axis: 'time',
  unit: 'ns',
};
/** The rate is taken from the value, so its interval is that of the time, turned round. */
const rates: What = {
  y: (point) => point.rate_bytes_per_s ?? null,
  ends: (point) => {
    const ends = ci(point);
    const rate = point.rate_bytes_per_s;
    if (!ends || !rate) return null;
    // A time down to zero is a rate without an end.
    return [(rate * value(point)) / ends[1], ends[0] > 0 ? (rate * value(point)) / ends[0] : Infinity];
  },
  text: format.rate,
  tick: format.rateTick,
  axis: 'bandwidth',
  unit: 'bytes_per_s',
};

interface Along {
  x: (point: Point) => number;
  text: (x: number) => string;
  axis: (points: Point[], width: number) => object;
}

const bySize = (section: Section): Along => ({
  x: (point) => point.size_bytes,
  text: (size) => section.bytes(size),
  axis: (points, width) =>
    sizeAxis(
      points.map((point) => point.size_bytes),
      width,
      { name: 'message size', text: (size) => section.bytes(size) },
    ),
});
const byProcs: Along = {
  x: (point) => point.procs,
  text: format.processes,
  axis: (points) =>
    procsAxis(
      points.map((point) => point.procs),
      { name: 'processes', text: String },
    ),
};

interface Line {
  series: Series;
  points: Point[];
  look?: ReturnType<typeof look>;
}

/** A point larger or smaller than both its neighbours by this factor would leave the others no room on the axis. */
const wildFactor = 30;

/** Points far from both neighbours, which are near each other. */
function wildOf(points: Point[], what: What): Point[] {
  const at = (i: number): number => decades.at(what.y(points[i] as Point) as number);
  return points.filter((_, i) => {
    if (i === 0 || i === points.length - 1) return false;
    const [before, here, after] = [at(i - 1), at(i), at(i + 1)];
    const away = Math.min(Math.abs(here - before), Math.abs(here - after));
    return (
      Math.sign(here - before) === Math.sign(here - after) &&
      away > Math.log10(wildFactor) &&
      Math.abs(after - before) < away / 2
    );
  });
}

/** What an axis shows: all values, and their intervals as far as they do not make it much longer. */
export function shownOf(values: number[], ends: number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(2, (high / low) ** 0.25);
  return [
    ...values,
    ...ends
      .filter((end) => Number.isFinite(end) && end > 0)
      .map((end) => Math.max(low / room, Math.min(high * room, end))),
  ];
}

function drawing(
  section: Section,
  lines: Line[],
  what: What,
  along: Along,
  lineMarks: object[],
  name: string,
  summary: string,
): Drawing {
  const used = lines
    .map(({ series, points, look: own }) => ({
      look: own ?? look(section, series),
      series,
      points: points.filter((point) => what.y(point) != null),
    }))
    .filter((line) => line.points.length > 0);
  if (used.length === 0) return nothing('All times are 0: there is nothing to draw.');
  const points = used.flatMap((line) => line.points);
  const wild = new Set(used.flatMap((line) => wildOf(line.points, what)));
  const tame = points.filter((point) => !wild.has(point));
  const values = shownOf(
    tame.map((point) => what.y(point) as number),
    tame.flatMap((point) => what.ends(point) ?? []),
  );
  const whiskersOf = (line: (typeof used)[0]): Whisker[] =>
    line.points.flatMap((point) => {
      const ends = what.ends(point);
      const at = decades.at(what.y(point) as number);
      return ends ? [{ x: octaves.at(along.x(point)), at, ends: endsAt(decades, ends) }] : [];
    });
  const colours = theme();
  return {
    summary:
      summary +
      unknownWords(used.flatMap(whiskersOf)) +
      (wild.size > 0 ? ` Beyond the axis, as arrows: ${format.plural(wild.size, 'point')}.` : ''),
    option: ({ width }) => ({
      grid: grid(used.length),
      legend: legend(used.map((line) => line.look.name)),
      dataZoom: [zoom()],
      xAxis: { ...along.axis(points, width), nameGap: 28 },
      yAxis: { ...decadeAxis(values, { name: '', text: what.tick }) },
      tooltip: tooltip({
        trigger: 'axis',
        axisPointer: { type: 'line', lineStyle: { color: colours.line } },
        formatter: (hit: { seriesName: string; data: [number, number, number, number?, number?] }[]) => {
          const rows = hit.filter((one) => one.data.length >= 3);
          const first = rows[0];
          if (!first) return '';
          return [
            along.text(first.data[2]),
            ...rows.map((one) => {
              const [low, high] = [one.data[3], one.data[4]];
              const of = low == null || high == null ? '' : `  (${format.interval([low, high], what.text)})`;
              return `${one.seriesName}: ${what.text(decades.value(one.data[1]))}${of}`;
            }),
          ].join('\n');
        },
      }),
      series: [
        ...used.flatMap((line) => [
          {
            ...lineWith(line.look),
            itemStyle: { color: line.look.colour },
            data: line.points.map((point) => [
              octaves.at(along.x(point)),
              decades.at(what.y(point) as number),
              along.x(point),
              ...(what.ends(point) ?? []),
            ]),
          },
          whiskers(line.look.name, whiskersOf(line), line.look.colour),
          beyondAxis(
            line.look.name,
            line.points
              .filter((point) => wild.has(point))
              .map((point) => [
                octaves.at(along.x(point)),
                decades.at(what.y(point) as number),
                what.text(what.y(point) as number),
              ]),
            line.look.colour,
          ),
        ]),
        marks(lineMarks),
      ],
    }),
    table: {
      name,
      columns: [
        ...keyColumns(section.differing),
        { title: `${what.axis}_${what.unit}` },
        { title: `low95_${what.unit}` },
        { title: `high95_${what.unit}` },
        { title: 'reps' },
      ],
      rows: used.flatMap((line) =>
        line.points.map((point) => [
          ...keyCells(section, line.series.run, point),
          cell(what.text(what.y(point) as number), what.y(point)),
          ...endCells(what.ends(point), what.text),
          cell(format.count(point.reps), point.reps),
        ]),
      ),
    },
  };
}

/** In the colour of their run, where there are several. */
function switchMarks(section: Section): object[] {
  return section.runs.flatMap((run) =>
    (run.switches ?? [])
      .filter((one) => one.operation === section.operation)
      .map((one) =>
        mark(
          (octaves.at(one.last_below_bytes) + octaves.at(one.first_above_bytes)) / 2,
          format.exactBytes(one.last_below_bytes),
          section.several ? runColour(section, run) : theme().muted,
        ),
      ),
  );
}

export const pickedMark = (section: Section): object =>
  mark(octaves.at(section.size), '', theme().picked, { dashed: false });

function sizeSummary(section: Section, what: What): string {
  const own = section.series.filter((one) => one.run === section.run);
  const series = own.find((one) => one.procs === section.proc && one.variant === section.variant) ?? own[0];
  const points = (series?.points ?? []).filter((point) => what.y(point) != null);
  const [first, last] = [points[0], points[points.length - 1]];
  if (!series || !first || !last) return `${section.run.name}: nothing to draw.`;
  const picked = points.find((point) => point.size_bytes === section.size);
  const described = (point: Point): string =>
    `${what.text(what.y(point) as number)} at ${section.bytes(point.size_bytes)}`;
  return (
    `${look(section, series).name || series.run.name}: ${described(first)}${first === last ? '' : ` to ${described(last)}`}.` +
    (picked ? ` Picked: ${described(picked)}.` : '') +
    ' Bars are 95 % intervals.' +
    (switchMarks(section).length > 0 ? ' Dashed lines are protocol or algorithm switches.' : '')
  );
}

/** The curves of an operation: against size where there are several, else against processes. */
export function curveFigures(section: Section): Figure[] {
  const figures: Figure[] = [];
  const whole = section.series.map((series) => ({ series, points: series.points }));
  const pick = {
    ...section.arrows,
    clicked: (x: number) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }),
  };
  if (section.sizes.length > 1) {
    const sized = (what: What, title: string): Figure =>
      new Figure(
        title,
        () =>
          drawing(
            section,
            whole,
            what,
            bySize(section),
            [...switchMarks(section), pickedMark(section)],
            `${section.operation}-${what.axis}`,
            sizeSummary(section, what),
          ),
        pick,
      );
    if (section.placed.some(({ point }) => times.y(point) != null))
      figures.push(sized(times, 'Time against message size'));
    if (section.placed.some(({ point }) => point.rate_bytes_per_s))
      figures.push(sized(rates, 'Bandwidth against message size'));
  }
  // Studies of overlap have figures of their own, of a message that two processes exchange.
  if (section.procs.length > 1 && !section.placed.some(({ point }) => point.overlap)) {
    figures.push(
      new Figure(
        'Time against processes',
        () => {
          const lines = section.runs
            .map((run): Line => {
              const own = section.series.filter((one) => one.run === run && one.variant === section.variant);
              return {
                series: own[own.length - 1] as Series,
                points: own.flatMap((one) => one.points.filter((point) => point.size_bytes === section.size)),
                look: {
                  colour: runColour(section, run),
                  symbol: runSymbol(section, run),
                  dash: 'solid',
                  name: run.name,
                },
              };
            })
            .filter((line) => line.series);
          const points = lines.find((line) => line.series.run === section.run)?.points ?? [];
          const [first, last] = [points[0], points[points.length - 1]];
          const place = [section.several ? section.run.name : '', section.sized ? section.bytes(section.size) : '']
            .filter(Boolean)
            .join(', ');
          const described = (point: Point): string =>
            `${format.time(value(point))} with ${format.processes(point.procs)}`;
          const summary =
            (place ? `${place}: ` : '') +
            (first && last ? `${described(first)}${first === last ? '' : `, ${described(last)}`}.` : 'not measured.');
          return drawing(
            section,
            lines,
            times,
            byProcs,
            [mark(octaves.at(section.proc), '', theme().picked, { dashed: false })],
            `${section.operation}-by-processes`,
            summary,
          );
        },
        {
          ...section.arrows,
          clicked: (x) =>
            section.pick({
              procs: section.procs.reduce((best, one) =>
                Math.abs(octaves.at(one) - x) < Math.abs(octaves.at(best) - x) ? one : best,
              ),
            }),
        },
      ),
    );
  }
  return figures;
}
