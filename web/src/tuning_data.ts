// The input of the page of a tuning: documents `fathom.tune/1` as far as they are shown, checked by
// src/report/page/tuning_page.cpp.
import type { Interval, Maybe } from './data';
import * as format from './format';

export interface Time {
  implementation: string;
  size_bytes: number;
  time_ns: number;
  ci95_ns: Interval;
}

/** What was found at a size; `best` is the fastest but for the library's own decision. */
export interface TunedSize {
  size_bytes: number;
  library: Time;
  best: Maybe<Time>;
  speedup: number;
  speedup_ci95: Interval;
  proposed: Maybe<string>;
}

/** One operation with one number of processes. */
export interface TunedOperation {
  operation: string;
  procs: number;
  /** The library's own decision first. */
  implementations: string[];
  finished: boolean;
  rounds: number;
  points_measured: number;
  points_all: number;
  dropped: string[];
  sizes: TunedSize[];
  proposals: {
    implementation: string;
    first_bytes: number;
    last_bytes: number;
    least_speedup: number;
    most_speedup: number;
  }[];
  times: Time[];
  predictions: { implementation: string; size_bytes: number; time_ns: number }[];
}

/** Before and after, measured again with the rules. */
export interface Proof {
  operation: string;
  procs: number;
  size_bytes: number;
  before_ns: number;
  before_ci95_ns: Maybe<Interval>;
  after_ns: number;
  after_ci95_ns: Maybe<Interval>;
  speedup: number;
  speedup_ci95: Maybe<Interval>;
  ruled: boolean;
  verdict: 'faster' | 'same' | 'slower' | 'undecided';
}

export interface Tuning {
  file: string;
  fathom: string;
  date: string;
  library: string;
  flavour: string;
  platform: Maybe<string>;
  hosts: number;
  procs_per_host: number;
  metric: string;
  settings: Record<string, string>;
  operations: TunedOperation[];
  files: { path: string; sha256: Maybe<string>; variables: { name: string; value: string }[] }[];
  proof: Maybe<Proof[]>;
}

export interface Tunings {
  schema: 'fathom.tuning-page/1';
  fathom_version: string;
  tunings: Tuning[];
}

/** Of several tunings, the one that is shown in a place, and how it is called there. */
export interface Named {
  tuning: Tuning;
  name: string;
}

/** Library version strings are long; the first words are name and version. */
const libraryName = (tuning: Tuning): string =>
  tuning.library
    .split(/[,;\n(]|\. /)[0]
    ?.trim()
    .slice(0, 80) || tuning.flavour;

const layout = (tuning: Tuning): string =>
  `${format.plural(tuning.hosts, 'host')} x ${format.processes(tuning.procs_per_host)}`;

/** `Open MPI v4.1.4, 4 hosts x 2 processes`, and the file where that would be the same of two. */
export function named(tunings: Tuning[]): Named[] {
  const names = tunings.map((one) => `${libraryName(one)}, ${layout(one)}${one.platform ? ` of ${one.platform}` : ''}`);
  return tunings.map((tuning, i) => {
    const name = names[i] as string;
    return { tuning, name: names.filter((one) => one === name).length > 1 ? `${name} (${tuning.file})` : name };
  });
}

/** Algorithms of the library without the word that all of them begin with. */
export const shortName = (implementation: string): string => implementation.replace(/^library:(?=.)/, '');

/** What a gain must be to be proposed: `least_gain` in src/tune/search/proposal.hpp. */
export const leastGain = 1.03;

/** What the map shows at a size: the library's own decision also where another is hardly faster. */
export const winner = (at: TunedSize): string =>
  at.best && at.speedup > leastGain ? at.best.implementation : at.library.implementation;

/** The smallest time at a size. */
export const fastest = (at: TunedSize): Time =>
  at.best && at.best.time_ns < at.library.time_ns ? at.best : at.library;

/** `1.31 times as fast (1.20 .. 1.40)`; simulated times are exact and have no interval, nor have disturbed ones. */
export function gainText(gain: number, ci95: Maybe<Interval>): string {
  const interval = ci95 == null || ci95[0] === ci95[1] ? '' : ` (${ci95[0].toFixed(2)} .. ${ci95[1].toFixed(2)})`;
  return `${gain.toFixed(2)} times as fast${interval}`;
}

/** `1.20 us (1.18 .. 1.22 us)` */
export const timeText = (ns: number, ci95: Interval): string =>
  `${format.time(ns)}${ci95[0] === ci95[1] ? '' : `  (${format.time(ci95[0])} .. ${format.time(ci95[1])})`}`;

const sorted = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);

/** Operations of all tunings, in the order in which they come. */
export const operationsOf = (all: Named[]): string[] => [
  ...new Set(all.flatMap(({ tuning }) => tuning.operations.map(({ operation }) => operation))),
];

/** Of one operation, by the number of processes. */
export const entriesOf = (tuning: Tuning, operation: string): TunedOperation[] =>
  tuning.operations.filter((one) => one.operation === operation).sort((a, b) => a.procs - b.procs);

export const proofOf = (tuning: Tuning, { operation, procs }: { operation: string; procs: number }): Proof[] =>
  (tuning.proof ?? [])
    .filter((one) => one.operation === operation && one.procs === procs)
    .sort((a, b) => a.size_bytes - b.size_bytes);

/**
 * What stands side by side of an operation: entries with the same number of processes, or, where tunings have none in
 * common (1 and 2 processes a host), those of the same rank in their order.
 */
export function rowsOf(all: Named[], operation: string): (TunedOperation | undefined)[][] {
  const entries = all.map(({ tuning }) => entriesOf(tuning, operation));
  const there = entries.filter((some) => some.length > 0);
  const common = there.slice(1).every((some) => some.some(({ procs }) => there[0]?.some((one) => one.procs === procs)));
  if (common)
    return sorted(entries.flatMap((some) => some.map(({ procs }) => procs))).map((procs) =>
      entries.map((some) => some.find((one) => one.procs === procs)),
    );
  const most = Math.max(...entries.map((some) => some.length));
  return Array.from({ length: most }, (_, i) => entries.map((some) => some[i]));
}

/** A word as a shell reads it. */
export const shellWord = (text: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
