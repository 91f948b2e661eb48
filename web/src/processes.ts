// A point process by process.
import { decadeAxis, decades } from './axes';
import { type Drawing, Figure, nothing } from './figure';
import * as format from './format';
import { tooltip } from './pieces';
import type { Section } from './section';
import { cell, timeCell } from './table';
import { theme } from './theme';

interface Row {
  rank: number;
  host: string;
  reps: number;
  min: number;
  median: number;
  mean: number;
  max: number;
  group: number;
  last: number | null;
}

function rowsOf(section: Section): Row[] {
  const point = section.point();
  const ranks = point?.spread?.ranks;
  if (!ranks) return [];
  const hosts = new Map(section.run.ranks.map((one) => [one.rank, one.host]));
  const known = new Map((point?.processes?.ranks ?? []).map((one) => [one.rank, one]));
  return ranks.rank.map((rank, i): Row => ({
    rank,
    host: hosts.get(rank) ?? '',
    reps: ranks.reps[i] as number,
    min: ranks.min_ns[i] as number,
    median: ranks.median_ns[i] as number,
    mean: ranks.mean_ns[i] as number,
    max: ranks.max_ns[i] as number,
    group: known.get(rank)?.group ?? 0,
    last: known.get(rank)?.last_share ?? null,
  }));
}

const words = ({ rank, host, min, median, mean, max, last }: Row): string =>
  `rank ${rank} on ${host}\nmin ${format.time(min)}, median ${format.time(median)}\n` +
  `mean ${format.time(mean)}, max ${format.time(max)}${last === null ? '' : `\nlast in ${format.percent(last)}`}`;

function drawing(section: Section): Drawing {
  const rows = rowsOf(section);
  if (rows.length === 0) return nothing(`${section.place}: no times by process.`);
  const colours = theme();
  const colour = (row: Row): string => colours.series[row.group % colours.series.length] as string;
  const withLast = rows.some((row) => row.last !== null && row.last > 0);
  const slowest = rows.reduce(
    (best: Row | undefined, row) => (!best || row.median > best.median ? row : best),
    undefined,
  );
  const fastest = rows.reduce(
    (best: Row | undefined, row) => (!best || row.median < best.median ? row : best),
    undefined,
  );
  const analysis = section.point()?.processes;
  const x = (gridIndex: number): object => ({
    type: 'category',
    gridIndex,
    data: rows.map((row) => String(row.rank)),
    axisLabel: { color: colours.muted, hideOverlap: true },
    axisLine: { onZero: false, lineStyle: { color: colours.line } },
    axisTick: { show: false },
    ...(gridIndex === (withLast ? 1 : 0)
      ? { name: 'rank', nameLocation: 'middle', nameGap: 26, nameTextStyle: { color: colours.muted } }
      : {}),
  });
  const times = decadeAxis(
    rows.flatMap((row) => [row.min, row.median, row.mean, row.max]),
    { name: '', text: format.timeTick },
  );
  // A logarithm has no place for 0.
  const bottom = times.min + 0.02 * (times.max - times.min);
  const place = (ns: number): number => (ns > 0 ? decades.at(ns) : bottom);
  const data = rows.map((row, i) => [i, place(row.min), place(row.median), place(row.mean), place(row.max)]);
  return {
    summary:
      `${section.place}. ` +
      (analysis?.text ||
        (slowest && fastest
          ? `Medians from ${format.time(fastest.median)} (rank ${fastest.rank}) to ${format.time(slowest.median)} (rank ${slowest.rank}).`
          : '')) +
      ' Line: smallest to largest; bar: median; dot: mean' +
      (analysis && analysis.groups.length > 1 ? '; colour: group.' : '.') +
      (withLast ? ' Below: how often a process finished last.' : '') +
      (rows.some((row) => row.min <= 0) ? ' Times of 0 are at the bottom of the axis.' : ''),
    option: {
      grid: [
        { left: 66, right: 18, top: 14, bottom: withLast ? 118 : 46 },
        ...(withLast ? [{ left: 66, right: 18, height: 48, bottom: 46 }] : []),
      ],
      xAxis: [x(0), ...(withLast ? [x(1)] : [])],
      yAxis: [
        times,
        ...(withLast
          ? [
              {
                type: 'value',
                gridIndex: 1,
                min: 0,
                splitNumber: 2,
                axisLabel: { color: colours.muted, formatter: (share: number) => format.percent(share) },
                splitLine: { lineStyle: { color: colours.grid } },
              },
            ]
          : []),
      ],
      tooltip: tooltip({
        trigger: 'axis',
        axisPointer: { type: 'line', lineStyle: { color: colours.line } },
        formatter: ([hit]: { dataIndex: number }[]) => {
          const row = hit && rows[hit.dataIndex];
          return row ? words(row) : '';
        },
      }),
      series: [
        {
          type: 'custom',
          clip: true,
          data,
          encode: { x: 0, y: [1, 2, 3, 4] },
          renderItem: (
            params: { dataIndex: number },
            api: { value(i: number): number; coord(at: number[]): number[]; size(of: number[]): number[] },
          ) => {
            const at = (i: number): [number, number] => api.coord([api.value(0), api.value(i)]) as [number, number];
            const [px, low] = at(1);
            const width = Math.max(3, Math.min(22, ((api.size([1, 0])[0] as number) ?? 10) * 0.7));
            const paint = colour(rows[params.dataIndex] as Row);
            return {
              type: 'group',
              children: [
                {
                  type: 'line',
                  shape: { x1: px, y1: low, x2: px, y2: at(4)[1] },
                  style: { stroke: paint, lineWidth: 1.4, opacity: 0.7 },
                },
                {
                  type: 'rect',
                  shape: { x: px - width / 2, y: at(2)[1] - 2.5, width, height: 5 },
                  style: { fill: paint },
                },
                {
                  type: 'circle',
                  shape: { cx: px, cy: at(3)[1], r: 3 },
                  style: { fill: colours.surface, stroke: paint, lineWidth: 1.4 },
                },
              ],
            };
          },
        },
        ...(withLast
          ? [
              {
                type: 'bar',
                xAxisIndex: 1,
                yAxisIndex: 1,
                data: rows.map((row) => ({ value: row.last, itemStyle: { color: colour(row) } })),
                barMaxWidth: 18,
              },
            ]
          : []),
      ],
    },
    table: {
      name: `${section.operation}-processes`,
      columns: [
        { title: 'rank' },
        { title: 'host', word: true },
        { title: 'reps' },
        { title: 'min_ns' },
        { title: 'median_ns' },
        { title: 'mean_ns' },
        { title: 'max_ns' },
        { title: 'group' },
        { title: 'last_share' },
      ],
      rows: rows.map((row) => [
        cell(String(row.rank), row.rank),
        cell(row.host),
        cell(format.count(row.reps), row.reps),
        timeCell(row.min),
        timeCell(row.median),
        timeCell(row.mean),
        timeCell(row.max),
        cell(String(row.group + 1), row.group + 1),
        cell(format.percent(row.last), row.last),
      ]),
    },
  };
}

export function processesFigure(section: Section): Figure | undefined {
  // A matrix has none: of each pair, only one process is timed.
  const most = Math.max(
    0,
    ...section.placed.map(({ point }) => (point.processes ? (point.spread?.ranks?.rank.length ?? 0) : 0)),
  );
  return most > 1
    ? new Figure('Process by process', () => drawing(section), { full: most > 12, ...section.arrows })
    : undefined;
}
