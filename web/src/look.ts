// How a run and a series look in every chart, and what identifies points in every table.
import { type Dimension, type Key, type Run, along } from './data';
import * as format from './format';
import type { Section, Series } from './section';
import { type Cell, type Column, cell } from './table';
import { theme } from './theme';

/** The first variant is drawn solid. */
const dashes = ['solid', 'dashed', 'dotted'];
const symbols = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect', 'emptyTriangle'];
/** Where a dash alone tells lines apart. */
const manyDashes: (string | number[])[] = ['solid', 'dashed', 'dotted', [12, 4], [8, 3, 2, 3], [2, 6]];
export const dashOf = (index: number): string | number[] => manyDashes[index % manyDashes.length] as string | number[];
const nth = (list: string[], index: number): string => list[index % list.length] as string;

/** What has a colour for the second time has another shape. */
const nthSymbol = (index: number, coloured: number): string =>
  nth(symbols, index + Math.floor(coloured / theme().series.length));

export const runColour = (section: Section, run: Run): string => nth(theme().series, section.runIndex(run));
export const runSymbol = (section: Section, run: Run): string => nthSymbol(0, section.runIndex(run));

interface Look {
  colour: string;
  symbol: string;
  dash: string;
  name: string;
}

/** With several runs a colour is a run and a shape a process count; with one run the colour is that too. */
export function look(section: Section, series: Series): Look {
  const { several } = section;
  const procsIndex = section.procs.indexOf(series.procs);
  const words = [
    several ? series.run.name : '',
    section.procs.length > 1 || !several ? format.processes(series.procs) : '',
    series.variant,
  ];
  return {
    colour: several ? runColour(section, series.run) : nth(theme().series, procsIndex),
    symbol: nthSymbol(procsIndex, several ? section.runIndex(series.run) : procsIndex),
    dash: dashes[section.variants.indexOf(series.variant)] ?? 'dotted',
    name: words.filter(Boolean).join(', '),
  };
}

/** A line with marks, without its data. */
export const lineWith = ({ colour, symbol, dash, name }: Look): object => ({
  type: 'line',
  name,
  symbol,
  symbolSize: 7,
  color: colour,
  lineStyle: { width: 2, type: dash, color: colour },
});

/** The first columns of tables of points. */
export const keyColumns = (dimensions: Dimension[]): Column[] => [
  { title: 'run', word: true },
  ...dimensions.map(({ name }) => ({ title: name, word: true })),
  { title: 'procs' },
  { title: 'size_bytes' },
];

export const keyCells = (
  section: Section,
  run: Run,
  of: Key & { procs: number; size_bytes: number },
  dimensions = section.differing,
): Cell[] => [
  cell(run.name),
  ...dimensions.map((dimension) => cell(along(of, dimension) || dimension.when_empty)),
  cell(String(of.procs), of.procs),
  cell(section.bytes(of.size_bytes), of.size_bytes),
];
