// Puts the page together.
import { follow, linkTo, remember } from './address';
import { type Document, read, type Run } from './data';
import { anchor, h, labelled, newId, select } from './dom';
import { environment } from './environment';
import { explorer } from './explorer';
import { type Figure, beforePrint } from './figure';
import * as format from './format';
import { figuresOf } from './order';
import { overlapPanel } from './overlap';
import { curveNotes, pointPanels, pointsTable } from './panels';
import { processesFigure } from './processes';
import { Section } from './section';
import { folded } from './table';
import { choose } from './theme';
import { top } from './top';
import { treePanel } from './trees';
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

/** From so many operations on, sections are made when they come near the screen. */
const manySections = 24;

/** A section of the page, and how to fill it with its charts, once. */
interface Made {
  element: HTMLElement;
  fill: () => void;
}

function sectionElement(data: Document, section: Section): Made {
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
  const fill = once(() => {
    element.classList.remove('waiting');
    if (section.placed.length > 0) addCharts(section, element);
    element.append(folded(`All points (${section.everything.length})`, () => pointsTable(section)));
  });
  return { element, fill };
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (done) return;
    done = true;
    work();
  };
}

function addCharts(section: Section, element: HTMLElement): void {
  const figures: Figure[] = [];
  const add = (...some: (Figure | undefined)[]): HTMLElement[] =>
    some.flatMap((figure) => {
      if (!figure) return [];
      figures.push(figure);
      return [figure.place(section.id, (part) => linkTo(section, part))];
    });
  const looks = explorer(section);
  const control = picker(section);
  if (control) element.append(control);
  element.append(
    h('div', { class: 'charts odd' }, ...add(...figuresOf(section))),
    overlapPanel(section),
    treePanel(section),
  );
  const notes = curveNotes(section);
  if (notes) element.append(notes);
  if (looks) {
    element.append(
      h('h3', { class: 'part', id: `${section.id}-spread` }, 'Distribution of times'),
      looks.controls,
      h('div', { class: 'charts odd' }, ...add(...looks.figures, processesFigure(section))),
      h('div', { class: 'panels' }, ...pointPanels(section)),
    );
  }
  section.changed(() => figures.forEach((figure) => figure.refresh()));
}

/** Fills sections as they come near the screen, and all of them for print. */
function fillLater(sections: Made[]): void {
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        sections.find(({ element }) => element === target)?.fill();
      }
    },
    { rootMargin: '600px' },
  );
  for (const { element } of sections) {
    element.classList.add('waiting');
    watcher.observe(element);
  }
  beforePrint.push(() => sections.forEach(({ fill }) => fill()));
}

/** So many are no longer found by looking. */
const manyLinks = 12;

/** Leads to the operation whose name is entered, or to the first that contains it. */
function search(links: PageParts['links']): HTMLElement {
  const list = h('datalist', { id: newId() }, ...links.map(({ words }) => h('option', { value: words })));
  const input = h('input', {
    type: 'search',
    list: list.id,
    placeholder: 'Find an operation',
    'aria-label': 'Find an operation',
    change: () => {
      const word = input.value.trim().toLowerCase();
      const found =
        links.find(({ words }) => words.toLowerCase() === word) ??
        links.find(({ words }) => word && words.toLowerCase().includes(word));
      if (found) location.hash = found.id;
      input.setAttribute('aria-invalid', String(word !== '' && !found));
    },
  });
  return h('span', { class: 'control' }, input, list);
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
      links.length > manyLinks ? search(links) : null,
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
  sections.forEach(remember);
  const made = new Map(sections.map((section) => [section, sectionElement(data, section)]));
  const first = top(data, new Map(sections.map((section) => [section.operation, section])));
  if (operations.length >= manySections) fillLater([...made.values()]);
  else made.forEach(({ fill }) => fill());
  const go = (): void => follow(sections, (section) => made.get(section)?.fill());
  addEventListener('hashchange', go);
  return {
    ready: go,
    links: [
      { id: 'top', words: 'Findings' },
      ...operations.map((operation) => ({ id: anchor(operation), words: operation })),
      { id: 'environment', words: 'Environment' },
    ],
    sections: [first, ...[...made.values()].map(({ element }) => element), environment(data)],
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
parts.ready?.();
document.documentElement.dataset['ready'] = String(performance.now());
