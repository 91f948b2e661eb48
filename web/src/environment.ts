// The last section of the page: the command, the processes and the hosts of each run.
import type { Document, Run } from './data';
import { h } from './dom';
import { type Table, cell, folded } from './table';

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

/** So many hosts are listed one by one. */
const fewHosts = 6;

/** What is known of each host, and of the whole job. */
function hostsOf(run: Run): HTMLElement[] {
  const tables = Object.entries(run.environment).map(([host, facts]) => ({
    host,
    element: () => folded(host === 'job' ? 'The whole job' : `Host ${host}`, () => factsTable(run, host, facts)),
  }));
  const job = tables.filter(({ host }) => host === 'job').map(({ element }) => element());
  const hosts = tables.filter(({ host }) => host !== 'job');
  if (hosts.length <= fewHosts) return [...job, ...hosts.map(({ element }) => element())];
  const all = h(
    'details',
    {
      toggle: () => {
        if (all.childElementCount === 1) all.append(...hosts.map(({ element }) => element()));
      },
    },
    h('summary', {}, `Hosts (${hosts.length})`),
  );
  return [...job, all];
}

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
      ...hostsOf(run),
      h('details', {}, h('summary', {}, 'The plan (for fathom run --plan)'), h('pre', { tabindex: 0 }, run.plan_toml)),
    ]),
  );
}
