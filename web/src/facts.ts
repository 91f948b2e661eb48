// Facts of runs for the head of the page: what was measured, where, with what and how well.
import type { Run } from './data';
import { h } from './dom';
import * as format from './format';

const unique = <T>(values: T[]): T[] => [...new Set(values)];
export const listed = (words: string[], most = 4): string =>
  words.length <= most ? words.join(', ') : `${words.slice(0, most).join(', ')} and ${words.length - most} more`;

interface Fact {
  name: string;
  value: string;
  more: string;
}
const fact = (name: string, value: string, more = ''): Fact => ({ name, value, more });

/** Library version strings are long; the first words are name and version. */
const library = (run: Run): string => {
  const name = run.mpi_version.split(/[,;\n(]|\. /)[0]?.trim() || run.mpi;
  return run.simulated ? `${name} (simulated)` : name;
};

export const done = (run: Run): number => run.points.filter((point) => point.status === 'ok').length;
export const measuredOf = (run: Run): string => `${done(run)} of ${format.plural(run.points.length, 'point')} measured`;

/** What was measured, where and with what. */
function lead(run: Run): string {
  const operations = unique(run.points.map((point) => point.operation));
  const hosts = unique(run.ranks.map((rank) => rank.host));
  const procs = unique(run.points.map((point) => point.procs)).sort((a, b) => a - b);
  return (
    `${listed(operations)} with ${procs.length === 1 ? format.processes(procs[0] as number) : `${listed(procs.map(String), 8)} processes`}` +
    `${hosts.length === 0 ? '' : hosts.length === 1 ? ` on host ${hosts[0]}` : ` on ${hosts.length} hosts`}, ${library(run)}`
  );
}
const when = (run: Run): string => run.created_utc.replace('T', ' ').replace('Z', ' UTC');

/** Of several runs, what they have in common is said once; when they were measured is in the table of facts. */
export function leads(runs: Run[]): HTMLElement[] {
  const one = new Set(runs.map(lead)).size === 1;
  const [first] = runs;
  if (runs.length > 1 && one && first)
    return [h('p', { class: 'lead' }, `${runs.length === 2 ? 'Both' : `All ${runs.length}`} runs: ${lead(first)}.`)];
  return runs.map((run) =>
    h(
      'p',
      { class: 'lead' },
      runs.length > 1 ? h('b', {}, `${run.name}: `) : null,
      `${lead(run)}, ${when(run)}. ${measuredOf(run)}.`,
    ),
  );
}

/** Of two in the middle their mean. */
function median(values: number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}

/** Simulated times repeat to the last digit. */
const plusMinus = (share: number): string =>
  share > 0 && share < 1e-5 ? 'below \u00b10.001\u00a0%' : `\u00b1${format.percent(share)}`;

function howWell(run: Run): Fact[] {
  const skews = run.points.map((point) => point.start_skew_median_ns).filter((skew): skew is number => skew != null);
  const bounds = run.points.map((point) => point.clock_bound_ns).filter((bound): bound is number => bound != null);
  // The interval of a disturbed point does not tell how far its value may be off.
  const valued = run.points.filter((point) => point.value_ns);
  const sound = valued.filter((point) => point.quality !== 'disturbed');
  const which = sound.length < valued.length ? `the ${format.plural(sound.length, 'undisturbed point')}` : 'points';
  const widths = sound.flatMap((point) =>
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
      widths.length ? plusMinus(median(widths) ?? 0) : 'not known',
      `half a 95 % interval, median of ${which}${run.between_runs.text ? `; includes ${run.between_runs.text}` : ''}`,
    ),
  ];
}

/** Named where it is not that of a program which calls MPI_Init. */
const threadLevels = ({ thread_levels: levels = [] }: Run): string =>
  levels.every((level) => level === 'single')
    ? ''
    : `thread ${levels.length === 1 ? 'level' : 'levels'} ${listed(levels)}`;

function machine(run: Run): Fact[] {
  const hosts = unique(run.ranks.map((rank) => rank.host));
  const facts = run.environment[hosts[0] ?? ''] ?? {};
  const find = (...keys: string[]): string => keys.map((key) => facts[key]).find(Boolean) ?? '';
  const processor = find('cpu_model', 'cpu', 'processor', 'cpu model');
  const cores = find('cores', 'cpus', 'processors');
  const kernel = find('kernel', 'os');
  return [
    fact(
      'Hosts',
      listed(hosts) || 'not known',
      [processor, cores && `${cores} ${cores === '1' ? 'core' : 'cores'}`].filter(Boolean).join(', '),
    ),
    fact('MPI', library(run), [kernel, format.processes(run.procs), threadLevels(run)].filter(Boolean).join(', ')),
    fact('When', when(run), `${run.status}, ${measuredOf(run)}; fathom ${run.fathom_version}`),
  ];
}

/** Where and how well: a row a fact, a column a run; what all runs have in common is said once, below. */
export function factsTableOf(runs: Run[]): HTMLElement {
  const columns = runs.map((run) => [...machine(run), ...howWell(run)]);
  const rows = (columns[0] ?? []).map((_, at) => columns.map((facts) => facts[at] as Fact));
  const alike = (row: Fact[]): boolean =>
    row.every((one) => one.value === row[0]?.value && one.more === row[0]?.more) && runs.length > 1;
  const words = ({ value, more }: Fact): string => (more ? `${value} (${more})` : value);
  const common = rows.filter(alike).map((row) => `${row[0]?.name}: ${words(row[0] as Fact)}`);
  return h(
    'div',
    { class: 'facts' },
    h(
      'div',
      { class: 'frame' },
      h(
        'table',
        {},
        runs.length > 1
          ? h(
              'thead',
              {},
              h('tr', {}, h('th'), ...runs.map((run) => h('th', { scope: 'col', class: 'word' }, run.name))),
            )
          : null,
        h(
          'tbody',
          {},
          ...rows
            .filter((row) => !alike(row))
            .map((row) =>
              h(
                'tr',
                {},
                h('th', { scope: 'row', class: 'word' }, row[0]?.name ?? ''),
                ...row.map(({ value, more }) =>
                  h(
                    'td',
                    { class: 'word long' },
                    h('b', {}, value),
                    more ? h('span', { class: 'muted' }, ` ${more}`) : null,
                  ),
                ),
              ),
            ),
        ),
      ),
    ),
    common.length > 0 ? h('p', { class: 'muted' }, `The same in all: ${common.join('; ')}.`) : null,
  );
}
