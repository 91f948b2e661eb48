// How a run and a series look in every chart, and what identifies points in every table.
import type { Run } from './data';
import * as format from './format';
import { type Section, type Series, progressWords } from './section';
import { type Cell, type Column, cell } from './table';
import { theme } from './theme';

const symbols = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect', 'emptyTriangle'];
const nth = (list: string[], index: number): string => list[index % list.length] as string;

/** What has a colour for the second time has another shape. */
const nthSymbol = (index: number, coloured: number): string =>
  nth(symbols, index + Math.floor(coloured / theme().series.length));

export const runColour = (section: Section, run: Run): string => nth(theme().series, section.runIndex(run));
export const runSymbol = (section: Section, run: Run): string => nthSymbol(0, section.runIndex(run));

/** With several runs a colour is a run and a shape a process count; with one run the colour is that too. */
export function look(section: Section, series: Series): { colour: string; symbol: string; dash: string; name: string } {
  const { several } = section;
  const procsIndex = section.procs.indexOf(series.procs);
  const words = [
    several ? series.run.name : '',
    section.procs.length > 1 || !several ? format.processes(series.procs) : '',
    series.progress ? `progress ${series.progress}` : '',
  ];
  return {
    colour: several ? runColour(section, series.run) : nth(theme().series, procsIndex),
    symbol: nthSymbol(procsIndex, several ? section.runIndex(series.run) : procsIndex),
    dash: series.progress ? 'dashed' : 'solid',
    name: words.filter(Boolean).join(', '),
  };
}

/** The first columns of tables of points. */
export const keyColumns = (section: Section): Column[] => [
  { title: 'run', word: true },
  ...(section.progressTells ? [{ title: 'progress', word: true }] : []),
  { title: 'procs' },
  { title: 'size_bytes' },
];

export const keyCells = (
  section: Section,
  run: Run,
  of: { procs: number; size_bytes: number; progress?: string },
): Cell[] => [
  cell(run.name),
  ...(section.progressTells ? [cell(progressWords(of.progress ?? ''))] : []),
  cell(String(of.procs), of.procs),
  cell(section.bytes(of.size_bytes), of.size_bytes),
];
