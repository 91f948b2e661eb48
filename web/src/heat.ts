// Heat maps: time by size and processes, and every pair of a matrix.
import { decades } from './axes';
import type { Matrix, Point } from './data';
import { type Drawing, Figure, type Room, nothing } from './figure';
import * as format from './format';
import { tooltip } from './pieces';
import { type Section, measured, value } from './section';
import { cell } from './table';
import { theme } from './theme';

interface Cells {
  columns: string[];
  rows: string[];
  columnName: string;
  rowName: string;
  /** Column, row, value. */
  data: [number, number, number][];
  text: (value: number) => string;
  /** Framed. */
  framed?: [number, number][];
  /** Of pairs: what each row and column belongs to. Cells are square. */
  hosts?: string[];
  /** The slowest is darkest, whether times or rates are shown. */
  fastest?: 'largest';
}

/** Around the cells; below them is the scale. */
const margin = { left: 62, right: 18, top: 12, bottom: 84 };

interface Margin {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Pairs have square cells. */
function marginOf(cells: Cells, room: Room): Margin {
  if (!cells.hosts) return margin;
  const [width, height] = [room.width - margin.left - margin.right, room.height - margin.top - margin.bottom];
  const side = Math.max(1, Math.min(width / cells.columns.length, height / cells.rows.length));
  return {
    left: margin.left + (width - side * cells.columns.length) / 2,
    right: margin.right + (width - side * cells.columns.length) / 2,
    top: margin.top,
    bottom: margin.bottom + height - side * cells.rows.length,
  };
}

/** Each cell has room for what it says. */
function fits(cells: Cells, room: Room, around: Margin): boolean {
  const longest = cells.data.reduce((most, [, , one]) => Math.max(most, cells.text(one).length), 0);
  return (
    (room.width - around.left - around.right) / cells.columns.length > longest * 6 + 4 &&
    (room.height - around.top - around.bottom) / cells.rows.length > 14
  );
}

const named = (host: string | undefined): string => (host === undefined ? '' : ` (${host})`);

/** Lines between hosts. */
const bordersOf = (hosts: string[], colour: string): object => ({
  type: 'custom',
  silent: true,
  tooltip: { show: false },
  data: hosts.flatMap((host, i) => (i > 0 && host !== hosts[i - 1] ? [[i, hosts.length]] : [])),
  renderItem: (
    _: unknown,
    api: { value(i: number): number; coord(at: number[]): number[]; size(of: number[]): number[] },
  ) => {
    const [width, height] = api.size([1, 1]) as [number, number];
    const [at, count] = [api.value(0), api.value(1)];
    const corner = api.coord([at, at]) as [number, number];
    const first = api.coord([0, 0]) as [number, number];
    const [x, y] = [corner[0] - width / 2, corner[1] + height / 2];
    const [left, bottom] = [first[0] - width / 2, first[1] + height / 2];
    const line = (x1: number, y1: number, x2: number, y2: number): object => ({
      type: 'line',
      shape: { x1, y1, x2, y2 },
      style: { stroke: colour, lineWidth: 0.7 },
    });
    return {
      type: 'group',
      children: [line(x, bottom, x, bottom - count * height), line(left, y, left + count * width, y)],
    };
  },
});

const option =
  (cells: Cells) =>
  (room: Room): Record<string, unknown> => {
    const colours = theme();
    const hosts = cells.hosts ?? [];
    const scale = (): object => {
      const places = cells.data.map(([, , one]) => decades.at(one));
      const low = places.reduce((best, one) => Math.min(best, one), Infinity);
      const high = places.reduce((best, one) => Math.max(best, one), -Infinity);
      // Equal values are neither low nor high.
      const more = high - low < 1e-3 ? 0.5 : 0;
      return {
        min: low - more,
        max: high + more,
        calculable: false,
        hoverLink: false,
        orient: 'horizontal',
        left: 'center',
        bottom: 0,
        itemHeight: 160,
        itemWidth: 12,
        dimension: 2,
        inRange: { color: cells.fastest === 'largest' ? [...colours.heat].reverse() : colours.heat },
        text: [more > 0 ? '' : cells.text(10 ** high), cells.text(10 ** low)],
        textStyle: { color: colours.muted },
        seriesIndex: 0,
      };
    };
    const around = marginOf(cells, room);
    // Evenly, so that none is missing between others.
    const every = cells.hosts
      ? { interval: Math.ceil(26 / ((room.width - around.left - around.right) / cells.columns.length)) - 1 }
      : { hideOverlap: true };
    const axis = (data: string[], name: string, gap: number): object => ({
      type: 'category',
      data,
      name,
      nameLocation: 'middle',
      nameGap: gap,
      nameTextStyle: { color: colours.muted },
      axisLabel: { color: colours.muted, ...every },
      axisLine: { lineStyle: { color: colours.line } },
      axisTick: { show: false },
      splitArea: { show: false },
    });
    return {
      grid: around,
      xAxis: axis(cells.columns, cells.columnName, 26),
      yAxis: axis(cells.rows, cells.rowName, 44),
      visualMap: scale(),
      tooltip: tooltip({
        trigger: 'item',
        formatter: (hit: { data: number[] }) =>
          `${cells.columnName} ${cells.columns[hit.data[0] as number]}${named(hosts[hit.data[0] as number])}, ` +
          `${cells.rowName} ${cells.rows[hit.data[1] as number]}${named(hosts[hit.data[1] as number])}\n` +
          cells.text(decades.value(hit.data[2] as number)),
      }),
      series: [
        {
          type: 'heatmap',
          data: cells.data.map(([x, y, one]) => [x, y, decades.at(one)]),
          label: {
            show: fits(cells, room, around),
            color: colours.text,
            fontSize: 11,
            formatter: (hit: { data: number[] }) => cells.text(decades.value(hit.data[2] as number)),
            textBorderColor: colours.surface,
            textBorderWidth: 2,
          },
          itemStyle: { borderColor: colours.surface, borderWidth: cells.data.length <= 400 ? 1 : 0 },
        },
        ...(cells.hosts ? [bordersOf(hosts, colours.line)] : []),
        ...(cells.framed
          ? [
              {
                type: 'heatmap',
                silent: true,
                data: cells.framed.map((at) => [...at, 0]),
                itemStyle: { color: 'transparent', borderColor: colours.frame, borderWidth: 2.5 },
                label: { show: false },
                tooltip: { show: false },
              },
            ]
          : []),
      ],
    };
  };

/** Time by size and processes, of the picked run. */
export function sizeProcsFigure(section: Section): Figure | undefined {
  if (section.sizes.length < 2 || section.procs.length < 2 || !section.placed.some(({ point }) => value(point) > 0))
    return undefined;
  const draw = (): Drawing => {
    const points = section.series
      .filter((one) => one.run === section.run && one.variant === section.variant)
      .flatMap((one) => one.points)
      .filter((point) => value(point) > 0);
    const data = points.map((point): [number, number, number] => [
      section.sizes.indexOf(point.size_bytes),
      section.procs.indexOf(point.procs),
      value(point),
    ]);
    const largest = points.reduce(
      (best: Point | undefined, one) => (!best || value(one) > value(best) ? one : best),
      undefined,
    );
    if (!largest) return nothing(`${section.run.name}: not measured.`);
    return {
      summary:
        `${section.several ? `${section.run.name}: the` : 'The'} longest is ${format.time(value(largest))} for ` +
        `${section.bytes(largest.size_bytes)} with ${format.processes(largest.procs)}.`,
      option: option({
        columns: section.sizes.map((size) => section.bytes(size)),
        rows: section.procs.map(String),
        columnName: 'message size',
        rowName: 'processes',
        data,
        text: format.time,
        framed: [[section.sizes.indexOf(section.size), section.procs.indexOf(section.proc)]],
      }),
      table: {
        name: `${section.operation}-size-by-processes`,
        columns: [{ title: 'procs' }, ...section.sizes.map((size) => ({ title: `${size}_bytes_ns` }))],
        rows: section.procs.map((procs) => [
          cell(String(procs), procs),
          ...section.sizes.map((size) => {
            const point = points.find((one) => one.procs === procs && one.size_bytes === size);
            return cell(point ? format.time(value(point)) : '-', point ? value(point) : null);
          }),
        ]),
      },
    };
  };
  return new Figure('Time by size and processes', draw, {
    ...section.arrows,
    clicked: (x, y) =>
      section.pick({ size: section.sizes[Math.round(x)] as number, procs: section.procs[Math.round(y)] as number }),
  });
}

const ratesFrom = 64 * 1024;

function matrixDrawing(section: Section, matrix: Matrix, size: number): Drawing {
  const asRate = size >= ratesFrom;
  const values = asRate ? matrix.rate_bytes_per_s : matrix.time_ns;
  const text = asRate ? format.rate : format.time;
  const data: [number, number, number][] = [];
  values.forEach((row, y) =>
    row.forEach((one, x) => {
      if (one != null && one > 0) data.push([x, y, one]);
    }),
  );
  /** One scale shows how pairs within hosts differ from those between them, not which of either is slow: that has a frame. */
  const slowestOf = (within: boolean): [number, number, number] | undefined =>
    data
      .filter(([x, y]) => (matrix.hosts[x] === matrix.hosts[y]) === within)
      .reduce(
        (best: [number, number, number] | undefined, one) =>
          !best || (asRate ? one[2] < best[2] : one[2] > best[2]) ? one : best,
        undefined,
      );
  const slowest = [slowestOf(false), slowestOf(true)].filter((one) => one !== undefined);
  const names = matrix.ranks.map(String);
  const remarks =
    section.run.findings?.filter((finding) => finding.size_bytes === size).map((finding) => `${finding.text}.`) ?? [];
  if (slowest.length === 0) return nothing(`${section.place}: there is nothing to draw.`);
  return {
    summary:
      `${section.place}: ${asRate ? 'bandwidth' : 'latency'}` +
      `${matrix.contended ? ', contended (pairs that share a host communicate simultaneously)' : ''}. Framed: ` +
      slowest
        .map(
          ([x, y, one]) =>
            `the slowest pair ${matrix.hosts[x] === matrix.hosts[y] ? `within a host, ${names[y]} and ${names[x]} on ${matrix.hosts[y]}` : `between hosts, ${names[y]} and ${names[x]} (${matrix.hosts[y]}, ${matrix.hosts[x]})`}: ${text(one)}`,
        )
        .join('; ') +
      `. ${theme().heavy} is slower. ${remarks.join(' ')}`.trimEnd(),
    option: option({
      columns: names,
      rows: names,
      columnName: 'rank',
      rowName: 'rank',
      data,
      text,
      hosts: matrix.hosts as string[],
      framed: slowest.map(([x, y]) => [x, y]),
      ...(asRate ? { fastest: 'largest' as const } : {}),
    }),
    table: {
      name: `matrix-${size}`,
      columns: [
        { title: 'rank' },
        { title: 'host', word: true },
        ...names.map((name) => ({ title: `to_${name}_${asRate ? 'bytes_per_s' : 'ns'}` })),
      ],
      rows: values.map((row, i) => [
        cell(names[i] as string, matrix.ranks[i]),
        cell(matrix.hosts[i] as string),
        ...row.map((one) => cell(one == null ? '-' : text(one), one ?? null)),
      ]),
    },
  };
}

/** Every pair at the picked size. */
export function matrixFigure(section: Section): Figure | undefined {
  const has = section.placed.some(({ point }) => point.matrix && measured(point));
  if (!has) return undefined;
  return new Figure(
    'Every pair of processes',
    () => {
      const point = section.point();
      return point?.matrix
        ? matrixDrawing(section, point.matrix, point.size_bytes)
        : nothing(`${section.place}: not measured.`);
    },
    { tall: true, ...section.arrows },
  );
}
