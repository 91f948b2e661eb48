// Tables that can be read, copied and downloaded.
import { h } from './dom';

export interface Column { title: string; word?: boolean; long?: boolean }
/** A cell is shown as text; `value` is what CSV has instead, without units. */
export interface Cell { text: string; value?: number | string | null }
export interface Table { name: string; columns: Column[]; rows: Cell[][]; picked?: number }

export const cell = (text: string, value?: number | string | null): Cell => ({ text, value: value === undefined ? text : value });

const quoted = (value: number | string | null | undefined): string => {
  const text = value == null ? '' : String(value).replace(/[\u00a0\u202f]/g, ' ');
  // A spreadsheet takes some words for formulas; a quote before them makes them words.
  const safe = typeof value === 'string' && /^[=+\-@\t]/.test(text) && text !== '-' ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};

export const csv = (table: Table): string =>
  [table.columns.map((column) => column.title), ...table.rows.map((row) => row.map((one) => one.value))]
    .map((row) => row.map(quoted).join(',')).join('\r\n') + '\r\n';

const tabbed = (table: Table): string =>
  [table.columns.map((column) => column.title), ...table.rows.map((row) => row.map((one) => one.text))]
    .map((row) => row.join('\t')).join('\n');

export function tableElement(table: Table): HTMLTableElement {
  const kind = (column: Column | undefined): string | undefined =>
    column?.long ? 'word long' : column?.word ? 'word' : undefined;
  return h('table', {},
    h('thead', {}, h('tr', {}, ...table.columns.map((column) => h('th', { scope: 'col', class: kind(column) }, column.title)))),
    h('tbody', {}, ...table.rows.map((row, i) => h('tr', { class: i === table.picked ? 'picked' : undefined },
      ...row.map((one, at) => h('td', { class: kind(table.columns[at]) }, one.text))))));
}

function download(table: Table): void {
  const address = URL.createObjectURL(new Blob([csv(table)], { type: 'text/csv' }));
  const name = table.name.replace(/[^a-z0-9._-]+/gi, '-').slice(0, 80);
  h('a', { href: address, download: `${name}.csv` }).click();
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

/** Buttons for a table. */
export function tools(table: () => Table): HTMLElement {
  const said = h('span', { class: 'muted', role: 'status' });
  const say = (text: string): void => {
    said.textContent = text;
    setTimeout(() => (said.textContent = ''), 3000);
  };
  return h('div', { class: 'tools' },
    h('button', { type: 'button', click: () => void copy(tabbed(table())).then((done) => say(done ? 'Copied.' : 'Could not copy.')) }, 'Copy'),
    h('button', { type: 'button', click: () => download(table()) }, 'Download CSV'), said);
}
