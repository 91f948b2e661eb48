// Puts the page together.
import { type Document, read, type Run } from './data';
import { anchor, h, labelled, select } from './dom';
import { curveFigures } from './curves';
import { explorer } from './explorer';
import type { Figure } from './figure';
import { matrixFigure, sizeProcsFigure } from './heat';
import * as format from './format';
import { overlapFigures, overlapPanel } from './overlap';
import { curveNotes, pointPanels, pointsTable } from './panels';
import { processesFigure } from './processes';
import { ratioFigure } from './ratio';
import { schemesFigure } from './schemes';
import { Section } from './section';
import { settingsFigure } from './settings';
import { folded } from './table';
import { choose } from './theme';
import { environment, top } from './top';
import { treeFigures, treePanel } from './trees';
import { type PageParts, tuningPage } from './tuning';

/** Controls that pick a point for all charts of a section. */
function picker(section: Section): HTMLElement | null {
  const parts: HTMLElement[] = [];
  const add = <T>(label: string, options: [string, T][], get: () => T, set: (value: T) => void): void => {
    if (options.length < 2) return;
    const element = select(options, get(), set);
    section.changed(() => (element.selectedIndex = options.findIndex(([, one]) => one === get())));
    parts.push(labelled(label, element));
  };
  add<Run>(
    'Run',
    section.runs.map((run) => [run.name, run]),
    () => section.run,
    (run) => section.pick({ run }),
  );
  add<number>(
    'Size',
    section.sizes.map((size) => [section.bytes(size), size]),
    () => section.size,
    (size) => section.pick({ size }),
  );
  add<number>(
    'Processes',
    section.procs.map((procs) => [String(procs), procs]),
    () => section.proc,
    (procs) => section.pick({ procs }),
  );
  add<string>(
    'Variant',
    section.variants.map((one) => [section.variantWords(one), one]),
    () => section.variant,
    (variant) => section.pick({ variant }),
  );
  return parts.length > 0
    ? h('div', { class: 'controls', role: 'group', 'aria-label': `What is picked of ${section.operation}` }, ...parts)
    : null;
}

function sectionElement(data: Document, section: Section): HTMLElement {
  const info = data.runs.map((run) => run.operations[section.operation]).find(Boolean);
  const failed = section.everything.filter(({ point }) => point.status !== 'ok');
  const element = h(
    'section',
    { class: 'operation', id: anchor(section.operation) },
    h('h2', {}, section.operation),
    h(
      'p',
      { class: 'muted' },
      info ? `${info.summary} (${info.calls})` : 'An operation that this version of fathom does not know.',
    ),
    failed.length > 0
      ? h(
          'p',
          {},
          `${format.plural(failed.length, 'point')} without a result: ${[...new Set(failed.map(({ point }) => point.reason))].slice(0, 3).join('; ')}.`,
        )
      : null,
  );
  if (section.placed.length > 0) {
    const figures: Figure[] = [];
    const add = (...some: (Figure | undefined)[]): HTMLElement[] =>
      some.flatMap((figure) => {
        if (!figure) return [];
        figures.push(figure);
        return [figure.element];
      });
    const looks = explorer(section);
    const control = picker(section);
    if (control) element.append(control);
    element.append(
      h(
        'div',
        { class: 'charts curves' },
        ...add(
          ...overlapFigures(section),
          ...curveFigures(section),
          sizeProcsFigure(section),
          matrixFigure(section),
          ratioFigure(section),
          schemesFigure(section),
          settingsFigure(section),
          ...treeFigures(section),
        ),
      ),
      overlapPanel(section),
      treePanel(section),
    );
    const notes = curveNotes(section);
    if (notes) element.append(notes);
    if (looks) {
      element.append(
        h('h3', { class: 'part', id: `${anchor(section.operation)}-spread` }, 'Distribution of times'),
        looks.controls,
        h('div', { class: 'charts' }, ...add(...looks.figures, processesFigure(section)), ...pointPanels(section)),
      );
    }
    section.changed(() => figures.forEach((figure) => figure.refresh()));
  }
  element.append(folded(`All points (${section.everything.length})`, () => pointsTable(section)));
  return element;
}

function bar(links: PageParts['links']): HTMLElement {
  return h(
    'nav',
    { class: 'bar', 'aria-label': 'Sections' },
    h(
      'div',
      { class: 'wide' },
      h('strong', {}, 'fathom'),
      h('div', { class: 'links' }, ...links.map(({ id, words }) => h('a', { href: `#${id}` }, words))),
      labelled(
        'Colours',
        select<'auto' | 'light' | 'dark'>(
          [
            ['auto', 'auto'],
            ['light', 'light'],
            ['dark', 'dark'],
          ],
          'auto',
          choose,
        ),
      ),
    ),
  );
}

function runsPage(data: Document): PageParts {
  const operations = [...new Set(data.runs.flatMap((run) => run.points.map((point) => point.operation)))];
  const sections = operations.map((operation) => new Section(operation, data));
  return {
    links: [
      { id: 'top', words: 'Findings' },
      ...operations.map((operation) => ({ id: anchor(operation), words: operation })),
      { id: 'environment', words: 'Environment' },
    ],
    sections: [
      top(data, new Map(sections.map((section) => [section.operation, section]))),
      ...sections.map((section) => sectionElement(data, section)),
      environment(data),
    ],
  };
}

const data = read();
const parts = 'tunings' in data ? tuningPage(data) : runsPage(data);
const page = document.getElementById('page') as HTMLElement;
page.append(
  bar(parts.links),
  h(
    'main',
    { id: 'main', class: 'wide', tabindex: -1 },
    ...parts.sections,
    h(
      'footer',
      {},
      `Made by fathom ${data.fathom_version}. All data are in this file; nothing is loaded from anywhere.`,
    ),
  ),
);
document.documentElement.dataset['ready'] = String(performance.now());
