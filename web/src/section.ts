// An operation with all its points, and what is picked of it: one size, one process count, one run, in all its charts.
import type { ComparedPoint, Document, Point, Run } from './data';

export interface Placed { run: Run; runIndex: number; point: Point }

/** Points of one run, process count and way of progress, by size. */
export interface Series {
  run: Run; runIndex: number; procs: number; progress: string;
  points: Point[];
}

/** How a run's points compare with those of the first run. */
export interface Compared { run: Run; points: ComparedPoint[] }

const ownScheme = (point: { scheme?: string }): boolean => !point.scheme || point.scheme === 'fathom';
export const measured = (point: Point): boolean => point.status === 'ok' && (point.value_ns ?? point.median_ns) != null;
export const value = (point: Point): number => (point.value_ns ?? point.median_ns) as number;
export const ci = (point: Point): [number, number] | null => point.value_ci95_ns ?? point.median_ci95_ns ?? null;

const sorted = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);

export class Section {
  readonly placed: Placed[];
  /** By other schemes too. */
  readonly everything: Placed[];
  readonly series: Series[] = [];
  readonly sizes: number[];
  readonly procs: number[];
  readonly runs: Run[];
  readonly compared: Compared[];
  readonly sized: boolean;
  size: number;
  proc: number;
  run: Run;
  progress: string;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly operation: string, document: Document) {
    this.everything = document.runs.flatMap((run, runIndex) =>
      run.points.filter((point) => point.operation === operation).map((point) => ({ run, runIndex, point })));
    this.placed = this.everything.filter(({ point }) => measured(point) && ownScheme(point));
    for (const { run, runIndex, point } of this.placed) {
      const progress = point.progress ?? '';
      let series = this.series.find((one) => one.run === run && one.procs === point.procs && one.progress === progress);
      if (!series) this.series.push(series = { run, runIndex, procs: point.procs, progress, points: [] });
      series.points.push(point);
    }
    for (const series of this.series) series.points.sort((a, b) => a.size_bytes - b.size_bytes);
    this.series.sort((a, b) => a.runIndex - b.runIndex || a.procs - b.procs);
    this.sizes = sorted(this.placed.map(({ point }) => point.size_bytes));
    this.procs = sorted(this.placed.map(({ point }) => point.procs));
    this.runs = document.runs.filter((run) => this.placed.some((one) => one.run === run));
    this.compared = document.comparisons.map(({ run_index, points }) => ({ run: document.runs[run_index] as Run,
      points: points.filter((point) => point.operation === operation && ownScheme(point)) })).filter(({ points }) => points.length > 0);
    this.sized = document.runs.some((run) => run.operations[operation]?.sized) && this.sizes.length > 0;
    this.run = this.runs[0] as Run;
    this.proc = this.procs[this.procs.length - 1] ?? 0;
    // One in the middle that all curves have, if there is one.
    const common = this.sizes.filter((size) => this.series.every((series) => series.points.some((point) => point.size_bytes === size)));
    const usual = common.length > 0 ? common : this.sizes;
    this.size = usual[Math.floor(usual.length / 2)] ?? 0;
    this.progress = this.series[0]?.progress ?? '';
  }

  get progresses(): string[] {
    return [...new Set(this.series.map((series) => series.progress))];
  }

  /** The picked point of a run, or of the picked one. */
  point(run: Run = this.run): Point | undefined {
    return this.placed.find((one) => one.run === run && one.point.size_bytes === this.size && one.point.procs === this.proc &&
      (one.point.progress ?? '') === this.progress)?.point;
  }

  changed(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Picks what is there; what is not stays as it was. */
  pick(wanted: { size?: number; procs?: number; run?: Run; progress?: string }): void {
    const before = [this.size, this.proc, this.run, this.progress];
    if (wanted.size !== undefined && this.sizes.includes(wanted.size)) this.size = wanted.size;
    if (wanted.procs !== undefined && this.procs.includes(wanted.procs)) this.proc = wanted.procs;
    if (wanted.run) this.run = wanted.run;
    if (wanted.progress !== undefined) this.progress = wanted.progress;
    const now = [this.size, this.proc, this.run, this.progress];
    if (now.some((one, i) => one !== before[i])) this.listeners.forEach((listener) => listener());
  }

  /** The next size, or the one before. */
  step(by: number): void {
    const next = this.sizes[this.sizes.indexOf(this.size) + by];
    if (next !== undefined) this.pick({ size: next });
  }

  nearestSize(size: number, at: (size: number) => number): number {
    return this.sizes.reduce((best, one) => (Math.abs(at(one) - at(size)) < Math.abs(at(best) - at(size)) ? one : best),
      this.sizes[0] as number);
  }
}
