// Tables that can be read, copied and downloaded.
import { h } from './dom';
import * as format from './format';

export interface Column {
  /** As CSV has it, with the unit of bare numbers: `time_ns`. What is read has units in its cells. */
  title: string;
  word?: boolean;
  long?: boolean;
}
/** A cell is shown as text; `value` is what CSV has instead, without units. */
export interface Cell {
  text: string;
  value?: number | string | null;
  /** The one of its row that matters most. */
  best?: boolean;
}
export interface Table {
  name: string;
  columns: Column[];
  rows: Cell[][];
}

export const cell = (text: string, value?: number | string | null): Cell => ({
  text,
  value: value === undefined ? text : value,
});

export const timeCell = (ns: number | null | undefined): Cell => cell(format.time(ns), ns ?? null);
/** Both ends of an interval. */
export const endCells = (
  ends: readonly [number, number] | null | undefined,
  text: (value: number) => string = format.time,
): Cell[] =>
  [ends?.[0], ends?.[1]].map((end) =>
    end == null ? cell('-', null) : Number.isFinite(end) ? cell(text(end), end) : cell('unknown', null),
  );

/** A spreadsheet takes some words for formulas; a leading quote makes them text. */
const guarded = (text: string): string => (/^[=+\-@\t\r\n]/.test(text) && text !== '-' ? `'${text}` : text);

const quoted = (value: number | string | null | undefined): string => {
  const text = typeof value === 'string' ? guarded(value.replace(/[\u00a0\u202f]/g, ' ')) : String(value ?? '');
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};

/** `time_ns` as it is read above cells with units: `time`. */
const heading = (column: Column): string => column.title.replace(/_(ns|bytes|bytes_per_s)$/, '').replaceAll('_', ' ');

export const csv = (table: Table): string =>
  [table.columns.map((column) => column.title), ...table.rows.map((row) => row.map((one) => one.value))]
    .map((row) => row.map(quoted).join(','))
    .join('\r\n') + '\r\n';

/** What is copied has its units; text keeps to its cell. */
const tabbed = (table: Table): string =>
  [table.columns.map((column) => cell(heading(column))), ...table.rows]
    .map((row) =>
      row
        .map((one) => (typeof one.value === 'number' ? one.text : guarded(one.text)).replace(/[\t\r\n]+/g, ' '))
        .join('\t'),
    )
    .join('\n');

function tableElement(table: Table): HTMLTableElement {
  const kind = (column: Column | undefined): string | undefined =>
    column?.long ? 'word long' : column?.word ? 'word' : undefined;
  return h(
    'table',
    {},
    h(
      'thead',
      {},
      h('tr', {}, ...table.columns.map((column) => h('th', { scope: 'col', class: kind(column) }, heading(column)))),
    ),
    h(
      'tbody',
      {},
      ...table.rows.map((row) =>
        h(
          'tr',
          {},
          ...row.map((one, at) =>
            h(
              'td',
              { class: one.best ? `${kind(table.columns[at]) ?? ''} best`.trim() : kind(table.columns[at]) },
              one.text,
            ),
          ),
        ),
      ),
    ),
  );
}

/** As a file whose name begins with what it shows. */
export function download(name: string, ending: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const plain = name.replace(/[^a-z0-9._-]+/gi, '-').slice(0, 80);
  h('a', { href: address, download: `${plain}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** The old way too: pages from a file may not have the clipboard. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { 'aria-hidden': 'true', class: 'skip' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}

/** Buttons by their names, and a place where it is said whether copying worked: those that give a text copy it. */
export function tools(buttons: Record<string, () => string | void>, look = 'tools'): HTMLElement {
  const said = h('span', { class: 'muted', role: 'status' });
  const say = (words: string): void => {
    said.textContent = words;
    setTimeout(() => (said.textContent = ''), 3000);
  };
  const button = ([name, press]: [string, () => string | void]): HTMLElement =>
    h(
      'button',
      {
        type: 'button',
        click: () => {
          const text = press();
          if (typeof text === 'string') void copy(text).then((done) => say(done ? 'Copied.' : 'Could not copy.'));
        },
      },
      name,
    );
  return h('div', { class: look }, ...Object.entries(buttons).map(button), said);
}

export const copyTools = (text: () => string): HTMLElement => tools({ Copy: text });

/** Buttons for a table. */
const tableTools = (table: Table): HTMLElement =>
  tools({
    Copy: () => tabbed(table),
    'Download CSV': () => download(table.name, 'csv', new Blob([csv(table)], { type: 'text/csv' })),
  });

/** A table that scrolls within its frame, and its buttons. */
export const framed = (table: Table): HTMLElement =>
  h(
    'div',
    {},
    h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': table.name }, tableElement(table)),
    tableTools(table),
  );

/** The same below a line that unfolds it; it is made then. */
export function folded(title: string, table: () => Table): HTMLElement {
  const element = h(
    'details',
    {
      toggle: () => {
        if (element.open && element.childElementCount === 1) element.append(framed(table()));
      },
    },
    h('summary', {}, title),
  );
  return element;
}
