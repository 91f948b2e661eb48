// The page of a tuning: what is gained where, the lines for a job script, maps of winners, tables, before and after,
// predicted and measured. Several tunings stand side by side.
import { AlgorithmLooks } from './algorithm_look';
import { anchor, h } from './dom';
import type { Figure } from './figure';
import * as format from './format';
import { type Cell, type Table, cell, copyTools, folded, framed, timeCell } from './table';
import { predictedFigure, proofFigure } from './tuning_curves';
import {
  type Named,
  type TunedOperation,
  type Tuning,
  type Tunings,
  entriesOf,
  fastest,
  named,
  operationsOf,
  proofOf,
  rowsOf,
  shellWord,
  shortName,
} from './tuning_data';
import { fasterFirst, verdictCounts } from './verdicts';
import { mapLegend, winnersFigure } from './winners';

const proveCommand = (tuning: Tuning): string => `fathom tune --prove ${shellWord(tuning.file)}`;

/** What is gained, and where the most. */
function gained(tuning: Tuning): string {
  const sizes = tuning.operations.flatMap((entry) => entry.sizes);
  const proposed = tuning.operations.flatMap((entry) => entry.sizes.filter((at) => at.proposed != null));
  if (sizes.length === 0) return 'Nothing was measured.';
  if (proposed.length === 0)
    return `Nothing is proposed: at ${format.plural(sizes.length, 'size')} no other algorithm is significantly faster by 3 % or more.`;
  // What is proposed may be less than the best: no file can name some implementations.
  const proposals = tuning.operations.flatMap((entry) => entry.proposals.map((proposal) => ({ entry, proposal })));
  const operations = [...new Set(proposals.map(({ entry }) => entry.operation))].map((operation) => {
    const own = proposals.filter(({ entry }) => entry.operation === operation);
    const most = own.reduce((best, one) => (one.proposal.most_speedup > best.proposal.most_speedup ? one : best));
    const { first_bytes, last_bytes, most_speedup } = most.proposal;
    const sizes = first_bytes === last_bytes ? [first_bytes] : [first_bytes, last_bytes];
    return (
      `${operation} up to ${most_speedup.toFixed(2)} times as fast (${sizes.map(format.exactBytes).join(' to ')}, ` +
      `${format.processes(most.entry.procs)})`
    );
  });
  const listed = operations.slice(0, 6).join('; ') + (operations.length > 6 ? `; ${operations.length - 6} more` : '');
  return `Another algorithm is proposed at ${proposed.length} of ${format.plural(sizes.length, 'size')}: ${listed}.`;
}

/** Whether that was measured with the rules in use. */
function proven(tuning: Tuning): HTMLElement | null {
  const { proof } = tuning;
  if (tuning.files.length === 0) return null; // there is nothing to prove
  if (!proof || proof.length === 0)
    return h(
      'p',
      {},
      h('b', {}, 'Not proven yet. '),
      h('code', {}, proveCommand(tuning)),
      ' measures before and after.',
    );
  const slower = proof.some(({ verdict }) => verdict === 'slower');
  return h(
    'p',
    { class: slower ? 'serious' : undefined },
    h('b', {}, slower ? 'Proven, but not everywhere. ' : 'Proven. '),
    `Measured before and after at ${format.plural(proof.length, 'size')}: ${verdictCounts(proof, fasterFirst)}.`,
  );
}

function unfinished(tuning: Tuning): HTMLElement | null {
  const left = tuning.operations.filter(({ finished }) => !finished);
  return left.length === 0
    ? null
    : h(
        'p',
        { class: 'cut', role: 'note' },
        h('b', {}, 'The search ended before it was finished: '),
        `${left
          .slice(0, 6)
          .map(({ operation, procs }) => `${operation} with ${format.processes(procs)}`)
          .join(
            ', ',
          )}${left.length > 6 ? ` and ${left.length - 6} more` : ''}. The same command with --resume goes on.`,
      );
}

/** Lines that switch the rules on. */
function jobScript(tuning: Tuning): (HTMLElement | null)[] {
  const lines = tuning.files.flatMap(({ variables }) =>
    variables.map(({ name, value }) => `export ${name}=${shellWord(value)}`),
  );
  if (lines.length === 0)
    return [
      h(
        'p',
        { class: 'muted' },
        tuning.operations.some(({ proposals }) => proposals.length > 0)
          ? tuning.platform === null
            ? 'No rules were written for the library.'
            : 'Simulated: there is no library to configure.'
          : 'There is nothing to put into a job script.',
      ),
    ];
  const paths = tuning.files.map(({ path }) => path);
  return [
    h('p', {}, `For the job script (the library reads ${paths.join(', ')}: keep it where all hosts find it):`),
    h('pre', { tabindex: 0, class: 'script', 'aria-label': 'Lines for the job script' }, lines.join('\n')),
    copyTools(() => `${lines.join('\n')}\n`),
  ];
}

const when = (tuning: Tuning): string => tuning.date.replace('T', ' ').replace('Z', ' UTC');

const summary = ({ tuning, name }: Named): HTMLElement =>
  h(
    'div',
    { class: 'panel tuned' },
    h('h2', {}, name),
    unfinished(tuning),
    h('p', { class: 'lead' }, gained(tuning)),
    proven(tuning),
    ...jobScript(tuning),
    h(
      'p',
      { class: 'muted' },
      `${tuning.file}; ${tuning.library}${tuning.platform ? `; simulated platform ${tuning.platform}` : ''}; ${when(tuning)}; ` +
        `fathom ${tuning.fathom}; times are ${tuning.metric === 'median' ? 'medians' : `of metric ${tuning.metric}`}.`,
    ),
  );

/** Rows are sizes, columns what was measured anywhere; what was not measured at a size is a dash. */
function timesTable(entry: TunedOperation): Table {
  const times = new Map<number, Map<string, number>>();
  const measured = new Set<string>();
  for (const time of entry.times) {
    let own = times.get(time.size_bytes);
    if (!own) times.set(time.size_bytes, (own = new Map()));
    own.set(time.implementation, time.time_ns);
    measured.add(time.implementation);
  }
  const names = entry.implementations.filter((one, i) => i === 0 || measured.has(one));
  return {
    name: `${entry.operation}-${entry.procs}-times`,
    columns: [
      { title: 'size_bytes' },
      ...names.map((name) => ({ title: `${shortName(name)}_ns` })),
      { title: 'best', word: true },
      { title: 'times as fast' },
      { title: 'low95' },
      { title: 'high95' },
      { title: 'use', word: true },
    ],
    rows: entry.sizes.map((at): Cell[] => {
      const quickest = fastest(at);
      const own = times.get(at.size_bytes);
      const timeOf = (name: string): number | undefined =>
        [quickest, at.library].find(({ implementation }) => implementation === name)?.time_ns ?? own?.get(name);
      return [
        cell(format.exactBytes(at.size_bytes), at.size_bytes),
        ...names.map((name): Cell => {
          const plain = timeCell(timeOf(name));
          return name === quickest.implementation ? { ...plain, text: `* ${plain.text}`, best: true } : plain;
        }),
        cell(shortName(quickest.implementation)),
        ...[at.speedup, ...at.speedup_ci95].map((gain) => (at.best ? cell(gain.toFixed(2), gain) : cell('-', null))),
        cell(at.proposed == null ? '-' : shortName(at.proposed)),
      ];
    }),
  };
}

/** Tables of more cells than this are made when they are unfolded. */
const mostCells = 5000;

function timesPanel(entry: TunedOperation, title: string): HTMLElement {
  const table = (): Table => timesTable(entry);
  const cells = entry.sizes.length * (entry.implementations.length + 6);
  const words = [
    `${format.count(entry.points_measured)} of ${format.plural(entry.points_all, 'point')} were measured in ${format.plural(entry.rounds, 'round')}; what was not in the race at a size has a dash. * is the fastest of its row.`,
    entry.dropped.length > 0
      ? `Dropped, because they ended the job or gave wrong data: ${entry.dropped.map(shortName).join(', ')}.`
      : '',
  ];
  return h(
    'div',
    { class: 'panel times' },
    h('h3', {}, title),
    entry.sizes.length === 0
      ? h('p', { class: 'muted' }, 'Nothing was measured.')
      : cells <= mostCells
        ? framed(table())
        : folded(`All times (${format.plural(entry.sizes.length, 'size')})`, table),
    h('p', { class: 'muted' }, words.filter(Boolean).join(' ')),
  );
}

const beside = (elements: HTMLElement[]): HTMLElement | null =>
  elements.length === 0 ? null : h('div', { class: 'beside' }, ...elements);

/** A figure, with a place in the address of the page: titles are unique there. */
const put = (figure: Figure): HTMLElement => figure.place('chart', (part) => `${location.href.split('#')[0]}#${part}`);

/** A figure of each tuning, with words in the place of one that is not there; nothing where none is. */
const opposite = (figures: (Figure | undefined)[], words: (i: number) => HTMLElement): HTMLElement[] =>
  figures.every((figure) => figure === undefined) ? [] : figures.map((figure, i) => (figure ? put(figure) : words(i)));

function mapsSection(all: Named[], looks: Map<string, AlgorithmLooks>): HTMLElement {
  return h(
    'section',
    { id: 'winners', class: 'operation' },
    h('h2', {}, 'Map of winners'),
    h('p', { class: 'muted' }, 'Which algorithm is the fastest, by message size and number of processes.'),
    ...[...looks].flatMap(([operation, look]) => [
      h('h3', { class: 'part' }, operation),
      mapLegend(look),
      beside(
        all
          .filter(({ tuning }) => entriesOf(tuning, operation).length > 0)
          .map((one) =>
            put(
              winnersFigure(
                one,
                operation,
                look,
                all.length > 1 ? `${operation}: ${one.name}` : `Winners of ${operation}`,
              ),
            ),
          ),
      ),
    ]),
  );
}

/** Of one tuning, what of an operation was not measured before and after. */
function unproven({ tuning, name }: Named, operation: string, several: boolean): HTMLElement | null {
  const procs = entriesOf(tuning, operation)
    .filter((entry) => proofOf(tuning, entry).length === 0)
    .map((entry) => String(entry.procs));
  return procs.length === 0 || tuning.files.length === 0
    ? null
    : h(
        'p',
        { class: 'unproven' },
        `${several ? `${name}: ` : ''}${operation} with ${procs.join(', ')} ${procs.join() === '1' ? 'process' : 'processes'} is not proven yet. `,
        h('code', {}, proveCommand(tuning)),
        ' measures it before and after.',
      );
}

/** What belongs to the entries of an operation; titles say of which tuning it is where there are several. */
function operationSection(all: Named[], operation: string, looks: AlgorithmLooks): HTMLElement {
  const several = all.length > 1;
  const element = h('section', { id: anchor(operation), class: 'operation' }, h('h2', {}, operation));
  for (const row of rowsOf(all, operation)) {
    const there = row.flatMap((entry, i) => (entry ? [{ entry, one: all[i] as Named }] : []));
    const title = (words: string, { entry, one }: (typeof there)[0]): string =>
      `${words}, ${format.processes(entry.procs)}${several ? `: ${one.name}` : ''}`;
    const tables = there.map((of) => timesPanel(of.entry, title('Times', of)));
    const proofs = there.map((of) =>
      proofFigure(
        title('Before and after', of),
        `${operation}-${of.entry.procs}-proof`,
        proofOf(of.one.tuning, of.entry),
      ),
    );
    const predictions = there.map((of) =>
      predictedFigure(
        title('Predicted and measured', of),
        `${operation}-${of.entry.procs}-predictions`,
        of.entry,
        looks,
      ),
    );
    const missing =
      (what: string, words: string) =>
      (i: number): HTMLElement =>
        h(
          'div',
          { class: 'panel' },
          h('h3', {}, title(what, there[i] as (typeof there)[0])),
          h('p', { class: 'muted' }, words),
        );
    // One tuning has its curves side by side, several have the same curve of each.
    const rows = several
      ? [
          tables,
          opposite(proofs, missing('Before and after', 'Not proven yet.')),
          opposite(predictions, missing('Predicted and measured', 'Nothing was predicted.')),
        ]
      : [tables, [...proofs, ...predictions].flatMap((figure) => (figure ? [put(figure)] : []))];
    for (const elements of rows) {
      const made = beside(elements);
      if (made) element.append(made);
    }
  }
  for (const one of all) {
    const words = unproven(one, operation, several);
    if (words) element.append(words);
  }
  return element;
}

export interface PageParts {
  links: { id: string; words: string }[];
  sections: HTMLElement[];
  /** Once all of it is in the page. */
  ready?: () => void;
}

export function tuningPage(data: Tunings): PageParts {
  const all = named(data.tunings);
  const operations = operationsOf(all);
  const looks = new Map(operations.map((operation) => [operation, new AlgorithmLooks(all, operation)]));
  return {
    links: [
      { id: 'top', words: 'Summary' },
      { id: 'winners', words: 'Winners' },
      ...operations.map((operation) => ({ id: anchor(operation), words: operation })),
    ],
    sections: [
      h(
        'section',
        { id: 'top' },
        h('h1', {}, all.length > 1 ? 'Tunings of MPI collectives, side by side' : 'Tuning of MPI collectives'),
        beside(all.map(summary)),
      ),
      ...(operations.length > 0 ? [mapsSection(all, looks)] : []),
      ...operations.map((operation) => operationSection(all, operation, looks.get(operation) as AlgorithmLooks)),
    ],
  };
}
