// Inside a collective over a tree: where along their paths data spend time, and what that suggests.
import { countAxis, linearAxis, wholeAxis } from './axes';
import type { Timemap, Tree } from './data';
import { type Drawing, Figure, nothing } from './figure';
import * as format from './format';
import { panel } from './panels';
import { grid, legend, tooltip, upright } from './pieces';
import type { Section } from './section';
import { cell, timeCell } from './table';
import { theme } from './theme';

/** Names of lines, unless there are too many to read. */
const mostNames = 12;

function timemap(section: Section, name: string, lines: (tree: Tree) => Timemap[]): Drawing {
  const tree = section.point()?.tree;
  const all = tree ? lines(tree) : [];
  if (all.length === 0) return nothing(`${section.place}: no call was traced.`);
  const colours = theme();
  const points = (line: Timemap): [number, number][] =>
    [...line.down, ...line.up].map(({ x_ns, depth }) => [x_ns, depth]);
  const slowest = all.reduce((worst, line) => (length(line) > length(worst) ? line : worst), all[0] as Timemap);
  return {
    summary:
      `${section.place}. Mean time along the path of each rank: on the left down to the root, where data are stored at 0, ` +
      `on the right up again. The longest is that of ${slowest.name}, ${format.time(length(slowest))}. Colour: paths with ` +
      'the same behaviour.',
    option: {
      grid: grid(all.length > mostNames ? 1 : all.length),
      legend: all.length > mostNames ? { show: false } : legend(all.map((line) => line.name)),
      xAxis: {
        ...linearAxis(
          all.flatMap((line) => points(line).map(([x]) => x)),
          { name: 'mean time; 0: data are stored at the root', text: format.timeTick },
        ),
        nameGap: 28,
      },
      yAxis: {
        ...wholeAxis(Math.max(...all.flatMap((line) => points(line).map(([, depth]) => depth))), {
          name: 'edges and joins from the leaf',
          text: (depth) => String(depth),
        }),
        ...upright,
        nameGap: 32,
        inverse: true,
      },
      tooltip: tooltip({
        trigger: 'item',
        formatter: (hit: { seriesName: string; value: [number, number] }) =>
          `${hit.seriesName}\n${format.time(hit.value[0])}`,
      }),
      series: all.map((line) => {
        const colour = colours.series[line.cluster % colours.series.length] as string;
        return {
          type: 'line',
          name: line.name,
          data: points(line),
          symbolSize: 4,
          color: colour,
          lineStyle: { color: colour, width: 1.3 },
        };
      }),
    },
    table: {
      name: `${section.operation}-${name}`,
      columns: [{ title: 'path', word: true }, { title: 'down_ns' }, { title: 'up_ns' }, { title: 'cluster' }],
      rows: all.map((line) => [
        cell(line.name),
        timeCell(-(line.down[0]?.x_ns ?? 0)),
        timeCell(line.up[line.up.length - 1]?.x_ns ?? 0),
        cell(String(line.cluster + 1), line.cluster + 1),
      ]),
    },
  };
}

const length = (line: Timemap): number => (line.up[line.up.length - 1]?.x_ns ?? 0) - (line.down[0]?.x_ns ?? 0);

function departures(section: Section): Drawing {
  const joins = section.point()?.tree?.departures ?? [];
  if (joins.length === 0) return nothing(`${section.place}: no departures were traced.`);
  const colours = theme();
  return {
    summary:
      `${section.place}. Up latency and departure wait by order of departure, a line per join: at 0 the latency that it ` +
      'introduces; the steeper, the more its contributors are woken one after the other.',
    option: {
      grid: grid(joins.length > mostNames ? 1 : joins.length),
      legend: joins.length > mostNames ? { show: false } : legend(joins.map(({ join }) => join)),
      xAxis: {
        ...wholeAxis(Math.max(...joins.flatMap(({ places }) => places.map(({ place }) => place))), {
          name: 'order of departure',
          text: (place) => String(place),
        }),
        nameGap: 28,
      },
      yAxis: {
        ...countAxis(Math.max(...joins.flatMap(({ places }) => places.map(({ mean_ns }) => mean_ns))), {
          name: 'mean departure wait',
          text: format.timeTick,
        }),
        ...upright,
      },
      tooltip: tooltip({
        trigger: 'item',
        formatter: (hit: { seriesName: string; value: [number, number] }) =>
          `${hit.seriesName}, place ${hit.value[0]}\n${format.time(hit.value[1])}`,
      }),
      series: joins.map(({ join, places }, i) => {
        const colour = colours.series[i % colours.series.length] as string;
        return {
          type: 'line',
          name: join,
          data: places.map(({ place, mean_ns }) => [place, mean_ns]),
          color: colour,
          lineStyle: { color: colour, width: 1.5 },
        };
      }),
    },
    table: {
      name: `${section.operation}-departures`,
      columns: [{ title: 'join', word: true }, { title: 'place' }, { title: 'mean_ns' }],
      rows: joins.flatMap(({ join, places }) =>
        places.map(({ place, mean_ns }) => [cell(join), cell(String(place), place), timeCell(mean_ns)]),
      ),
    },
  };
}

/** Nothing where no call of the operation was traced. */
export function treeFigures(section: Section): Figure[] {
  if (!section.placed.some(({ point }) => point.tree)) return [];
  const optional = { optional: true };
  return [
    new Figure('Timemap without arrival waits', () => timemap(section, 'timemap', (tree) => tree.timemap), optional),
    new Figure(
      'Timemap with arrival waits',
      () => timemap(section, 'timemap-with-waits', (tree) => tree.timemap_with_waits),
      optional,
    ),
    new Figure('Departures by their order', () => departures(section), optional),
  ];
}

export const treePanel = (section: Section): HTMLElement =>
  panel(section, 'Inside the tree', (point) => {
    const { tree } = point;
    if (!tree) return undefined;
    return {
      words: [`${section.place}. ${tree.text}`, ...tree.advice].join(' '),
      tables: [
        {
          name: `${section.operation}-critical-path`,
          columns: [
            { title: 'stage on the critical path', word: true },
            { title: 'of calls' },
            { title: 'mean_ns' },
            { title: 'share' },
          ],
          rows: tree.stages.map((one) => [
            cell(one.stage),
            cell(format.percent(one.calls_share), one.calls_share),
            timeCell(one.mean_ns),
            cell(format.percent(one.share), one.share),
          ]),
        },
      ],
    };
  });
