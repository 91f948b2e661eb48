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
  picked?: [number, number];
  /** Of pairs: what each row and column belongs to. Cells are square, pairs within one and between two have scales of their own. */
  hosts?: string[];
  /** The slowest is darkest, whether times or rates are shown. */
  fastest?: 'largest';
}

/** Around the cells; pairs have two scales below each other. */
const margin = { left: 62, right: 18, top: 12, bottom: 84 };
const scaleHeight = 24;

interface Margin {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Pairs have square cells. */
function marginOf(cells: Cells, room: Room): Margin {
  if (!cells.hosts) return margin;
  const bottom = margin.bottom + (new Set(cells.hosts).size > 1 ? scaleHeight : 0);
  const [width, height] = [room.width - margin.left - margin.right, room.height - margin.top - bottom];
  const side = Math.max(1, Math.min(width / cells.columns.length, height / cells.rows.length));
  return {
    left: margin.left + (width - side * cells.columns.length) / 2,
    right: margin.right + (width - side * cells.columns.length) / 2,
    top: margin.top,
    bottom: bottom + height - side * cells.rows.length,
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
    const within = cells.data.filter(([x, y]) => cells.hosts && hosts[x] === hosts[y]);
    const between = cells.data.filter(([x, y]) => !cells.hosts || hosts[x] !== hosts[y]);
    const layers = [
      { data: between, word: 'between hosts' },
      { data: within, word: 'within a host' },
    ].filter(({ data }) => data.length > 0);
    const scaleOf = ({ data, word }: (typeof layers)[number], at: number): object => {
      const places = data.map(([, , one]) => decades.at(one));
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
        bottom: at * scaleHeight,
        itemHeight: layers.length === 1 ? 160 : Math.min(120, room.width / 5),
        itemWidth: 12,
        dimension: 2,
        inRange: { color: cells.fastest === 'largest' ? [...colours.heat].reverse() : colours.heat },
        text: [
          more > 0 ? '' : cells.text(10 ** high),
          `${layers.length > 1 ? `${word}: ` : ''}${cells.text(10 ** low)}`,
        ],
        textStyle: { color: colours.muted },
        seriesIndex: at,
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
      visualMap: layers.map(scaleOf),
      tooltip: tooltip({
        trigger: 'item',
        formatter: (hit: { data: number[] }) =>
          `${cells.columnName} ${cells.columns[hit.data[0] as number]}${named(hosts[hit.data[0] as number])}, ` +
          `${cells.rowName} ${cells.rows[hit.data[1] as number]}${named(hosts[hit.data[1] as number])}\n` +
          cells.text(decades.value(hit.data[2] as number)),
      }),
      series: [
        ...layers.map(({ data }) => ({
          type: 'heatmap',
          data: data.map(([x, y, one]) => [x, y, decades.at(one)]),
          label: {
            show: fits(cells, room, around),
            color: colours.text,
            fontSize: 11,
            formatter: (hit: { data: number[] }) => cells.text(decades.value(hit.data[2] as number)),
            textBorderColor: colours.surface,
            textBorderWidth: 2,
          },
          itemStyle: { borderColor: colours.surface, borderWidth: cells.data.length <= 400 ? 1 : 0 },
        })),
        ...(cells.hosts ? [bordersOf(hosts, colours.line)] : []),
        ...(cells.picked
          ? [
              {
                type: 'heatmap',
                silent: true,
                data: [[...cells.picked, 0]],
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
        picked: [section.sizes.indexOf(section.size), section.procs.indexOf(section.proc)],
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
  const slowest = data.reduce(
    (best: [number, number, number] | undefined, one) =>
      !best || (asRate ? one[2] < best[2] : one[2] > best[2]) ? one : best,
    undefined,
  );
  const names = matrix.ranks.map(String);
  const remarks =
    section.run.findings?.filter((finding) => finding.size_bytes === size).map((finding) => `${finding.text}.`) ?? [];
  if (!slowest) return nothing(`${section.place}: there is nothing to draw.`);
  return {
    summary:
      `${section.place}: the slowest pair is ${names[slowest[1]]} and ${names[slowest[0]]} (${matrix.hosts[slowest[1]]}, ` +
      `${matrix.hosts[slowest[0]]}): ${text(slowest[2])}. The darkest are the slowest. ${remarks.join(' ')}`,
    option: option({
      columns: names,
      rows: names,
      columnName: 'rank',
      rowName: 'rank',
      data,
      text,
      hosts: matrix.hosts as string[],
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
