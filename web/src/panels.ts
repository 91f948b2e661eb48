// Tables of one point: tails, time-outs, what explains slow repetitions; and of all points.
import type { Point } from './data';
import { h } from './dom';
import * as format from './format';
import { type Section, ci, value } from './section';
import { type Table, cell, tableElement, tools } from './table';

/** A box with a title that is filled anew when another point is picked; it hides where there is nothing to say. */
function panel(section: Section, title: string, fill: (point: Point) => { words: string; tables: Table[] } | undefined): HTMLElement {
  const body = h('div');
  const element = h('div', { class: 'panel' }, h('h3', {}, title), body);
  const show = (): void => {
    const point = section.point();
    const content = point && fill(point);
    element.hidden = !content;
    body.replaceChildren(...(content ? [h('p', { class: 'muted' }, content.words), ...content.tables.map((table) =>
      h('div', {}, h('div', { class: 'scroll' }, tableElement(table)), tools(() => table)))] : []));
  };
  section.changed(show);
  show();
  return element;
}

function tails(section: Section): HTMLElement {
  return panel(section, 'Tails', (point) => {
    const { tails: of } = point;
    if (!of) return undefined;
    const words = (last: string, unit: (n: number) => string, length: number): string[] =>
      Array.from({ length }, (_, i) => (i === length - 1 ? last : unit(i)));
    const minimum = words(`${of.by_minimum.length} times and more`, (i) => (i === 0 ? 'below 2 times' : `${i + 1} to ${i + 2} times`), of.by_minimum.length);
    const deviation = words(`above mean + ${of.by_deviation.length - 1} s`, (i) => (i === 0 ? 'below mean + 1 s' : `mean + ${i} s to mean + ${i + 1} s`),
      of.by_deviation.length);
    const shares = (name: string, first: string, titles: string[], values: number[]): Table => ({
      name: `${section.operation}-${name}`, columns: [{ title: first, word: true }, { title: 'share' }],
      rows: values.map((share, i) => [cell(titles[i] as string), cell(format.percent(share), share)]),
    });
    return {
      words: `${format.count(of.count)} times; the smallest is ${format.time(of.min_ns)}, the mean ${format.time(of.mean_ns)}, s (the standard deviation) ` +
        `${format.time(of.deviation_ns)}.`,
      // There is no multiple of a minimum of 0.
      tables: [...(of.by_minimum.length > 0 ? [shares('by-minimum', 'times the minimum', minimum, of.by_minimum)] : []), shares('by-deviation', 'deviations', deviation, of.by_deviation), {
        name: `${section.operation}-high-quantiles`, columns: [{ title: 'quantile', word: true }, { title: 'time' }, { title: '95 % interval' }],
        rows: of.quantiles.map((one) => [cell(`p${+(one.share * 100).toFixed(3)}`), cell(one.value_ns == null ? one.reason : format.time(one.value_ns), one.value_ns ?? null),
          cell(one.ci95_ns ? format.interval(one.ci95_ns) : one.reason || '-')]),
      }],
    };
  });
}

function timeouts(section: Section): HTMLElement {
  return panel(section, 'TCP time-outs', (point) => {
    const { timeouts: of } = point;
    if (!of || !of.status || of.status === 'not-tcp' || (of.status === 'none' && !of.text)) return undefined;
    return {
      words: of.text,
      tables: of.classes.length === 0 ? [] : [{
        name: `${section.operation}-timeouts`,
        columns: [{ title: 'time-outs', word: true }, { title: 'reps' }, { title: 'share' }, { title: 'from_ns' }, { title: 'to_ns' }],
        rows: of.classes.map((one) => [cell(one.name), cell(format.count(one.reps), one.reps), cell(format.percent(one.share), one.share),
          cell(one.reps ? format.time(one.from_ns) : '-', one.from_ns), cell(one.reps ? format.time(one.to_ns) : '-', one.to_ns)]),
      }],
    };
  });
}

function explanation(section: Section): HTMLElement {
  return panel(section, 'Why some repetitions were slow', (point) => {
    const { explanation: of } = point;
    if (!of || (!of.text && of.causes.length === 0)) return undefined;
    return {
      words: of.text,
      tables: of.causes.length === 0 ? [] : [{
        name: `${section.operation}-causes`,
        columns: [{ title: 'cause', word: true }, { title: 'where', word: true }, { title: 'slow reps' }, { title: 'counted' }, { title: 'time lost' }],
        rows: [...of.causes.map((one) => [cell(one.kind), cell(one.where), cell(format.count(one.reps), one.reps), cell(format.count(one.events), one.events), cell(format.time(one.lost_ns), one.lost_ns)]),
          [cell('unexplained'), cell(''), cell(format.count(of.unexplained), of.unexplained), cell(''), cell('')]],
      }],
    };
  });
}

function fits(section: Section): HTMLElement {
  return panel(section, 'Which distribution?', (point) => {
    const { distribution: of } = point;
    if (!of || of.fits.length === 0) return undefined;
    return {
      words: of.text,
      tables: [{
        name: `${section.operation}-fits`,
        columns: [{ title: 'family', word: true }, { title: 'largest distance' }, { title: 'fits', word: true }, { title: 'parameters', long: true }],
        rows: of.fits.map((fit) => [cell(fit.family), cell(format.percent(fit.distance), fit.distance), cell(fit.good ? 'yes' : 'no'),
          cell(Object.entries(fit.parameters ?? {}).map(([name, one]) => `${name} = ${+one.toPrecision(4)}`).join(', '))]),
      }],
    };
  });
}

export const pointPanels = (section: Section): HTMLElement[] => [tails(section), fits(section), timeouts(section), explanation(section)];

const mostNotes = 6;

/** What is said of the curves of an operation: bandwidth, anomalies, guidelines that do not hold. A note with a size picks it. */
export function curveNotes(section: Section): HTMLElement | null {
  const notes = section.runs.flatMap((run) => (run.notes ?? []).filter((note) => note.operation === section.operation && note.text).map((note) => ({ run, note })));
  if (notes.length === 0) return null;
  const item = ({ run, note }: (typeof notes)[0]): HTMLElement => h('li', {}, section.runs.length > 1 ? `${run.name}: ` : '', `${note.text}.`,
    note.size_bytes == null ? null : ' ', note.size_bytes == null ? null : h('button', {
      type: 'button', class: 'small', click: () => section.pick({ size: note.size_bytes as number, procs: note.procs, run }),
    }, 'Pick it'));
  return h('div', { class: 'panel notes' }, h('h3', {}, 'What the curves say'), h('ul', {}, ...notes.slice(0, mostNotes).map(item)),
    notes.length > mostNotes ? h('details', {}, h('summary', {}, `${notes.length - mostNotes} more`), h('ul', {}, ...notes.slice(mostNotes).map(item))) : null);
}

/** All points of an operation, measured or not. */
export function pointsTable(section: Section): Table {
  return {
    name: `${section.operation}-points`,
    columns: [{ title: 'run', word: true }, { title: 'procs' }, { title: 'size_bytes' }, { title: 'reps' }, { title: 'value_ns' }, { title: '95 % interval' },
      { title: 'min_ns' }, { title: 'p99_ns' }, { title: 'max_ns' }, { title: 'skew_ns' }, { title: 'rate_bytes_per_s' }, { title: 'remarks', long: true }],
    rows: section.everything.map(({ run, point }) => [
      cell(run.name), cell(String(point.procs), point.procs), cell(format.bytes(point.size_bytes), point.size_bytes), cell(format.count(point.reps), point.reps),
      cell(point.value_ns == null ? point.status : format.time(value(point)), point.value_ns ?? null), cell(format.interval(ci(point))),
      cell(format.time(point.min_ns), point.min_ns ?? null), cell(format.time(point.p99_ns), point.p99_ns ?? null),
      cell(format.time(point.max_ns), point.max_ns ?? null), cell(format.time(point.start_skew_median_ns), point.start_skew_median_ns ?? null),
      cell(format.rate(point.rate_bytes_per_s), point.rate_bytes_per_s ?? null),
      cell([point.scheme, point.reason, ...point.warnings, ...(point.measures ?? []).map((one) => one.text)].filter(Boolean).join('; ')),
    ]),
  };
}
