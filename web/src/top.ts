// The head of the page: what was measured, where, how well, and what matters most.
import type { Document, Insight, Run } from './data';
import { anchor, h } from './dom';
import * as format from './format';
import type { Section } from './section';
import { type Table, cell, folded } from './table';

const unique = <T>(values: T[]): T[] => [...new Set(values)];
const listed = (words: string[], most = 4): string =>
  words.length <= most ? words.join(', ') : `${words.slice(0, most).join(', ')} and ${words.length - most} more`;

const fact = (name: string, value: string, more = ''): HTMLElement =>
  h(
    'div',
    { class: 'fact' },
    h('div', { class: 'name' }, name),
    h('div', { class: 'value' }, value),
    more ? h('div', { class: 'muted' }, more) : null,
  );

/** Library version strings are long; the first words are name and version. */
const library = (run: Run): string => {
  const name = run.mpi_version.split(/[,;\n(]|\. /)[0]?.trim() || run.mpi;
  return run.simulated ? `${name} (simulated)` : name;
};

const done = (run: Run): number => run.points.filter((point) => point.status === 'ok').length;
const measuredOf = (run: Run): string => `${done(run)} of ${format.plural(run.points.length, 'point')} measured`;

function lead(run: Run): string {
  const operations = unique(run.points.map((point) => point.operation));
  const hosts = unique(run.ranks.map((rank) => rank.host));
  const procs = unique(run.points.map((point) => point.procs)).sort((a, b) => a - b);
  return (
    `${listed(operations)} with ${procs.length === 1 ? format.processes(procs[0] as number) : `${listed(procs.map(String), 8)} processes`}${hosts.length === 0 ? '' : hosts.length === 1 ? ` on host ${hosts[0]}` : ` on ${hosts.length} hosts`}` +
    `, ${library(run)}, ${run.created_utc.replace('T', ' ').replace('Z', ' UTC')}. ` +
    `${measuredOf(run)}.`
  );
}

/** Of two in the middle their mean. */
function median(values: number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** The first message about a run that did not finish. */
function cutShort(run: Run): HTMLElement | null {
  const how = {
    failed: 'This run failed',
    interrupted: 'This run was interrupted',
    running: 'This run was not finished',
  }[run.status];
  return how
    ? h(
        'p',
        { class: 'cut', role: 'note' },
        h('b', {}, `${how}: ${measuredOf(run)}.`),
        ' ',
        h('code', {}, `fathom run --resume ${run.run}`),
        ' goes on with the others.',
      )
    : null;
}

function howWell(run: Run): HTMLElement[] {
  const skews = run.points.map((point) => point.start_skew_median_ns).filter((skew): skew is number => skew != null);
  const bounds = run.points.map((point) => point.clock_bound_ns).filter((bound): bound is number => bound != null);
  const widths = run.points.flatMap((point) =>
    point.value_ns && point.value_ci95_ns
      ? [(point.value_ci95_ns[1] - point.value_ci95_ns[0]) / 2 / point.value_ns]
      : [],
  );
  const clock = run.clock;
  return [
    run.simulated
      ? fact('Clock', 'simulated time', 'exact for all processes')
      : fact(
          'Clock',
          bounds.length
            ? `known to ${format.time(Math.max(...bounds))}`
            : clock
              ? `known to ${format.time(clock.bound_ns)}`
              : 'not compared',
          clock?.shared
            ? `all processes share one (${run.time_source})`
            : clock
              ? `${clock.scheme}, ${format.plural(clock.synchronisations, 'synchronisation')}`
              : '',
        ),
    fact(
      'Starts',
      skews.length ? `${format.time(median(skews))} apart` : 'not known',
      'first to last process, median of points',
    ),
    fact(
      'Uncertainty',
      widths.length ? `\u00b1${format.percent(median(widths))}` : 'not known',
      'half a 95 % interval, median of points',
    ),
  ];
}

function machine(run: Run): HTMLElement[] {
  const hosts = unique(run.ranks.map((rank) => rank.host));
  const facts = run.environment[hosts[0] ?? ''] ?? {};
  const find = (...keys: string[]): string => keys.map((key) => facts[key]).find(Boolean) ?? '';
  const processor = find('cpu_model', 'cpu', 'processor', 'cpu model');
  const cores = find('cores', 'cpus', 'processors');
  const kernel = find('kernel', 'os');
  return [
    fact(
      hosts.length === 1 ? 'Host' : 'Hosts',
      listed(hosts) || 'not known',
      [processor, cores && `${cores} ${cores === '1' ? 'core' : 'cores'}`].filter(Boolean).join(', '),
    ),
    fact('MPI', library(run), [kernel, format.processes(run.procs)].filter(Boolean).join(', ')),
    fact('When', run.created_utc.replace('T', ' ').replace('Z', ' UTC'), `${run.status}; fathom ${run.fathom_version}`),
  ];
}

/** What matters most over all runs. */
const findings = (document: Document): { run: Run; insight: Insight }[] =>
  document.runs
    .flatMap((run) => run.insights.map((insight) => ({ run, insight })))
    .sort((a, b) => b.insight.weight - a.insight.weight);

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The operations that have a section. */
type Known = Map<string, Section>;

/** To the charts of an operation, at a point. */
const link = (section: Section, part: string, at: Parameters<Section['pick']>[0]): HTMLElement =>
  h('a', { href: `#${anchor(section.operation)}${part}`, click: () => section.pick(at) }, 'See the chart');

/** What is shown below the curves, where times spread. */
const spreadKinds = ['distribution', 'tails', 'timeouts', 'explanation'];

/** How later runs compare with the first, in a sentence each. */
function compared(document: Document, known: Known): (HTMLElement | null)[] {
  const first = document.runs[0];
  if (!first || document.comparisons.length === 0) return [];
  return [
    h('h2', {}, `Compared with ${first.name}`),
    h(
      'ul',
      { class: 'warnings' },
      ...document.comparisons.map((comparison) => {
        const run = document.runs[comparison.run_index] as Run;
        const rank = { slower: 2, faster: 1, undecided: 0, same: 0 };
        const worst = comparison.points
          .filter((point) => known.has(point.operation))
          .sort(
            (a, b) => rank[b.verdict] - rank[a.verdict] || Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio)),
          )[0];
        const section = worst && rank[worst.verdict] > 0 ? known.get(worst.operation) : undefined;
        return h(
          'li',
          {},
          h('span', { class: 'badge' }, run.name),
          ` ${comparison.text}`,
          ...(worst && section
            ? [
                ` Most: ${worst.operation}, ${section.sized ? `${section.bytes(worst.size_bytes)}, ` : ''}${format.processes(worst.second_procs)}: ` +
                  `${worst.ratio.toFixed(2)} times as long. `,
                link(section, '', {
                  run,
                  procs: worst.second_procs,
                  size: worst.size_bytes,
                  variant: section.variantOf(worst),
                }),
              ]
            : []),
          comparison.differences.length > 0
            ? h(
                'div',
                { class: 'muted' },
                `They differ in ${comparison.differences.map((one) => `${one.what} (${one.first} and ${one.second})`).join('; ')}.`,
              )
            : null,
        );
      }),
    ),
  ];
}

export function top(document: Document, known: Known): HTMLElement {
  const several = document.runs.length > 1;
  const most = 5;
  const found = findings(document);
  const anything = document.runs.some((run) => done(run) > 0);
  const part = document.runs.some((run) => done(run) < run.points.length);
  const list = h(
    'ol',
    { class: 'findings' },
    ...found.slice(0, most).map(({ run, insight }) => {
      const section = known.get(insight.operation);
      return h(
        'li',
        {},
        several ? h('span', { class: 'badge' }, run.name) : null,
        several ? ' ' : null,
        sentence(insight.text),
        ...(section
          ? [
              ' ',
              link(section, section.spreads && spreadKinds.includes(insight.kind) ? '-spread' : '', {
                run,
                procs: insight.procs,
                size: insight.size_bytes,
                variant: section.variantOf(insight),
              }),
            ]
          : []),
        insight.remedy ? h('div', { class: 'muted' }, `Fix: ${insight.remedy}`) : null,
      );
    }),
  );
  const warnings = document.runs.flatMap((run) => run.warnings.map((warning) => ({ run, warning })));
  const remarked = document.runs.flatMap((run) => run.points).filter((point) => point.warnings.length > 0).length;
  return h(
    'section',
    { id: 'top' },
    h(
      'h1',
      {},
      several
        ? `MPI communication: ${document.runs.map((run) => run.name).join(' and ')}`
        : `MPI communication: ${document.runs[0]?.name ?? ''}`,
    ),
    ...document.runs.flatMap((run): (HTMLElement | null)[] => [
      several ? h('h3', {}, run.name) : null,
      cutShort(run),
      h('p', { class: 'lead' }, lead(run)),
      h('div', { class: 'facts' }, ...machine(run), ...howWell(run)),
      run.verdict
        ? h(
            'p',
            {},
            h('b', {}, run.verdict.accepted ? 'Accepted.' : 'Not accepted.'),
            ` ${run.verdict.reasons.join('; ')}`,
          )
        : null,
    ]),
    ...compared(document, known),
    h(
      'h2',
      { id: 'findings' },
      found.length > 0
        ? 'What matters most'
        : !anything
          ? 'Nothing was measured'
          : several
            ? 'Nothing stands out within a run'
            : part
              ? 'Nothing stands out in what was measured'
              : 'Nothing stands out',
    ),
    found.length > 0
      ? list
      : h(
          'p',
          { class: 'muted' },
          anything
            ? 'No analysis found anything that needs attention. The figures below are what was measured.'
            : 'There is nothing to analyse. The tables of all points give the reasons.',
        ),
    warnings.length + remarked > 0 ? h('h3', {}, 'Notes on these figures') : null,
    warnings.length + remarked > 0
      ? h(
          'ul',
          { class: 'warnings' },
          ...warnings.map(({ run, warning }) =>
            h(
              'li',
              { class: warning.severity === 'serious' ? 'serious' : undefined },
              warning.severity === 'serious' ? h('b', {}, 'Serious: ') : null,
              several ? `${run.name}: ` : '',
              sentence(warning.text),
              warning.remedy ? h('div', { class: 'muted' }, `Fix: ${sentence(warning.remedy)}`) : null,
            ),
          ),
          remarked > 0
            ? h(
                'li',
                {},
                `${format.plural(remarked, 'point')} ${remarked === 1 ? 'has a remark' : 'have remarks'}, listed in the tables of ` +
                  'all points of each operation.',
              )
            : null,
        )
      : null,
  );
}

const processesTable = (run: Run): Table => ({
  name: `run-${run.run}-processes`,
  columns: [{ title: 'rank' }, { title: 'host', word: true }, { title: 'pid' }, { title: 'processors', word: true }],
  rows: run.ranks.map((rank) => [
    cell(String(rank.rank), rank.rank),
    cell(rank.host),
    cell(String(rank.pid), rank.pid),
    cell(rank.binding),
  ]),
});

const factsTable = (run: Run, host: string, facts: Record<string, string>): Table => ({
  name: `run-${run.run}-${host}`,
  columns: [
    { title: 'name', word: true },
    { title: 'value', word: true, long: true },
  ],
  rows: Object.entries(facts).map(([name, value]) => [cell(name), cell(value)]),
});

export function environment(document: Document): HTMLElement {
  return h(
    'section',
    { id: 'environment', class: 'operation' },
    h('h2', {}, 'Where and how it was measured'),
    ...document.runs.flatMap((run) => [
      h('h3', {}, run.name),
      h(
        'p',
        { class: 'muted' },
        'Command: ',
        h('code', {}, run.command_line),
        ` (fathom ${run.fathom_version}, ${run.fathom_commit})`,
      ),
      folded(`Processes (${run.ranks.length})`, () => processesTable(run)),
      ...Object.entries(run.environment).map(([host, facts]) =>
        folded(host === 'job' ? 'The whole job' : `Host ${host}`, () => factsTable(run, host, facts)),
      ),
      h('details', {}, h('summary', {}, 'The plan (for fathom run --plan)'), h('pre', { tabindex: 0 }, run.plan_toml)),
    ]),
  );
}
