// What is picked is in the address of the page, so that a link to it can be mailed and survives a reload.
import type { Run } from './data';
import type { Section } from './section';

type Place = Parameters<Section['pick']>[0];

/** Runs of several files may have the same number: by place on the page, from 1. */
const runNumber = (section: Section, run: Run): number => section.runIndex(run) + 1;

/** `#bcast&size=1024&procs=8&run=1`: the operation, or a part of it, and what is picked. */
const addressOf = (section: Section, part: string): string =>
  addressAt(section, part, { size: section.size, procs: section.proc, run: section.run, variant: section.variant });

/** The address of a chart of a section with what is picked now. */
export const linkTo = (section: Section, part: string): string =>
  location.href.split('#')[0] + addressOf(section, part);

/** The address of a point of a section, within the page. */
export function addressAt(section: Section, part: string, at: Place): string {
  const words = [
    part,
    ...(section.sized && at.size != null ? [`size=${at.size}`] : []),
    ...(at.procs === undefined ? [] : [`procs=${at.procs}`]),
    ...(section.runs.length > 1 && at.run ? [`run=${runNumber(section, at.run)}`] : []),
    ...(section.variants.length > 1 && at.variant !== undefined ? [`variant=${encodeURIComponent(at.variant)}`] : []),
  ];
  return `#${words.join('&')}`;
}

const isPartOf = (part: string, { id }: Section): boolean => part === id || part.startsWith(`${id}-`);
const partNow = (): string => location.hash.slice(1).split('&')[0] ?? '';

/** Keeps what is picked in the address, and the part of the section that it leads to. */
export function remember(section: Section): void {
  section.changed(() => {
    const part = partNow();
    history.replaceState(null, '', addressOf(section, isPartOf(part, section) ? part : section.id));
  });
}

/** Picks what the address says, and goes there; `fill` makes a section that is not made yet. */
export function follow(sections: Section[], fill: (section: Section) => void): void {
  const [part = '', ...words] = location.hash.slice(1).split('&');
  // A longer name is meant before a shorter one that it begins with.
  const section = sections.filter((one) => isPartOf(part, one)).sort((a, b) => b.id.length - a.id.length)[0];
  if (!section) return;
  // Otherwise the browser may put a page that is loaded again back to where it was, after this.
  history.scrollRestoration = 'manual';
  const given = new Map(words.map((word) => word.split('=') as [string, string]));
  const number = (name: string): { [key: string]: number } => {
    const value = Number(given.get(name));
    return given.has(name) && Number.isFinite(value) ? { [name]: value } : {};
  };
  const run = section.runs.find((one) => String(runNumber(section, one)) === given.get('run'));
  section.pick({
    ...number('size'),
    ...number('procs'),
    ...(run ? { run } : {}),
    ...(given.has('variant') ? { variant: decoded(given.get('variant') ?? '') } : {}),
  });
  fill(section);
  document.getElementById(part)?.scrollIntoView();
}

/** An address may have been cut off in a mail. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
