// Elements are made here and nowhere else, and text is only ever text: nothing from a result file becomes markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child || child === '') element.append(child);
  return element;
}

/** A name that can be an anchor, whatever is in the text; different texts have different ones. */
export const anchor = (text: string): string =>
  text.replace(/[^a-z0-9]/gi, (letter) =>
    letter === '.' || letter === '-' ? '-' : `_${letter.charCodeAt(0).toString(16)}`,
  );

let ids = 0;
export const newId = (): string => `id${++ids}`;

export function labelled(label: string, control: HTMLElement): HTMLElement {
  control.id ||= newId();
  return h('span', { class: 'control' }, h('label', { for: control.id }, label), control);
}

export function select<T>(options: [string, T][], chosen: T, changed: (value: T) => void): HTMLSelectElement {
  const element = h(
    'select',
    { change: () => changed((options[element.selectedIndex] as [string, T])[1]) },
    ...options.map(([text], i) => h('option', { value: i }, text)),
  );
  element.selectedIndex = Math.max(
    0,
    options.findIndex(([, value]) => value === chosen),
  );
  return element;
}
