// Several runs compared with the first: the time of each point as a share of the first run's, and what can be said of it.
import { decadeAxis, decades, endsAt, octaves, sizeAxis } from './axes';
import { pickedMark, shownOf } from './curves';
import type { ComparedPoint, Document, Run } from './data';
import { type Drawing, Figure } from './figure';
import * as format from './format';
import { dashOf, keyCells, keyColumns, runColour } from './look';
import { type Whisker, grid, legend, marks, tooltip, unknownWords, upright, whiskers } from './pieces';
import type { Section } from './section';
import { type Table, cell, endCells } from './table';
import { theme } from './theme';
import { far, ratioName, sameLine, sure, verdictCounts, verdictKey, verdictMark } from './verdicts';
import { zoom } from './zoom';

/** A line of a chart of ratios. */
interface Row {
  section: Section;
  run: Run;
  name: string;
  points: ComparedPoint[];
  /** Drawn like the others of its rank: the first is solid. */
  dash: number;
  /** Of what is picked. */
  strong: boolean;
}

/** What disturbed repetitions leave open has no end. */
export const endsOf = ({ ratio_ci95, ratio_range }: ComparedPoint): [number, number] =>
  ratio_range === null ? [-Infinity, Infinity] : ratio_ci95;
const three = (ratio: number): string => ratio.toFixed(3);
const place = ({ section }: Row, point: ComparedPoint): string =>
  `${section.sized ? `${section.bytes(point.size_bytes)} with ` : ''}${format.processes(point.second_procs)}`;

const whiskersOf = (row: Row): Whisker[] =>
  row.points.map((point) => ({
    x: octaves.at(point.size_bytes),
    at: decades.at(point.ratio),
    ends: endsAt(decades, endsOf(point)),
  }));

/** Ratios against sizes. Lines are runs or have a dash; what is slower or faster has a colour, a shape and a word. */
const curves =
  (rows: Row[], several: boolean, more: object[]): Drawing['option'] =>
  ({ width }) => {
    const colours = theme();
    const everything = rows.flatMap((row) => row.points);
    const colourOf = (row: Row): string => (several ? runColour(row.section, row.run) : colours.muted);
    const bytes = (size: number): string =>
      rows.find((row) => row.points.some((point) => point.size_bytes === size))?.section.bytes(size) ??
      format.bytes(size);
    return {
      grid: grid(rows.length),
      legend: { ...legend(rows.map((row) => row.name)), itemStyle: { opacity: 0 } },
      dataZoom: [zoom()],
      xAxis: {
        ...sizeAxis(
          everything.map((point) => point.size_bytes),
          width,
          { name: 'message size', text: bytes },
        ),
        nameGap: 28,
      },
      yAxis: {
        ...decadeAxis(
          [
            ...shownOf(
              everything.map((point) => point.ratio),
              everything.flatMap(endsOf),
            ),
            0.9,
            1.1,
          ],
          { name: ratioName, text: (ratio) => `${+ratio.toPrecision(3)}`, pad: 0.1 },
        ),
        ...upright,
      },
      tooltip: tooltip({
        trigger: 'item',
        formatter: (hit: { seriesName: string; data: { point?: ComparedPoint } }) => {
          const point = hit.data.point;
          return point
            ? `${hit.seriesName}\n${bytes(point.size_bytes)}: ${three(point.ratio)} times ` +
                `(${format.interval(endsOf(point), three)})\n${point.verdict}${point.reason ? `: ${point.reason}` : ''}`
            : '';
        },
      }),
      series: [
        ...rows.flatMap((row) => [
          {
            type: 'line',
            name: row.name,
            color: colourOf(row),
            lineStyle: { color: colourOf(row), width: row.strong ? 2 : 1.2, type: dashOf(row.dash) },
            data: row.points.map((point) => ({
              value: [octaves.at(point.size_bytes), decades.at(point.ratio)],
              point,
              ...verdictMark(point),
            })),
          },
          whiskers(row.name, whiskersOf(row), colourOf(row)),
        ]),
        marks([sameLine(), ...more]),
      ],
    };
  };

/** `Of 9 points: 7 slower, 2 the same. ... +72 % at 8 B with 2 processes` */
function summaryOf(rows: Row[]): string {
  const everything = rows.flatMap((row) => row.points.map((point) => ({ row, point })));
  const points = everything.map(({ point }) => point);
  const largest = (verdict: string): (typeof everything)[0] | undefined =>
    everything
      .filter(({ point }) => point.verdict === verdict)
      .reduce(
        (best: (typeof everything)[0] | undefined, one) => (!best || far(one.point) > far(best.point) ? one : best),
        undefined,
      );
  const extremes = [largest('slower'), largest('faster')].flatMap((one) =>
    one ? [`${format.change(one.point.ratio)} at ${place(one.row, one.point)}`] : [],
  );
  return (
    `Of ${format.plural(points.length, 'point')}: ${verdictCounts(points)}.` +
    (extremes.length > 0 ? ` Largest: ${extremes.join(', ')}.` : '')
  );
}

/** Where there is no chart, numbers are in the words. */
const single = (rows: Row[]): string =>
  rows
    .flatMap((row) =>
      row.points.map(
        (point) =>
          ` ${row.name}: ${format.change(point.ratio)}, ratio ${three(point.ratio)} (${format.interval(endsOf(point), three)}), ` +
          `${point.verdict}${point.reason ? `: ${point.reason}` : ''}.`,
      ),
    )
    .slice(0, mostLines)
    .join('');

/** As many lines as can be told apart. */
const mostLines = 6;

const signs = (rows: Row[]): string =>
  ` ${verdictKey(rows.flatMap((row) => row.points))}. Bars are 95 % intervals, including the variance between launches.` +
  unknownWords(rows.flatMap(whiskersOf));

/** Rows of several sections have the dimensions of all of them. */
function table(name: string, rows: Row[], operations: boolean): Table {
  const sections = [...new Set(rows.map((row) => row.section))];
  const dimensions = (sections[0]?.dimensions ?? []).filter((one) =>
    sections.some((section) => section.differing.includes(one)),
  );
  return {
    name,
    columns: [
      ...(operations ? [{ title: 'operation', word: true }] : []),
      ...keyColumns(dimensions),
      { title: 'ratio' },
      { title: 'low95' },
      { title: 'high95' },
      { title: 'verdict', word: true },
      { title: 'reason', word: true },
      { title: 'p_value' },
    ],
    rows: rows.flatMap((row) =>
      row.points.map((point) => [
        ...(operations ? [cell(row.section.operation)] : []),
        ...keyCells(row.section, row.run, { ...point, procs: point.second_procs }, dimensions),
        cell(three(point.ratio), point.ratio),
        ...endCells(endsOf(point), three),
        cell(point.verdict),
        cell(point.reason),
        cell(point.p_value.toPrecision(2), point.p_value),
      ]),
    ),
  };
}

/** The lines of an operation: one for each run, process count and variant. */
function rowsOf(section: Section): Row[] {
  const several = section.compared.length > 1;
  return section.compared
    .flatMap(({ run, points }) =>
      section.series
        .filter((one) => one.run === run)
        .map((series): Row => ({
          section,
          run,
          // Where one run is compared, the title says which.
          name: [several ? run.name : '', format.processes(series.procs), series.variant].filter(Boolean).join(', '),
          points: points.filter(
            (point) => point.second_procs === series.procs && section.variantOf(point) === series.variant,
          ),
          dash: section.procs.indexOf(series.procs) + section.variants.indexOf(series.variant) * section.procs.length,
          strong: series.procs === section.proc && series.variant === section.variant,
        })),
    )
    .filter((row) => row.points.length > 0);
}

/** Each one's median as a share of the first one's; in words and numbers alone where there is one size. */
export function ratioFigure(section: Section): Figure | undefined {
  const base = section.runs[0];
  if (!base || section.compared.length === 0) return undefined;
  return new Figure(
    `Time relative to ${base.name}`,
    () => {
      const rows = rowsOf(section);
      const drawn = section.sizes.length > 1;
      return {
        summary: drawn ? summaryOf(rows) + signs(rows) : single(rows).trim(),
        option: drawn ? curves(rows, section.compared.length > 1, [pickedMark(section)]) : undefined,
        table: table(`${section.operation}-ratio`, rows, false),
      };
    },
    { ...section.arrows, clicked: (x) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }) },
  );
}

/** The first thing to see of a comparison: a curve for each operation, at its most processes. Nothing if none has several sizes. */
export function ratiosFigure(document: Document, sections: Section[]): Figure | undefined {
  const first = document.runs[0];
  const sized = sections.filter((section) => section.sizes.length > 1 && section.compared.length > 0);
  if (!first || sized.length === 0) return undefined;
  const several = document.comparisons.length > 1;
  const all = sized.flatMap((section, i) => {
    const rows = rowsOf(section);
    const procs = Math.max(...rows.flatMap((row) => row.points.map((point) => point.second_procs)));
    return rows
      .filter((row) => row.points.some((point) => point.second_procs === procs))
      .map((row): Row => ({
        ...row,
        name: [
          section.operation,
          section.variantOf(row.points[0] as ComparedPoint),
          several ? row.run.name : '',
          section.procs.length > 1 ? `${procs} procs` : '',
        ]
          .filter(Boolean)
          .join(', '),
        dash: i,
        strong: true,
      }));
  });
  /** What is decided to be far from 1 is worth seeing. */
  const change = (row: Row): number => Math.max(0, ...row.points.filter(sure).map(far));
  const rows = [...all].sort((a, b) => change(b) - change(a)).slice(0, mostLines);
  // Where colours are those of runs, dashes tell operations apart; else each line has its own.
  const shown = all.filter((row) => rows.includes(row)).map((row, i) => (several ? row : { ...row, dash: i }));
  return new Figure(`Time relative to ${first.name}`, () => ({
    summary:
      (all.length > shown.length ? `The ${shown.length} of ${all.length} curves that changed most. ` : '') +
      summaryOf(shown) +
      signs(shown),
    option: curves(shown, several, []),
    table: table('ratios', shown, true),
  }));
}
