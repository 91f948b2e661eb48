// Curves of a tuning: before and after its rules, and what models predicted beside what was measured.
import type { AlgorithmLooks } from './algorithm_look';
import { decadeAxis, decades, endsAt, octaves, sizeAxis } from './axes';
import type { Interval, Maybe } from './data';
import { type Drawing, Figure } from './figure';
import * as format from './format';
import { grid, legend, tooltip, whiskers } from './pieces';
import { cell, endCells, timeCell } from './table';
import { theme } from './theme';
import { type Proof, type TunedOperation, gainText } from './tuning_data';
import { fasterFirst, verdictCounts } from './verdicts';
import { zoom } from './zoom';

/** Lines of more points have no symbols and no intervals, which would cover each other. */
const mostSymbols = 300;
/** More implementations than this cannot be told apart; their numbers are in the table. */
const mostImplementations = 12;

interface LinePoint {
  size: number;
  time: number;
  ci95?: Maybe<Interval>;
}

interface Line {
  name: string;
  /** Of the tooltip, where two lines have one name in the legend. */
  said?: string;
  colour: string;
  symbol: string;
  dash: string;
  points: LinePoint[];
}

/** Times against sizes, both logarithmic, with intervals; `remark` is a line of the tooltip at a size. */
function linesOption(
  lines: Line[],
  marked: { name: string; points: LinePoint[] },
  remark: (size: number) => string,
): Drawing['option'] {
  const colours = theme();
  const points = lines.flatMap((line) => line.points);
  const sizes = points.map(({ size }) => size);
  const values = points.flatMap(({ time, ci95 }) => [time, ...(ci95 ?? [])]);
  const names = [...new Set(lines.map(({ name }) => name)), ...(marked.points.length > 0 ? [marked.name] : [])];
  const place = ({ size, time }: LinePoint): number[] => [octaves.at(size), decades.at(time), size];
  return ({ width }) => ({
    grid: grid(names.length),
    legend: legend(names),
    dataZoom: [zoom()],
    xAxis: { ...sizeAxis(sizes, width, { name: 'message size', text: format.bytes }), nameGap: 28 },
    yAxis: decadeAxis(values, { name: '', text: format.timeTick }),
    tooltip: tooltip({
      trigger: 'axis',
      axisPointer: { type: 'line', lineStyle: { color: colours.line } },
      formatter: (hit: { seriesIndex: number; data: number[] }[]) => {
        const own = hit.filter(({ seriesIndex }) => seriesIndex < lines.length);
        const size = own[0]?.data[2];
        if (size === undefined) return '';
        const rows = own.map(({ seriesIndex, data }) => {
          const line = lines[seriesIndex] as Line;
          const ends = line.points.find((point) => point.size === data[2])?.ci95;
          const of = ends && ends[0] !== ends[1] ? `  (${format.interval(ends, format.time)})` : '';
          return `${line.said ?? line.name}: ${format.time(decades.value(data[1] as number))}${of}`;
        });
        return [format.exactBytes(size), ...rows, remark(size)].filter(Boolean).join('\n');
      },
    }),
    series: [
      ...lines.map((line) => ({
        type: 'line',
        name: line.name,
        symbol: line.points.length > mostSymbols ? 'none' : line.symbol,
        symbolSize: 7,
        color: line.colour,
        lineStyle: { width: 2, type: line.dash, color: line.colour },
        itemStyle: { color: line.colour },
        data: line.points.map(place),
      })),
      ...lines
        .filter((line) => line.points.length <= mostSymbols)
        .map((line) =>
          whiskers(
            line.name,
            line.points.flatMap(({ size, time, ci95 }) =>
              ci95 && ci95[0] !== ci95[1]
                ? [{ x: octaves.at(size), at: decades.at(time), ends: endsAt(decades, ci95) }]
                : [],
            ),
            line.colour,
          ),
        ),
      {
        type: 'line',
        name: marked.name,
        symbol: 'circle',
        symbolSize: 17,
        silent: true,
        lineStyle: { width: 0 },
        itemStyle: { color: 'transparent', borderColor: colours.frame, borderWidth: 2.5 },
        tooltip: { show: false },
        data: marked.points.map(place),
      },
    ],
  });
}

function proofDrawing(name: string, proof: Proof[]): Drawing {
  const colours = theme();
  const slower = proof.filter(({ verdict }) => verdict === 'slower');
  const lines: Line[] = [
    {
      name: 'before',
      colour: colours.muted,
      symbol: 'circle',
      dash: 'solid',
      points: proof.map((one) => ({ size: one.size_bytes, time: one.before_ns, ci95: one.before_ci95_ns })),
    },
    {
      name: 'after',
      colour: colours.series[0] as string,
      symbol: 'rect',
      dash: 'solid',
      points: proof.map((one) => ({ size: one.size_bytes, time: one.after_ns, ci95: one.after_ci95_ns })),
    },
  ];
  const most = proof
    .filter(({ verdict }) => verdict === 'faster')
    .reduce((best: Proof | undefined, one) => (!best || one.speedup > best.speedup ? one : best), undefined);
  return {
    summary:
      `Of ${format.plural(proof.length, 'size')}: ${verdictCounts(proof, fasterFirst)}.` +
      (most ? ` At most ${gainText(most.speedup, most.speedup_ci95)}, at ${format.exactBytes(most.size_bytes)}.` : '') +
      (slower.length > 0
        ? ` Slower: ${slower
            .slice(0, 5)
            .map((one) => `${format.exactBytes(one.size_bytes)}, ${gainText(one.speedup, one.speedup_ci95)}`)
            .join('; ')}${slower.length > 5 ? `; ${slower.length - 5} more` : ''}.`
        : '') +
      ' Bars are 95 % intervals.',
    option: linesOption(
      lines,
      { name: 'slower', points: slower.map((one) => ({ size: one.size_bytes, time: one.after_ns })) },
      (size) => {
        const one = proof.find(({ size_bytes }) => size_bytes === size);
        return one
          ? `${one.verdict}: ${gainText(one.speedup, one.speedup_ci95)}${one.ruled ? '' : '\nno rule here'}`
          : '';
      },
    ),
    table: {
      name,
      columns: [
        ...[
          'size_bytes',
          'before_ns',
          'before_low95_ns',
          'before_high95_ns',
          'after_ns',
          'after_low95_ns',
          'after_high95_ns',
          'gain',
          'low95',
          'high95',
        ].map((title) => ({ title })),
        { title: 'rule', word: true },
        { title: 'verdict', word: true },
      ],
      rows: proof.map((one) => [
        cell(format.exactBytes(one.size_bytes), one.size_bytes),
        timeCell(one.before_ns),
        ...endCells(one.before_ci95_ns),
        timeCell(one.after_ns),
        ...endCells(one.after_ci95_ns),
        cell(one.speedup.toFixed(2), one.speedup),
        ...endCells(one.speedup_ci95, (end) => end.toFixed(2)),
        cell(one.ruled ? 'yes' : 'no'),
        cell(one.verdict),
      ]),
    },
  };
}

/** Nothing where nothing was proven. */
export const proofFigure = (title: string, name: string, proof: Proof[]): Figure | undefined =>
  proof.length === 0 ? undefined : new Figure(title, () => proofDrawing(name, proof));

const mean = (values: number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

function predictedDrawing(name: string, entry: TunedOperation, looks: AlgorithmLooks): Drawing {
  // What is best somewhere comes first.
  const rank = (implementation: string): number =>
    looks.winners.some((look) => look.implementation === implementation) ? 0 : 1;
  const bySize = (a: { size_bytes: number }, b: { size_bytes: number }): number => a.size_bytes - b.size_bytes;
  const parts = entry.implementations
    .map((implementation) => {
      const predicted = entry.predictions.filter((one) => one.implementation === implementation).sort(bySize);
      const measured = entry.times.filter((one) => one.implementation === implementation).sort(bySize);
      const times = new Map(measured.map((one) => [one.size_bytes, one.time_ns]));
      return {
        look: looks.of(implementation),
        measured,
        predicted,
        times,
        errors: predicted.flatMap((one) => {
          const time = times.get(one.size_bytes);
          return time === undefined ? [] : [{ size: one.size_bytes, error: one.time_ns / time - 1 }];
        }),
      };
    })
    .filter(({ predicted }) => predicted.length > 0);
  const errors = parts.flatMap((part) => part.errors.map(({ error }) => Math.abs(error)));
  const worst = parts
    .flatMap((part) => part.errors.map((one) => ({ ...one, look: part.look })))
    .reduce(
      (most: { size: number; error: number; look: { name: string } } | undefined, one) =>
        !most || Math.abs(one.error) > Math.abs(most.error) ? one : most,
      undefined,
    );
  const drawn = [...parts]
    .sort((a, b) => rank(a.look.implementation) - rank(b.look.implementation))
    .slice(0, mostImplementations);
  const lines = drawn.flatMap(({ look, measured, predicted }): Line[] => [
    {
      name: look.name,
      said: `${look.name}, measured`,
      colour: look.colour(),
      symbol: 'circle',
      dash: 'solid',
      points: measured.map((one) => ({ size: one.size_bytes, time: one.time_ns, ci95: one.ci95_ns })),
    },
    {
      name: look.name,
      said: `${look.name}, predicted`,
      colour: look.colour(),
      symbol: 'none',
      dash: 'dashed',
      points: predicted.map((one) => ({ size: one.size_bytes, time: one.time_ns })),
    },
  ]);
  return {
    summary:
      (worst
        ? `The mean relative error of ${format.plural(errors.length, 'prediction')} is ${format.percent(mean(errors))}; ` +
          `the largest is ${format.percent(Math.abs(worst.error))} too ${worst.error > 0 ? 'high' : 'low'}, ` +
          `${worst.look.name} at ${format.exactBytes(worst.size)}.`
        : 'Nothing that was predicted was measured.') +
      ' Dashed lines are predictions, solid ones measured.' +
      (drawn.length < parts.length
        ? ` ${drawn.length} of ${parts.length} implementations are drawn; all are in the numbers.`
        : ''),
    option: linesOption(lines, { name: '', points: [] }, () => ''),
    table: {
      name,
      columns: [
        { title: 'implementation', word: true },
        { title: 'size_bytes' },
        { title: 'measured_ns' },
        { title: 'predicted_ns' },
        { title: 'error' },
      ],
      rows: parts.flatMap(({ look, predicted, times }) =>
        predicted.map((one) => {
          const measured = times.get(one.size_bytes);
          const error = measured === undefined ? null : one.time_ns / measured - 1;
          return [
            cell(look.name),
            cell(format.exactBytes(one.size_bytes), one.size_bytes),
            timeCell(measured),
            timeCell(one.time_ns),
            cell(format.percent(error), error),
          ];
        }),
      ),
    },
  };
}

/** Nothing where no model predicted anything. */
export const predictedFigure = (
  title: string,
  name: string,
  entry: TunedOperation,
  looks: AlgorithmLooks,
): Figure | undefined =>
  entry.predictions.length === 0 ? undefined : new Figure(title, () => predictedDrawing(name, entry, looks));
