// Tables of one point: tails, groups of processes, timeouts, what explains slow repetitions; and of all points.
import type { Point, Timeouts } from './data';
import { h } from './dom';
import * as format from './format';
import { keyCells, keyColumns } from './look';
import { type Section, ci } from './section';
import { type Cell, type Table, cell, endCells, framed, timeCell } from './table';

/** A titled box, refilled when another point is picked and hidden if it is empty. */
export function panel(
  section: Section,
  title: string,
  fill: (point: Point) => { words: string; tables: Table[] } | undefined,
): HTMLElement {
  const body = h('div');
  const element = h('div', { class: 'panel' }, h('h3', {}, title), body);
  const show = (): void => {
    const point = section.point();
    const content = point && fill(point);
    element.hidden = !content;
    body.replaceChildren(
      ...(content ? [h('p', { class: 'muted' }, content.words), ...content.tables.map(framed)] : []),
    );
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
    const byMinimum = of.by_minimum ?? [];
    const minimum = words(
      `${byMinimum.length} times and more`,
      (i) => (i === 0 ? 'below 2 times' : `${i + 1} to ${i + 2} times`),
      byMinimum.length,
    );
    const deviation = words(
      `above mean + ${of.by_deviation.length - 1} sd`,
      (i) => (i === 0 ? 'below mean + 1 sd' : `mean + ${i} sd to mean + ${i + 1} sd`),
      of.by_deviation.length,
    );
    const shares = (name: string, first: string, titles: string[], values: number[]): Table => ({
      name: `${section.operation}-${name}`,
      columns: [{ title: first, word: true }, { title: 'share' }],
      rows: values.map((share, i) => [cell(titles[i] as string), cell(format.percent(share), share)]),
    });
    return {
      words:
        `${section.place}: ${format.plural(of.count, 'time')}; the smallest is ${format.time(of.min_ns)}, the mean ${format.time(of.mean_ns)}, ` +
        `the standard deviation (sd) ${format.time(of.deviation_ns)}.`,
      tables: [
        ...(byMinimum.length > 0 ? [shares('by-minimum', 'times the minimum', minimum, byMinimum)] : []),
        shares('by-deviation', 'deviations', deviation, of.by_deviation),
        {
          name: `${section.operation}-high-quantiles`,
          columns: [
            { title: 'quantile', word: true },
            { title: 'time_ns' },
            { title: 'low95_ns' },
            { title: 'high95_ns' },
            { title: 'remark', long: true },
          ],
          rows: of.quantiles.map((one) => [
            cell(`p${+(one.share * 100).toFixed(3)}`),
            timeCell(one.value_ns),
            ...endCells(one.ci95_ns),
            cell(one.reason),
          ]),
        },
      ],
    };
  });
}

function groups(section: Section): HTMLElement {
  return panel(section, 'Groups of processes', (point) => {
    const { processes: of } = point;
    if (!of || of.groups.length < 2) return undefined;
    const last = of.ranks.find((one) => one.rank === of.most_often_last_rank);
    return {
      words:
        `${section.place}: groups of ranks that take the same time, by their medians.` +
        (last === undefined
          ? ''
          : ` The most frequent last rank is ${last.rank}, in ${format.percent(last.last_share)} of the repetitions.`),
      tables: [
        {
          name: `${section.operation}-groups`,
          columns: [
            { title: 'group' },
            { title: 'processes' },
            { title: 'from_ns' },
            { title: 'to_ns' },
            { title: 'ranks', long: true },
          ],
          rows: of.groups.map((group, i) => [
            cell(String(i + 1), i + 1),
            cell(String(group.ranks.length), group.ranks.length),
            timeCell(group.low_ns),
            timeCell(group.high_ns),
            cell(format.ranks(group.ranks)),
          ]),
        },
      ],
    };
  });
}

/** How the TCP retransmission timeout is known. */
const rtoFrom: Record<string, string> = {
  connection: 'known from the connection',
  kernel: 'the kernel setting',
  estimated: 'estimated from the times',
  guessed: 'guessed',
};

/** The shares of each process's own times, and what the kernel of its host counted meanwhile. */
function timeoutsByProcess(section: Section, of: Timeouts): Table[] {
  const { by_process: found } = of;
  if (!found || found.classes.every((one) => one.timeouts === 'none' || one.times === 0)) return [];
  return [
    {
      name: `${section.operation}-timeouts-by-process`,
      columns: [
        { title: 'rank' },
        { title: 'host', word: true },
        ...found.classes.map((one) => ({ title: one.timeouts })),
        { title: 'counted_on_host' },
      ],
      rows: [{ rank: undefined, host: 'all', classes: found.classes }, ...found.ranks].map((row) => {
        const counted = row.rank === undefined ? of.counted : (of.counted_on[row.host] ?? 0);
        return [
          cell(row.rank === undefined ? 'all' : String(row.rank), row.rank),
          cell(row.host),
          ...row.classes.map((one) => cell(format.percent(one.share), one.share)),
          of.counted == null || counted == null ? cell('-') : cell(format.count(counted), counted),
        ];
      }),
    },
  ];
}

function timeouts(section: Section): HTMLElement {
  return panel(section, 'TCP timeouts', (point) => {
    const { timeouts: of } = point;
    if (!of || !of.status || of.status === 'not-tcp' || (of.status === 'none' && !of.text)) return undefined;
    return {
      words: [
        `${section.place}. ${of.text}`,
        of.rto_ns && of.rto_from
          ? `The retransmission timeout is ${format.time(of.rto_ns)} (${rtoFrom[of.rto_from] ?? of.rto_from}).`
          : '',
        of.inferred > 0 ? `The times suggest ${format.plural(of.inferred, 'timeout')}.` : '',
        of.probes ? `Tail-loss probes found ${format.plural(of.probes, 'loss', 'losses')}.` : '',
      ]
        .filter(Boolean)
        .join(' '),
      tables:
        of.classes.length === 0
          ? []
          : [
              {
                name: `${section.operation}-timeouts`,
                columns: [
                  { title: 'timeouts', word: true },
                  { title: 'reps' },
                  { title: 'share' },
                  { title: 'from_ns' },
                  { title: 'to_ns' },
                ],
                rows: of.classes.map((one) => [
                  cell(one.timeouts),
                  cell(format.count(one.reps), one.reps),
                  cell(format.percent(one.share), one.share),
                  timeCell(one.from_ns),
                  timeCell(one.to_ns),
                ]),
              },
              ...timeoutsByProcess(section, of),
            ],
    };
  });
}

function explanation(section: Section): HTMLElement {
  return panel(section, 'Why some repetitions were slow', (point) => {
    const { explanation: of } = point;
    if (!of || (!of.text && of.causes.length === 0)) return undefined;
    const named = of.causes.reduce((sum, one) => sum + one.reps, 0);
    const rest: [string, number][] = [
      ['ordinary system activity', of.small_reps],
      ['unexplained', of.unexplained_reps],
    ];
    return {
      words: `${section.place}. ${of.text}`,
      tables:
        named + (rest[0] as [string, number])[1] === 0
          ? []
          : [
              {
                name: `${section.operation}-causes`,
                columns: [
                  { title: 'cause', word: true },
                  { title: 'where', word: true },
                  { title: 'slow_reps' },
                  { title: 'counted' },
                  { title: 'lost_ns' },
                ],
                rows: [
                  ...of.causes.map((one) => [
                    cell(one.kind),
                    cell(one.where),
                    cell(format.count(one.reps), one.reps),
                    cell(format.count(one.events), one.events),
                    timeCell(one.lost_ns),
                  ]),
                  ...rest
                    .filter(([, reps]) => reps > 0)
                    .map(([name, reps]) => [
                      cell(name),
                      cell(''),
                      cell(format.count(reps), reps),
                      cell('-', null),
                      timeCell(null),
                    ]),
                ],
              },
            ],
    };
  });
}

function fits(section: Section): HTMLElement {
  return panel(section, 'Which distribution?', (point) => {
    const { distribution: of } = point;
    if (!of || of.fits.length === 0) return undefined;
    return {
      words: `${section.place}. ${of.text}`,
      tables: [
        {
          name: `${section.operation}-fits`,
          columns: [
            { title: 'family', word: true },
            { title: 'largest distance' },
            { title: 'fits', word: true },
            { title: 'parameters', long: true },
          ],
          rows: of.fits.map((fit) => [
            cell(fit.family),
            cell(format.percent(fit.distance), fit.distance),
            cell(fit.good == null ? '-' : fit.good ? 'yes' : 'no'),
            cell(
              Object.entries(fit.parameters ?? {})
                .map(([name, one]) => `${name} = ${+one.toPrecision(4)}`)
                .join(', '),
            ),
          ]),
        },
      ],
    };
  });
}

const mostOutliers = 100;

function outliers(section: Section): HTMLElement {
  return panel(section, 'Outliers', (point) => {
    const { outliers: of } = point;
    if (!of || of.count === 0) return undefined;
    const number = (value: number | null | undefined): Cell => cell(String(value ?? '-'), value ?? null);
    const counted = ({ rank, host, ...counts }: { rank: number; host: string }): string =>
      `rank ${rank} on ${host}: ` +
      Object.entries(counts as Record<string, number>)
        .map(([name, count]) => (name === 'waited_ns' ? `waited ${format.time(count)}` : `${name} ${count}`))
        .join(', ');
    const shown = of.outliers.slice(0, mostOutliers);
    return {
      words:
        `${section.place}: ${format.count(of.count)} of ${format.plural(of.reps, 'repetition')} took longer than ` +
        `${format.time(of.fence_ns)}, the outlier fence; the median is ${format.time(of.median_ns)}.` +
        (of.count > shown.length ? ` The slowest ${shown.length}:` : ''),
      tables: [
        {
          name: `${section.operation}-outliers`,
          columns: [
            ...['launch', 'repetition', 'rank', 'time_ns', 'start_ns'].map((title) => ({ title })),
            { title: 'counted meanwhile', long: true },
          ],
          rows: shown.map((one) => [
            ...[one.launch, one.repetition, one.rank].map(number),
            timeCell(one.time_ns),
            timeCell(one.start_ns),
            cell((one.counted ?? []).map(counted).join('; ')),
          ]),
        },
      ],
    };
  });
}

export const pointPanels = (section: Section): HTMLElement[] => [
  tails(section),
  fits(section),
  groups(section),
  timeouts(section),
  explanation(section),
  outliers(section),
];

const mostNotes = 6;

/** Findings on the curves of an operation: bandwidth, anomalies, guidelines that do not hold. A note with a size picks it. */
export function curveNotes(section: Section): HTMLElement | null {
  const notes = section.runs.flatMap((run) =>
    (run.notes ?? [])
      .filter((note) => note.operation === section.operation && note.text)
      .map((note) => ({ run, note })),
  );
  if (notes.length === 0) return null;
  const item = ({ run, note }: (typeof notes)[0]): HTMLElement =>
    h(
      'li',
      {},
      section.several ? `${run.name}: ` : '',
      `${note.text}.`,
      note.size_bytes == null ? null : ' ',
      note.size_bytes == null
        ? null
        : h(
            'button',
            {
              type: 'button',
              class: 'small',
              click: () =>
                section.pick({ size: note.size_bytes, procs: note.procs, variant: section.variantOf(note), run }),
            },
            'Pick it',
          ),
    );
  return h(
    'div',
    { class: 'panel notes' },
    h('h3', {}, 'Findings on the curves'),
    h('ul', {}, ...notes.slice(0, mostNotes).map(item)),
    notes.length > mostNotes
      ? h(
          'details',
          {},
          h('summary', {}, `${notes.length - mostNotes} more`),
          h('ul', {}, ...notes.slice(mostNotes).map(item)),
        )
      : null,
  );
}

/** How many launches count, of how many. */
function launchesText({ launches }: Point): string {
  if (!launches) return '1';
  const all = launches.used + launches.set_aside + launches.failed;
  return launches.used === all ? `${all}` : `${launches.used} of ${all}`;
}

/** All points of an operation, measured or not. */
export function pointsTable(section: Section): Table {
  const some = (has: (point: Point) => unknown): boolean => section.everything.some(({ point }) => has(point));
  const schemes = some((point) => point.scheme);
  const launches = some((point) => point.launches);
  const setAside = some((point) => point.set_aside_reps > 0);
  return {
    name: `${section.operation}-points`,
    columns: [
      ...keyColumns(section.differing),
      ...(schemes ? [{ title: 'scheme', word: true }] : []),
      { title: 'status', word: true },
      ...(launches ? [{ title: 'launches', word: true }] : []),
      { title: 'reps' },
      ...(setAside ? [{ title: 'set_aside_reps' }] : []),
      ...['value_ns', 'low95_ns', 'high95_ns', 'min_ns', 'p99_ns', 'max_ns', 'skew_ns', 'rate_bytes_per_s'].map(
        (title) => ({ title }),
      ),
      { title: 'remarks', long: true },
    ],
    rows: section.everything.map(({ run, point }) => [
      ...keyCells(section, run, point),
      ...(schemes ? [cell(point.scheme ?? '')] : []),
      cell(point.status),
      ...(launches ? [cell(launchesText(point))] : []),
      cell(format.count(point.reps), point.reps),
      ...(setAside ? [cell(format.count(point.set_aside_reps), point.set_aside_reps)] : []),
      timeCell(point.value_ns),
      ...endCells(ci(point)),
      ...[point.min_ns, point.p99_ns, point.max_ns, point.start_skew_median_ns].map((ns) => timeCell(ns)),
      cell(format.rate(point.rate_bytes_per_s), point.rate_bytes_per_s ?? null),
      cell(
        [point.reason, ...point.warnings, ...(point.measures ?? []).map((one) => one.text)].filter(Boolean).join('; '),
      ),
    ]),
  };
}
