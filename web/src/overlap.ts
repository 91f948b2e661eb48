// Overlap studies: the processor time that communication takes, and what it leaves.
import { decadeAxis, decades, endsAt, linear, linearAxis, octaves, sizeAxis } from './axes';
import { pickedMark } from './curves';
import type { Interval, Maybe, Overhead, Overlap } from './data';
import { type Drawing, Figure, nothing } from './figure';
import * as format from './format';
import { keyCells, keyColumns, lineWith, look, runColour, runSymbol } from './look';
import { panel } from './panels';
import { grid, legend, mark, marks, tooltip, whiskers } from './pieces';
import type { Section } from './section';
import { type Cell, type Table, cell, endCells, timeCell } from './table';
import { theme } from './theme';
import { zoom } from './zoom';

/** Of a message by itself, of a collective by the work-based scheme. */
const overheadOf = (overlap: Overlap): Partial<Overhead> => overlap.work_based ?? overlap;
const share = (value: number): string => value.toFixed(2).replace(/^-(?=[0.]+$)/, '');
const shareCell = (value: Maybe<number>): Cell => cell(value == null ? '-' : share(value), value ?? null);
const testsCell = (tests: number): Cell => cell(tests === 0 ? 'none' : String(tests), tests);

interface What {
  name: string;
  words: string;
  /** Of its numbers, as the end of a title. */
  unit: string;
  of: (overhead: Partial<Overhead>) => { at: Maybe<number>; ends: Maybe<Interval> };
  text: (value: number) => string;
  axis: (values: number[]) => object;
}

const availability: What = {
  name: 'availability',
  words: '1: communication takes no processor time; 0: nothing is left. ',
  unit: '',
  of: (overhead) => ({ at: overhead.availability, ends: overhead.availability_ci95 }),
  text: share,
  axis: (values) => linearAxis([0, 1, ...values], { name: '', text: (one) => `${+one.toFixed(2)}` }),
};
const overhead: What = {
  name: 'overhead',
  words: '',
  unit: '_ns',
  of: (of) => ({ at: of.overhead_ns, ends: of.overhead_ci95_ns }),
  text: format.time,
  axis: (values) => linearAxis([0, ...values], { name: '', text: format.timeTick }),
};

function bySize(section: Section, what: What): Drawing {
  const lines = section.series
    .map((series) => ({
      series,
      look: look(section, series),
      points: series.points.flatMap((point) => {
        const of = point.overlap && what.of(overheadOf(point.overlap));
        return of?.at == null ? [] : [{ point, at: of.at, ends: of.ends }];
      }),
    }))
    .filter((line) => line.points.length > 0);
  const everything = lines.flatMap((line) => line.points);
  const picked = section.point()?.overlap;
  const now = picked && what.of(overheadOf(picked)).at;
  const summary =
    `${what.words}${section.place}: ` +
    `${what === availability && picked?.verdict ? picked.verdict : now == null ? picked?.reason || 'not known' : what.text(now)}.`;
  if (lines.length === 0) return nothing(summary);
  return {
    summary,
    option: ({ width }) => ({
      grid: grid(lines.length),
      legend: legend(lines.map((line) => line.look.name)),
      dataZoom: [zoom()],
      xAxis: {
        ...sizeAxis(
          everything.map((one) => one.point.size_bytes),
          width,
          { name: 'message size', text: (size) => section.bytes(size) },
        ),
        nameGap: 28,
      },
      yAxis: what.axis(everything.flatMap((one) => [one.at, ...(one.ends ?? [])])),
      tooltip: tooltip({
        trigger: 'item',
        formatter: (hit: { seriesName: string; data: number[] }) =>
          `${hit.seriesName}\n${section.bytes(hit.data[2] as number)}: ${what.text(hit.data[1] as number)}` +
          (hit.data.length > 3 ? ` (${what.text(hit.data[3] as number)} .. ${what.text(hit.data[4] as number)})` : ''),
      }),
      series: [
        ...lines.flatMap((line) => [
          {
            ...lineWith(line.look),
            data: line.points.map((one) => [
              octaves.at(one.point.size_bytes),
              one.at,
              one.point.size_bytes,
              ...(one.ends ?? []),
            ]),
          },
          whiskers(
            line.look.name,
            line.points
              .filter((one) => one.ends)
              .map((one) => ({
                x: octaves.at(one.point.size_bytes),
                at: one.at,
                ends: endsAt(linear, one.ends as Interval),
              })),
            line.look.colour,
          ),
        ]),
        marks([pickedMark(section)]),
      ],
    }),
    table: {
      name: `${section.operation}-${what.name}`,
      columns: [
        ...keyColumns(section.differing),
        ...[what.name, 'low95', 'high95'].map((name) => ({ title: `${name}${what.unit}` })),
      ],
      rows: lines.flatMap((line) =>
        line.points.map((one) => [
          ...keyCells(section, line.series.run, one.point),
          cell(what.text(one.at), one.at),
          ...endCells(one.ends, what.text),
        ]),
      ),
    },
  };
}

/** Work against the time of an iteration, at the picked size. */
function workCurve(section: Section): Drawing {
  const colours = theme();
  const runs = section.runs.flatMap((run) => {
    const curve = section.point(run)?.overlap?.curve?.filter((step) => step.iteration_ns != null && step.work_ns > 0);
    return curve && curve.length > 0 ? [{ run, curve, colour: runColour(section, run) }] : [];
  });
  const steps = runs.flatMap((one) => one.curve);
  const overlap = section.point()?.overlap;
  if (steps.length === 0) return nothing(`${section.place}: not studied.`);
  const work = steps.map((step) => step.work_ns);
  const knee = overlap?.knee_ns ?? 0;
  const hidden =
    knee > 0
      ? ` Up to ${format.time(knee)} of work hides behind the message (${format.time(overlap?.base_ns)}): the dashed vertical line.`
      : '';
  return {
    summary: overlap
      ? `${section.place}: ${overlap.verdict || overlap.reason}.${hidden} The sloping line is work without a message.`
      : `${section.place}: not studied.`,
    option: {
      grid: grid(runs.length),
      legend: legend(runs.map((one) => one.run.name)),
      dataZoom: [zoom()],
      xAxis: { ...decadeAxis(work, { name: 'work during the message', text: format.timeTick }), nameGap: 28 },
      yAxis: decadeAxis(
        steps.map((step) => step.iteration_ns as number),
        { name: '', text: format.timeTick },
      ),
      tooltip: tooltip({
        trigger: 'item',
        formatter: (hit: { seriesName: string; data: number[] }) =>
          `${section.several ? `${hit.seriesName}\n` : ''}work ${format.time(decades.value(hit.data[0] as number))}\n` +
          `iteration ${format.time(decades.value(hit.data[1] as number))}`,
      }),
      series: [
        marks(knee > 0 ? [mark(decades.at(knee), '', colours.muted)] : []),
        ...runs.map((one) => ({
          type: 'line',
          name: one.run.name,
          symbol: runSymbol(section, one.run),
          symbolSize: 6,
          color: one.colour,
          lineStyle: { width: 2, color: one.colour },
          data: one.curve.map((step) => [decades.at(step.work_ns), decades.at(step.iteration_ns as number)]),
        })),
        {
          type: 'line',
          silent: true,
          symbol: 'none',
          lineStyle: { color: colours.line, width: 1, type: 'dashed' },
          data: [Math.min(...work), Math.max(...work)].map((at) => [decades.at(at), decades.at(at)]),
        },
      ],
    },
    table: {
      name: `${section.operation}-work`,
      columns: [{ title: 'run', word: true }, { title: 'work_ns' }, { title: 'iteration_ns' }],
      rows: runs.flatMap((one) =>
        one.curve.map((step) => [cell(one.run.name), timeCell(step.work_ns), timeCell(step.iteration_ns)]),
      ),
    },
  };
}

/** The effect of calls to MPI_Test during the work on a message. */
function messageTests(section: Section, overlap: Overlap): Table | undefined {
  if (!overlap.with_tests) return undefined;
  const row = (tests: number, of: Partial<Overhead>): Cell[] => [
    testsCell(tests),
    timeCell(of.overhead_ns),
    ...endCells(of.overhead_ci95_ns),
    shareCell(of.availability),
    ...endCells(of.availability_ci95, share),
  ];
  return {
    name: `${section.operation}-tests`,
    columns: ['tests', 'overhead_ns', 'low95_ns', 'high95_ns', 'availability', 'low95', 'high95'].map((title) => ({
      title,
    })),
    rows: [row(0, overlap), row(overlap.with_tests.tests, overlap.with_tests)],
  };
}

/** The same of a collective, by both schemes. */
function collectiveTests(section: Section, overlap: Overlap): Table | undefined {
  const { time_based: byTime, work_based: byWork } = overlap;
  if (!byTime || !byWork) return undefined;
  const rows = [
    {
      tests: 0,
      interval_bytes: 0,
      time_based_overhead_ns: byTime.overhead_ns,
      time_based_availability: byTime.availability,
      work_based_overhead_ns: byWork.overhead_ns,
      work_based_availability: byWork.availability,
      stolen_share: overlap.stolen_share,
    },
    ...(overlap.intervals ?? []),
  ];
  return {
    name: `${section.operation}-tests`,
    columns: [
      ...[
        'tests',
        'interval_bytes',
        'time_based_overhead_ns',
        'time_based_availability',
        'work_based_overhead_ns',
        'work_based_availability',
        'stolen_share',
      ].map((title) => ({ title })),
      { title: 'best', word: true },
    ],
    rows: rows.map((row) => [
      testsCell(row.tests),
      cell(row.interval_bytes ? format.bytes(row.interval_bytes) : '-', row.interval_bytes || null),
      timeCell(row.time_based_overhead_ns),
      shareCell(row.time_based_availability),
      timeCell(row.work_based_overhead_ns),
      shareCell(row.work_based_availability),
      cell(format.percent(row.stolen_share), row.stolen_share ?? null),
      cell(row.tests > 0 && row.tests === overlap.best_tests ? 'best' : ''),
    ]),
  };
}

/** Below the figures; hidden where there is no study. */
export function overlapPanel(section: Section): HTMLElement {
  return panel(section, 'Overhead with calls to MPI_Test during the work', ({ overlap }) => {
    const table = overlap && (messageTests(section, overlap) ?? collectiveTests(section, overlap));
    return (
      table && {
        words: overlap.time_based
          ? `${section.place}: started and waited for immediately, the call takes ${format.time(overlap.t_b_ns)}. Time-based: the calls are timed while ` +
            'work runs; work-based: a fixed amount of work is timed with its calls. The difference is processor time taken by others.'
          : `${section.place}: with and without such calls.`,
        tables: [table],
      }
    );
  });
}

export function overlapFigures(section: Section): Figure[] {
  if (!section.placed.some(({ point }) => point.overlap)) return [];
  const pick = {
    ...section.arrows,
    clicked: (x: number) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }),
  };
  const figures = [
    new Figure(
      'Availability: the share of the processor that remains for work',
      () => bySize(section, availability),
      pick,
    ),
    new Figure('Overhead: processor time of communication', () => bySize(section, overhead), pick),
  ];
  if (section.placed.some(({ point }) => point.overlap?.curve?.length)) {
    figures.push(new Figure('Work and communication', () => workCurve(section), section.arrows));
  }
  return figures;
}
