// The answer in one line: of runs that are compared, what is slower or faster up to which size; of one run, the time of
// the smallest message and the bandwidth of the largest.
import { addressAt } from './address';
import type { Comparison, Document, LargestChange, Point, Run } from './data';
import { h } from './dom';
import * as format from './format';
import { type Section, ci, value } from './section';
import { verdictLooks } from './verdicts';

/** The operations that have a section. */
type Known = Map<string, Section>;

/** The largest change in one direction, with the way to its charts. */
function largest(
  change: LargestChange | null | undefined,
  verdict: 'slower' | 'faster',
  known: Known,
  run: Run,
): HTMLElement | null {
  const section = change && known.get(change.operation);
  if (!change || !section) return null;
  const at = { run, procs: change.second_procs, size: change.size_bytes, variant: section.variantOf(change) };
  return h(
    'li',
    { class: verdict },
    h('b', {}, `${verdictLooks[verdict].sign} ${verdict}: up to ${format.change(change.ratio)}`),
    ': ',
    h(
      'a',
      { href: addressAt(section, section.id, at) },
      [
        change.operation,
        section.sized ? section.bytes(change.size_bytes) : '',
        format.processes(change.second_procs),
        at.variant,
      ]
        .filter(Boolean)
        .join(', '),
    ),
  );
}

function compared(comparison: Comparison, document: Document, known: Known): HTMLElement[] {
  const run = document.runs[comparison.run_index] as Run;
  const { text, slowest, fastest } = comparison.change_by_size;
  return [
    h('p', { class: 'headline' }, text),
    h('ul', { class: 'extremes' }, largest(slowest, 'slower', known, run), largest(fastest, 'faster', known, run)),
  ];
}

interface Figure {
  name: string;
  value: string;
  /** How uncertain it is. */
  more: string;
}

/** Half of the 95 % interval; that of a disturbed point does not tell how far its value may be off. */
const uncertainty = (point: Point): string => {
  const ends = point.quality === 'disturbed' ? null : ci(point);
  const share = ends && value(point) > 0 ? (ends[1] - ends[0]) / 2 / value(point) : 0;
  return share >= 0.0005 ? `\u00b1\u00a0${format.percent(share)}` : '';
};

/** With the mark of tables before it if it is unreliable. */
const marked = (text: string, point: Point): string => (!point.quality || point.quality === 'good' ? text : `~${text}`);

const doubts = { disturbed: 'disturbed', imprecise: 'imprecise', 'out-of-range': 'measured outside 0 to 1' };

/** What is wanted first of an operation: of studies of overlap what they leave, else the time (of a message: latency) and bandwidth. */
function figuresOf(section: Section, points: Point[]): Figure[] {
  const [first, last] = [points[0], points[points.length - 1]];
  if (!first || !last) return [];
  const at = (words: string, point: Point): string =>
    section.sized ? `${words}, ${section.bytes(point.size_bytes)}` : words;
  if (first.overlap) {
    const of = ({ overlap }: Point): number | null | undefined => (overlap?.work_based ?? overlap)?.availability;
    return [...new Set([first, last])].flatMap((point) => {
      const left = of(point);
      if (left == null) return [];
      const doubt = point.overlap?.doubt;
      return [
        {
          name: at('availability', point),
          value: doubt ? 'undecided' : left.toFixed(2),
          more: doubt ? doubts[doubt] : '',
        },
      ];
    });
  }
  const time = (point: Point): Figure => ({
    name: at(section.latency ? 'latency' : 'time', point),
    value: marked(format.time(value(point)), point),
    more: uncertainty(point),
  });
  if (first === last) return [time(first)];
  return [
    time(first),
    last.rate_bytes_per_s
      ? {
          name: at('bandwidth', last),
          value: marked(format.rate(last.rate_bytes_per_s), last),
          more: uncertainty(last),
        }
      : { ...time(last), name: at('time', last) },
  ];
}

const mostOperations = 4;

/** Of each operation, the smallest message and the largest, with the most processes. */
function measured(known: Known): HTMLElement | null {
  const cards = [...known.values()].flatMap((section) => {
    const series = section.series.find((one) => one.run === section.run && one.procs === section.proc);
    const figures = figuresOf(
      section,
      (series?.points ?? []).filter((point) => point.overlap || value(point) > 0),
    );
    if (!series || figures.length === 0) return [];
    return [
      h(
        'li',
        {},
        h(
          'div',
          { class: 'what' },
          h('a', { href: `#${section.id}` }, section.operation),
          `, ${format.processes(series.procs)}`,
          series.variant ? `, ${series.variant}` : '',
        ),
        h(
          'dl',
          {},
          ...figures.map(({ name, value, more }) =>
            h(
              'div',
              {},
              h('dt', {}, name),
              h('dd', {}, h('b', {}, value), more ? h('span', { class: 'muted' }, ` ${more}`) : null),
            ),
          ),
        ),
      ),
    ];
  });
  if (cards.length === 0) return null;
  const more = cards.length - mostOperations;
  return h(
    'ul',
    { class: 'key' },
    ...cards.slice(0, mostOperations),
    more > 0 ? h('li', { class: 'muted' }, `${format.plural(more, 'operation')} more below`) : null,
  );
}

export function headline(document: Document, known: Known): (HTMLElement | null)[] {
  if (document.comparisons.length > 0)
    return document.comparisons.flatMap((comparison) => compared(comparison, document, known));
  return document.runs.length === 1 ? [measured(known)] : [];
}
