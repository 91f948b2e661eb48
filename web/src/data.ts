// The input of the page: the document `fathom.report/1` (docs/formats.md), as far as it is shown.
import type { Tunings } from './tuning_data';

export type Maybe<T> = T | null | undefined;
export type Interval = [number, number];

/** Bin i holds low x ratio^i up to low x ratio^(i + 1). */
export interface Grid {
  low_ns: number;
  ratio: number;
  bins: number;
}

export interface Spread extends Grid {
  counts: string;
  quantiles: [number, number][];
  /** Left out of pages of very many points. */
  ranks?: Grid & {
    rank: number[];
    reps: number[];
    min_ns: number[];
    median_ns: number[];
    mean_ns: number[];
    p99_ns: number[];
    max_ns: number[];
    counts: string[];
  };
}

export interface Tails {
  count: number;
  min_ns: number;
  mean_ns: number;
  deviation_ns: number;
  /** There is no multiple of a minimum of 0. */
  by_minimum: Maybe<number[]>;
  by_deviation: number[];
  quantiles: { share: number; value_ns: Maybe<number>; ci95_ns: Maybe<Interval>; reason: string }[];
}

export interface Timeouts {
  status: string;
  rto_ns: Maybe<number>;
  rto_from: Maybe<string>;
  classes: { timeouts: string; reps: number; share: number; from_ns: Maybe<number>; to_ns: Maybe<number> }[];
  inferred: number;
  counted: Maybe<number>;
  counted_on: Record<string, number>;
  counted_outside: Maybe<number>;
  probes: Maybe<number>;
  mean_ns: Maybe<number>;
  mean_without_ns: Maybe<number>;
  by_process: Maybe<{
    least_ns: number;
    step_ns: number;
    classes: TimeoutShare[];
    ranks: { rank: number; host: string; classes: TimeoutShare[] }[];
  }>;
  text: string;
}

export interface TimeoutShare {
  timeouts: string;
  times: number;
  share: number;
}

export interface Processes {
  text: string;
  most_often_last_rank: Maybe<number>;
  ranks: { rank: number; group: number; last_share: number }[];
  groups: { ranks: number[]; low_ns: number; high_ns: number }[];
}

export interface Explanation {
  slow_reps: number;
  threshold_ns: number;
  small_reps: number;
  unexplained_reps: number;
  text: string;
  causes: { kind: string; where: string; reps: number; events: number; lost_ns: number; text: string }[];
}

/** The slowest first; `count` may be more than are listed. */
export interface Outliers {
  fence_ns: number;
  median_ns: number;
  reps: number;
  count: number;
  outliers: {
    launch: Maybe<number>;
    repetition: Maybe<number>;
    rank: Maybe<number>;
    time_ns: number;
    start_ns: Maybe<number>;
    counted: Maybe<({ rank: number; host: string } & Record<string, number | string>)[]>;
  }[];
}

export interface Distribution {
  text: string;
  density: { at_ns: number; density_per_ns: number }[];
  modes: { at_ns: number; share: number }[];
  fits: { family: string; parameters?: Record<string, number>; distance: number; good: Maybe<boolean> }[];
}

/** The processor time that communication takes, and the share that it leaves. */
export interface Overhead {
  overhead_ns: Maybe<number>;
  overhead_ci95_ns: Maybe<Interval>;
  availability: Maybe<number>;
  availability_ci95: Maybe<Interval>;
}

/** Of a message, or of a collective by both schemes. */
export interface Overlap extends Partial<Overhead> {
  verdict: string;
  reason: string;
  /** Why the study cannot be relied on. */
  doubt?: Maybe<'disturbed' | 'imprecise' | 'out-of-range'>;
  base_ns?: Maybe<number>;
  knee_ns?: Maybe<number>;
  curve?: { work_ns: number; iteration_ns: Maybe<number> }[];
  with_tests?: Maybe<Overhead & { tests: number }>;
  t_b_ns?: Maybe<number>;
  time_based?: Overhead;
  work_based?: Overhead;
  stolen_share?: Maybe<number>;
  best_tests?: Maybe<number>;
  intervals?: {
    interval_bytes: number;
    tests: number;
    time_based_overhead_ns: Maybe<number>;
    time_based_availability: Maybe<number>;
    work_based_overhead_ns: Maybe<number>;
    work_based_availability: Maybe<number>;
    stolen_share: Maybe<number>;
  }[];
}

export interface Matrix {
  contended: boolean;
  ranks: number[];
  hosts: string[];
  time_ns: Maybe<number>[][];
  rate_bytes_per_s: Maybe<number>[][];
}

/** The path of a leaf in a timemap; 0 is at the root. */
export interface Timemap {
  name: string;
  cluster: number;
  down: { x_ns: number; depth: number }[];
  up: { x_ns: number; depth: number }[];
}

/** What the traced calls of a tree say. */
export interface Tree {
  text: string;
  advice: string[];
  stages: { stage: string; calls_share: number; mean_ns: number; share: number }[];
  timemap: Timemap[];
  timemap_with_waits: Timemap[];
  departures: { join: string; places: { place: number; mean_ns: number }[] }[];
}

/** A dimension of points besides operation, processes and size, as the rows of `extra_dimensions` name it. */
export interface Dimension {
  name: string;
  said_as: string;
  when_empty: string;
}

/** What identifies a point; where it lies along a further dimension is a field of that name. */
export type Key = object;
export const along = (key: Key, dimension: Dimension): string =>
  ((key as Record<string, unknown>)[dimension.name] as Maybe<string>) ?? '';

export interface Point {
  point: number;
  operation: string;
  pattern: string;
  procs: number;
  size_bytes: number;
  status: string;
  reason: string;
  quality: Maybe<string>;
  reps: number;
  invalid_reps: number;
  set_aside_reps: number;
  launches?: { used: number; set_aside: number; failed: number };
  scheme?: string;
  median_ns: Maybe<number>;
  median_ci95_ns: Maybe<Interval>;
  min_ns: Maybe<number>;
  mean_ns: Maybe<number>;
  p99_ns: Maybe<number>;
  max_ns: Maybe<number>;
  over_ranks: string;
  over_reps: string;
  value_ns: Maybe<number>;
  value_ci95_ns: Maybe<Interval>;
  rate_bytes_per_s: Maybe<number>;
  start_skew_median_ns: Maybe<number>;
  clock_bound_ns: Maybe<number>;
  warnings: string[];
  measures?: { name: string; text: string }[];
  spread?: Spread;
  tails?: Tails;
  timeouts?: Timeouts;
  processes?: Processes;
  explanation?: Explanation;
  outliers?: Outliers;
  distribution?: Distribution;
  overlap?: Overlap;
  matrix?: Matrix;
  tree?: Tree;
}

export interface Switch {
  operation: string;
  procs: number;
  last_below_bytes: number;
  first_above_bytes: number;
  kind: string;
  before_ns: number;
  after_ns: number;
  ratio: number;
  text: string;
}

export interface Insight {
  kind: string;
  operation: string;
  procs: number;
  size_bytes: Maybe<number>;
  weight: number;
  text: string;
  remedy: string;
}

export interface Warning {
  severity: string;
  code: string;
  text: string;
  remedy: string;
}

export interface SchemeComparison {
  operation: string;
  procs: number;
  size_bytes: number;
  own_ns: number;
  own_within_run_ci95_ns?: Maybe<Interval>;
  schemes: {
    scheme: string;
    benchmark: string;
    value_ns: number;
    within_run_ci95_ns?: Maybe<Interval>;
    ratio: Maybe<number>;
    effects: { effect: string; change_ns: number; unsure_ns?: number; seen: boolean; reason?: boolean }[];
    remainder_ns?: number;
    remainder_unsure_ns?: number;
  }[];
}

/** Varied settings at one point. */
export interface SettingComparison {
  operation: string;
  procs: number;
  size_bytes: number;
  verdict: string;
  best: Maybe<string>;
  ratio: Maybe<number>;
  text: string;
  settings: { setting: string; value_ns: Maybe<number>; within_run_ci95_ns: Maybe<Interval> }[];
}

export interface Run {
  run: number;
  name: string;
  label: string;
  status: string;
  created_utc: string;
  mpi: string;
  mpi_version: string;
  simulated: boolean;
  procs: number;
  time_source: string;
  fathom_version: string;
  fathom_commit: string;
  command_line: string;
  plan_toml: string;
  ranks: { rank: number; host: string; pid: number; binding: string }[];
  environment: Record<string, Record<string, string>>;
  clock?: { scheme: string; synchronisations: number; shared: boolean; bound_ns: number; drift_ppm: number };
  operations: Record<string, { sized: boolean; latency?: boolean; calls: string; summary: string }>;
  between_runs: { text: string };
  thread_levels?: string[];
  points: Point[];
  switches?: Switch[];
  insights: Insight[];
  warnings: Warning[];
  findings?: { kind: string; who: string; size_bytes: number; text: string }[];
  notes?: { kind: string; operation: string; procs: number; size_bytes: Maybe<number>; text: string }[];
  scheme_comparison?: SchemeComparison[];
  vary?: SettingComparison[];
  verdict?: { accepted: boolean; decided: boolean; reasons: string[] };
  /** How many points have less detail, as the page would be too large otherwise. */
  trimmed_points?: number;
}

/** A point of two runs. */
export interface ComparedPoint {
  operation: string;
  procs: number;
  second_procs: number;
  size_bytes: number;
  scheme: string;
  ratio: number;
  ratio_ci95: Interval;
  verdict: 'faster' | 'slower' | 'same' | 'undecided';
  reason: string;
  p_value: number;
  /** Null where the disturbed repetitions leave it open. */
  ratio_range?: Maybe<Interval>;
}

/** The largest change in one direction. */
export interface LargestChange {
  operation: string;
  procs: number;
  second_procs: number;
  size_bytes: number;
  ratio: number;
}

/** A run compared with the first. */
export interface Comparison {
  run_index: number;
  text: string;
  change_by_size: { text: string; slowest: Maybe<LargestChange>; fastest: Maybe<LargestChange> };
  differences: { what: string; first: string; second: string }[];
  points: ComparedPoint[];
}

export interface Document {
  schema: string;
  fathom_version: string;
  dimensions: Dimension[];
  runs: Run[];
  comparisons: Comparison[];
}

/** Direction marks, which would reverse the text beside a name. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Arrays of objects with the same fields are written by column: `{"[]": LENGTH, FIELD: [VALUE, ...], ...}`, or the one
 * VALUE that all have.
 */
function unpacked(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  // Most arrays are long ones of numbers.
  if (Array.isArray(value)) return value.some((one) => typeof one === 'object') ? value.map(unpacked) : value;
  const { '[]': length, ...fields } = value as Record<string, unknown>;
  if (typeof length !== 'number')
    return Object.fromEntries(Object.entries(value).map(([name, one]: [string, unknown]) => [name, unpacked(one)]));
  // Field by field: this is most of what a page of thousands of points does before its first chart.
  const rows = Array.from({ length }, (): Record<string, unknown> => ({}));
  for (const [name, column] of Object.entries(fields)) {
    const parts = unpacked(column);
    for (let i = 0; i < length; i++)
      (rows[i] as Record<string, unknown>)[name] = Array.isArray(column) ? (parts as unknown[])[i] : parts;
  }
  return rows;
}

/** Runs, or tunings. */
export function read(): Document | Tunings {
  const text = document.getElementById('data')?.textContent ?? '{"runs":[]}';
  return unpacked(JSON.parse(text.replace(directions, '\ufffd'))) as Document | Tunings;
}

/** Counts of bins from their packed form: for each bin that is not empty the empty ones before it, then its count. */
export function unpack(packed: string, bins: number): Float64Array {
  const counts = new Float64Array(bins);
  const bytes = atob(packed);
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; at < bytes.length; scale *= 128) {
      const byte = bytes.charCodeAt(at++);
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    return value;
  };
  for (let bin = 0; at < bytes.length; bin++) {
    bin += varint();
    const count = varint();
    if (bin < bins) counts[bin] = count;
  }
  return counts;
}
