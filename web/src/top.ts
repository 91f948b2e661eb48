// The head of the page: what matters most, the chart that shows it, and where and how well it was measured.
import { addressAt, linkTo } from './address';
import { changesFigure } from './changes';
import type { Document, Insight, Run } from './data';
import { h } from './dom';
import type { Figure } from './figure';
import { done, factsTableOf, leads, listed, measuredOf } from './facts';
import * as format from './format';
import { headline } from './headline';
import { leadFigure } from './order';
import { ratiosFigure } from './ratio';
import type { Section } from './section';
import { far, sure } from './verdicts';

/** The first message about a run that did not finish. */
function cutShort(run: Run): HTMLElement | null {
  const how = {
    failed: 'This run failed',
    interrupted: 'This run was interrupted',
    running: 'This run was not finished',
  }[run.status];
  const all = done(run) === run.points.length;
  return how
    ? h(
        'p',
        { class: 'cut', role: 'note' },
        h('b', {}, `${how}: ${measuredOf(run)}${all ? ', but not in every launch' : ''}.`),
        ' ',
        h('code', {}, `fathom run --resume ${run.run}`),
        ` goes on with the other${all ? ' launches' : 's'}.`,
      )
    : null;
}

/** Advice on the trees that were traced, as findings after those of the run. */
const advice = (run: Run): Insight[] =>
  run.points.flatMap((point) =>
    (point.tree?.advice ?? []).map((text) => ({ ...point, kind: 'tree', weight: -1, text, remedy: '' })),
  );

/** What matters most over all runs; what disturbed a run stands above what follows from that. */
const findings = (document: Document): { run: Run; insight: Insight }[] => {
  const disturbed = ({ insight }: { insight: Insight }): number => Number(insight.kind === 'disturbed');
  return document.runs
    .flatMap((run) => [...run.insights, ...advice(run)].map((insight) => ({ run, insight })))
    .sort((a, b) => disturbed(b) - disturbed(a) || b.insight.weight - a.insight.weight);
};

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

/** The operations that have a section. */
type Known = Map<string, Section>;

/** To the charts of an operation, at a point. */
const link = (section: Section, part: string, at: Parameters<Section['pick']>[0]): HTMLElement =>
  h('a', { href: addressAt(section, `${section.id}${part}`, at) }, 'See the chart');

/** What is shown below the curves, where times spread. */
const spreadKinds = ['distribution', 'tails', 'timeouts', 'explanation'];

/** How later runs compare with the first, in a sentence each. */
function compared(document: Document): (HTMLElement | null)[] {
  const first = document.runs[0];
  if (!first || document.comparisons.length === 0) return [];
  return [
    h('h2', {}, `Compared with ${first.name}`),
    h(
      'ul',
      { class: 'warnings' },
      ...document.comparisons.map((comparison) => {
        const run = document.runs[comparison.run_index] as Run;
        return h(
          'li',
          {},
          h('span', { class: 'badge' }, run.name),
          ` ${comparison.text}`,
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

/** The same finding of several runs is said once, of the run where it weighs most. */
function merged(document: Document): { run: Run; insight: Insight; also: Run[] }[] {
  const found = new Map<string, { run: Run; insight: Insight; also: Run[] }>();
  for (const { run, insight } of findings(document)) {
    const key = [insight.kind, insight.operation, insight.procs, insight.size_bytes].join();
    const before = found.get(key);
    if (!before || before.run === run) found.set(before ? `${key},${found.size}` : key, { run, insight, also: [] });
    else if (!before.also.includes(run)) before.also.push(run);
  }
  return [...found.values()];
}

const most = 5;

/** `allreduce, 1 KiB, 8 processes, via tree:flat` */
const placeOf = (section: Section, of: Insight): string =>
  [
    section.operation,
    section.sized && of.size_bytes != null ? section.bytes(of.size_bytes) : '',
    format.processes(of.procs),
    section.variantOf(of),
  ]
    .filter(Boolean)
    .join(', ');

/** The first one stands before the chart where there is one column, the others after it. */
const findingsList = (document: Document, known: Known, from: number, to: number): HTMLElement => {
  const several = document.runs.length > 1;
  return h(
    'ol',
    { class: from > 0 ? 'findings more' : 'findings' },
    ...merged(document)
      .slice(from, to)
      .map(({ run, insight, also }) => {
        const section = known.get(insight.operation);
        return h(
          'li',
          {},
          several ? h('span', { class: 'badge' }, run.name) : null,
          several ? ' ' : null,
          insight.kind === 'tree' && section ? h('b', {}, `${placeOf(section, insight)}: `) : null,
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
          also.length > 0 ? h('div', { class: 'muted' }, `The same in ${listed(also.map(({ name }) => name))}.`) : null,
          insight.remedy ? h('div', { class: 'muted' }, `Fix: ${insight.remedy}`) : null,
        );
      }),
  );
};

/** The operation that the first screen shows: where runs differ most, else where the first finding is. */
function leadSection(document: Document, known: Known): Section | undefined {
  const shown = [...known.values()].filter((section) => section.placed.length > 0);
  const change = (section: Section): number =>
    Math.max(0, ...section.compared.flatMap(({ points }) => points.filter(sure).map(far)));
  const changed = shown.filter((section) => change(section) > 0).sort((a, b) => change(b) - change(a))[0];
  const found = findings(document)
    .map(({ insight }) => known.get(insight.operation))
    .find((section) => section && shown.includes(section));
  return changed ?? found ?? shown[0];
}

function notesOn(document: Document): (HTMLElement | null)[] {
  const several = document.runs.length > 1;
  const warnings = document.runs.flatMap((run) => run.warnings.map((warning) => ({ run, warning })));
  const trimmed = document.runs.reduce((all, run) => all + (run.trimmed_points ?? 0), 0);
  const remarked = document.runs.flatMap((run) => run.points).filter((point) => point.warnings.length > 0).length;
  if (warnings.length + remarked + trimmed === 0) return [];
  return [
    h('h3', {}, 'Notes on these figures'),
    h(
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
      trimmed > 0
        ? h(
            'li',
            {},
            `To keep this page small, ${format.plural(trimmed, 'point')} ${trimmed === 1 ? 'is' : 'are'} shown with less detail, without times by process. `,
            h('code', {}, 'fathom show'),
            ' and ',
            h('code', {}, 'fathom report --json'),
            ' have all of it.',
          )
        : null,
      remarked > 0
        ? h(
            'li',
            {},
            `${format.plural(remarked, 'point')} ${remarked === 1 ? 'has a remark' : 'have remarks'}, listed in the tables of ` +
              'all points of each operation.',
          )
        : null,
    ),
  ];
}

/** Of the head, with the address of what it shows. */
const placed = (figure: Figure): HTMLElement => figure.place('top', (part) => `${location.href.split('#')[0]}#${part}`);

/** The chart of the first screen. */
function leadChart(document: Document, known: Known): HTMLElement | null {
  const compared = ratiosFigure(document, [...known.values()]) ?? changesFigure(document, known);
  if (compared) return placed(compared);
  const section = leadSection(document, known);
  const figure = section && leadFigure(section);
  if (!section || !figure) return null;
  section.changed(() => figure.refresh());
  return figure.place('top', () => linkTo(section, section.id), section.operation);
}

/** Below it: what changed most, where that is not the first chart or as good as the same. */
function moreCharts(document: Document, known: Known): HTMLElement | null {
  const sections = [...known.values()];
  const curves = sections.filter((section) => section.compared.length > 0).flatMap(({ series }) => series);
  const changes =
    ratiosFigure(document, sections) && curves.length > document.runs.length && changesFigure(document, known);
  return changes ? h('div', { class: 'charts odd' }, placed(changes)) : null;
}

/** The first screen answers: what was found, and the one chart that shows it. Then where and how well it was measured. */
export function top(document: Document, known: Known): HTMLElement {
  const several = document.runs.length > 1;
  const found = merged(document);
  const anything = document.runs.some((run) => done(run) > 0);
  const part = document.runs.some((run) => done(run) < run.points.length);
  const chart = leadChart(document, known);
  const facts = factsTableOf(document.runs);
  const shown = Math.min(most, found.length) + document.comparisons.length;
  return h(
    'section',
    { id: 'top' },
    h('h1', {}, `MPI communication: ${document.runs.map((run) => run.name).join(' and ')}`),
    ...document.runs.map(cutShort),
    ...headline(document, known),
    ...leads(document.runs),
    ...document.runs.map((run) =>
      run.verdict
        ? h(
            'p',
            {},
            several ? `${run.name}: ` : null,
            h('b', {}, run.verdict.accepted ? 'Accepted.' : run.verdict.decided ? 'Not accepted.' : 'Not decided.'),
            ` ${run.verdict.reasons.join('; ')}`,
          )
        : null,
    ),
    h(
      'div',
      // The facts fill the shorter column.
      { class: shown > 3 ? 'answer long' : 'answer' },
      h(
        'div',
        { class: 'words' },
        ...compared(document),
        h(
          'h2',
          { id: 'findings', class: document.comparisons.length > 0 ? 'more' : undefined },
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
        ...(found.length > 0
          ? document.comparisons.length > 0
            ? [findingsList(document, known, 0, most)]
            : [findingsList(document, known, 0, 1), findingsList(document, known, 1, most)]
          : [
              h(
                'p',
                { class: 'muted' },
                anything
                  ? 'No analysis found anything that needs attention.'
                  : 'There is nothing to analyse. The tables of all points give the reasons.',
              ),
            ]),
      ),
      chart ? h('div', { class: 'charts lead-chart odd' }, chart) : null,
      facts,
    ),
    moreCharts(document, known),
    ...notesOn(document),
  );
}
