// An operation with all its points, and what is picked of it: one size, one process count, one run, in all its charts.
import {
  type ComparedPoint,
  type Dimension,
  type Document,
  type Key,
  type Maybe,
  type Point,
  type Run,
  along,
} from './data';
import { anchor } from './dom';
import * as format from './format';

export interface Placed {
  run: Run;
  runIndex: number;
  point: Point;
}

/** Where something belongs on the axes. */
type Place = Pick<Point, 'size_bytes' | 'procs'>;

/** Points of one run, process count and variant, by size. */
export interface Series {
  run: Run;
  runIndex: number;
  procs: number;
  variant: string;
  points: Point[];
}

/** How a run's points compare with those of the first run. */
export interface Compared {
  run: Run;
  points: ComparedPoint[];
}

const ownScheme = (point: { scheme?: string }): boolean => !point.scheme || point.scheme === 'fathom';
export const measured = (point: Point): boolean => point.status === 'ok' && (point.value_ns ?? point.median_ns) != null;
export const value = (point: Point): number => (point.value_ns ?? point.median_ns) as number;
export const ci = (point: Point): [number, number] | null => point.value_ci95_ns ?? point.median_ci95_ns ?? null;

const byOperation = new WeakMap<Run, Map<string, Point[]>>();
/** Points of each operation; runs may have thousands. */
function pointsOf(run: Run): Map<string, Point[]> {
  let found = byOperation.get(run);
  if (!found) {
    byOperation.set(run, (found = new Map()));
    for (const point of run.points) {
      const own = found.get(point.operation);
      if (own) own.push(point);
      else found.set(point.operation, [point]);
    }
  }
  return found;
}

const sorted = (values: Iterable<number>): number[] => [...new Set(values)].sort((a, b) => a - b);

export class Section {
  readonly placed: Placed[];
  /** By other schemes too, and what has no result. */
  readonly everything: Placed[];
  readonly series: Series[] = [];
  readonly sizes: number[];
  readonly procs: number[];
  readonly runs: Run[];
  readonly compared: Compared[];
  readonly sized: boolean;
  /** Its time is that of a message. */
  readonly latency: boolean;
  /** The page has several runs, so it is said which one is meant. */
  readonly several: boolean;
  size = 0;
  proc = 0;
  run: Run;
  variant = '';
  private readonly sizeNames = new Map<number, string>();
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly operation: string,
    private readonly document: Document,
  ) {
    this.everything = document.runs.flatMap((run, runIndex) =>
      (pointsOf(run).get(operation) ?? []).map((point) => ({ run, runIndex, point })),
    );
    this.placed = this.everything.filter(({ point }) => measured(point) && ownScheme(point));
    for (const { run, runIndex, point } of this.placed) {
      const variant = this.variantOf(point);
      let series = this.series.find((one) => one.run === run && one.procs === point.procs && one.variant === variant);
      if (!series) this.series.push((series = { run, runIndex, procs: point.procs, variant, points: [] }));
      series.points.push(point);
    }
    for (const series of this.series) series.points.sort((a, b) => a.size_bytes - b.size_bytes);
    this.series.sort((a, b) => a.runIndex - b.runIndex || a.procs - b.procs);
    this.sizes = sorted(this.placed.map(({ point }) => point.size_bytes));
    this.procs = sorted(this.placed.map(({ point }) => point.procs));
    this.runs = document.runs.filter((run) => this.placed.some((one) => one.run === run));
    this.several = document.runs.length > 1;
    this.compared = document.comparisons
      .map(({ run_index, points }) => ({
        run: document.runs[run_index] as Run,
        points: points.filter((point) => point.operation === operation && ownScheme(point)),
      }))
      .filter(({ points }) => points.length > 0);
    this.sized = document.runs.some((run) => run.operations[operation]?.sized) && this.sizes.length > 0;
    this.latency = document.runs.some((run) => run.operations[operation]?.latency);
    this.nameSizes();
    this.run = this.runs[0] as Run;
    this.begin();
  }

  /** Of its element in the page. */
  get id(): string {
    return anchor(this.operation);
  }

  get variants(): string[] {
    return [...new Set(this.series.map((series) => series.variant))];
  }

  /** The dimensions in which points differ besides processes, size and scheme. */
  get differing(): Dimension[] {
    this.differingFound ??= this.dimensions.filter(
      (dimension) => new Set(this.everything.map(({ point }) => along(point, dimension))).size > 1,
    );
    return this.differingFound;
  }
  private differingFound: Dimension[] | undefined;

  /** What sets a point apart from others of its size and process count: `progress thread`; empty if nothing does. */
  variantOf(key: Key): string {
    return this.dimensions
      .flatMap((dimension) => {
        const place = along(key, dimension);
        return place ? [dimension.said_as + place] : [];
      })
      .join(', ');
  }

  /** The same for people, who want to read something. */
  variantWords(variant: string): string {
    return variant || this.differing.map((dimension) => dimension.said_as + dimension.when_empty).join(', ');
  }

  /** Schemes of other benchmarks have a figure of their own. */
  get dimensions(): Dimension[] {
    return this.document.dimensions.filter(({ name }) => name !== 'scheme');
  }

  /** Whether it is shown how times spread. */
  get spreads(): boolean {
    return this.placed.some(({ point }) => point.spread);
  }

  /** Place in the document: a run has the same colour in all sections. */
  runIndex(run: Run): number {
    return this.document.runs.indexOf(run);
  }

  /** A size as text; exact where another one would look the same. */
  bytes(size: number): string {
    return this.sizeNames.get(size) ?? format.bytes(size);
  }

  /** What is picked: `first (run 1), 64 KiB, 8 processes`. */
  get place(): string {
    return [
      this.placeOf({ size_bytes: this.size, procs: this.proc }),
      this.variants.length > 1 ? this.variantWords(this.variant) : '',
    ]
      .filter(Boolean)
      .join(', ');
  }

  /** The same of something else that the picked run has of a size and process count. */
  placeOf(one: Place): string {
    return [
      this.several ? this.run.name : '',
      this.sized ? this.bytes(one.size_bytes) : '',
      format.processes(one.procs),
    ]
      .filter(Boolean)
      .join(', ');
  }

  /** Of several such things, the one at the picked place, or the first. */
  picked<One extends Place>(all: One[]): One | undefined {
    return all.find((one) => one.size_bytes === this.size && one.procs === this.proc) ?? all[0];
  }

  /** The picked point of a run, or of the picked one. */
  point(run: Run = this.run): Point | undefined {
    return this.placed.find(
      (one) =>
        one.run === run &&
        one.point.size_bytes === this.size &&
        one.point.procs === this.proc &&
        this.variantOf(one.point) === this.variant,
    )?.point;
  }

  changed(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Picks what is there; what is not stays as it was. */
  pick(wanted: { size?: Maybe<number>; procs?: number; run?: Run; variant?: string }): void {
    const before = [this.size, this.proc, this.run, this.variant];
    if (wanted.size != null && this.sizes.includes(wanted.size)) this.size = wanted.size;
    if (wanted.procs !== undefined && this.procs.includes(wanted.procs)) this.proc = wanted.procs;
    if (wanted.run && this.runs.includes(wanted.run)) this.run = wanted.run;
    if (wanted.variant !== undefined && this.variants.includes(wanted.variant)) this.variant = wanted.variant;
    const now = [this.size, this.proc, this.run, this.variant];
    if (now.some((one, i) => one !== before[i])) this.listeners.forEach((listener) => listener());
  }

  /** Arrow keys of a chart: to the next size or the one before, where there are several. */
  get arrows(): { keys?: (step: number) => void } {
    return this.sizes.length < 2
      ? {}
      : {
          keys: (step) => {
            const next = this.sizes[this.sizes.indexOf(this.size) + step];
            if (next !== undefined) this.pick({ size: next });
          },
        };
  }

  nearestSize(size: number, at: (size: number) => number): number {
    return this.sizes.reduce(
      (best, one) => (Math.abs(at(one) - at(size)) < Math.abs(at(best) - at(size)) ? one : best),
      this.sizes[0] as number,
    );
  }

  private nameSizes(): void {
    const sizes = sorted(this.everything.map(({ point }) => point.size_bytes));
    const names = sizes.map(format.bytes);
    sizes.forEach((size, i) =>
      this.sizeNames.set(
        size,
        names.indexOf(names[i] as string) === names.lastIndexOf(names[i] as string)
          ? (names[i] as string)
          : format.exactBytes(size),
      ),
    );
  }

  /** The initial point is one of the first run that all runs have, if there is one: most processes, a size in the middle, traced if any is. */
  private begin(): void {
    // What was traced has most to show.
    const traced = this.series.find(({ points }) => points.some((point) => point.tree));
    this.variant = (traced ?? this.series[0])?.variant ?? '';
    const own = this.placed
      .filter((one) => one.run === this.run && this.variantOf(one.point) === this.variant)
      .map(({ point }) => point);
    const common = own.filter((point) =>
      this.runs.every((run) =>
        this.placed.some(
          (one) =>
            one.run === run &&
            one.point.procs === point.procs &&
            one.point.size_bytes === point.size_bytes &&
            this.variantOf(one.point) === this.variant,
        ),
      ),
    );
    const usual = common.length > 0 ? common : own;
    this.proc = usual.reduce((most, point) => Math.max(most, point.procs), 0);
    const sizes = sorted(usual.filter((point) => point.procs === this.proc).map((point) => point.size_bytes));
    const everywhere = sizes.filter((size) =>
      this.series.every((series) => series.points.some((point) => point.size_bytes === size)),
    );
    const offered = everywhere.length > 0 ? everywhere : sizes;
    this.size = offered[Math.floor(offered.length / 2)] ?? 0;
  }
}
