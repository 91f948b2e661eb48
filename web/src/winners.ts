// The map of winners of an operation: which implementation is best, by message size and number of processes.
import { type AlgorithmLook, type AlgorithmLooks, inkOn } from './algorithm_look';
import { octaves, sizeAxis } from './axes';
import { h } from './dom';
import { type Drawing, Figure, type Room, nothing } from './figure';
import * as format from './format';
import { rowTooltip } from './pieces';
import { cell } from './table';
import { onTheme, theme } from './theme';
import {
  type Named,
  type TunedOperation,
  type TunedSize,
  entriesOf,
  fastest,
  gainText,
  leastGain,
  shortName,
  timeText,
  winner,
} from './tuning_data';

interface MapCell {
  row: number;
  /** In octaves: cells of a row meet half-way between sizes. */
  from: number;
  to: number;
  at: TunedSize;
  entry: TunedOperation;
  look: AlgorithmLook;
  proposed: AlgorithmLook | undefined;
}

function cellsOf(entries: TunedOperation[], looks: AlgorithmLooks): MapCell[] {
  return entries.flatMap((entry, row) => {
    const places = entry.sizes.map((at) => octaves.at(at.size_bytes));
    return entry.sizes.map((at, i): MapCell => {
      const here = places[i] as number;
      const before = places[i - 1] ?? here - ((places[i + 1] ?? here + 1) - here);
      const after = places[i + 1] ?? here + (here - before);
      return {
        row,
        from: (before + here) / 2,
        to: (here + after) / 2,
        at,
        entry,
        look: looks.of(winner(at)),
        proposed: at.proposed == null ? undefined : looks.of(at.proposed),
      };
    });
  });
}

function cellWords({ at, entry, look, proposed }: MapCell): string {
  const quickest = fastest(at);
  return [
    `${format.exactBytes(at.size_bytes)}, ${format.processes(entry.procs)}: ${look.name}`,
    `${shortName(at.library.implementation)}: ${timeText(at.library.time_ns, at.library.ci95_ns)}`,
    ...(at.best
      ? [
          `${shortName(at.best.implementation)}: ${timeText(at.best.time_ns, at.best.ci95_ns)}`,
          `${gainText(at.speedup, at.speedup_ci95)}${
            quickest === at.best && at.speedup <= leastGain ? ', less than 3 %: left to the library' : ''
          }`,
        ]
      : ['No other algorithm was measured to the end.']),
    proposed ? `Proposed: ${proposed.name}` : 'Nothing is proposed.',
  ].join('\n');
}

/** Around the cells. */
const margin = { left: 62, right: 18, top: 12, bottom: 46 };
const fontSize = 12;
const smallFont = 10;

interface Drawn {
  value(i: number): number;
  coord(at: number[]): number[];
  size(of: number[]): number[];
}

/** A cell: its colour, its letter, how many times as fast where there is room, and a dot where something is proposed. */
function cellShape(one: MapCell, api: Drawn): object {
  const colours = theme();
  const [left, middle] = api.coord([one.from, one.row]) as [number, number];
  const [right] = api.coord([one.to, one.row]) as [number];
  const band = (api.size([1, 1]) as [number, number])[1];
  const width = Math.max(1, right - left - 1);
  const height = Math.max(1, Math.min(band - 2, 120));
  const fill = one.look.fill();
  const ink = inkOn(fill);
  const centre = (left + right) / 2;
  const gain = one.look.letter === 'lib' ? '' : one.at.speedup.toFixed(2);
  const letters = width >= one.look.letter.length * 5.5 && height >= 14;
  const gains = gain !== '' && width >= gain.length * 6 && height >= 42;
  const text = (words: string, y: number, size: number): object => ({
    type: 'text',
    silent: true,
    style: {
      text: words,
      x: centre,
      y,
      align: 'center',
      verticalAlign: 'middle',
      fill: ink,
      fontSize: size,
      fontFamily: 'system-ui, sans-serif',
    },
  });
  const dots = one.proposed && height >= 24 && width >= 4;
  const frame = one.proposed && !dots && width >= 4;
  const rect = {
    type: 'rect',
    shape: { x: left, y: middle - height / 2, width, height },
    style: { fill, stroke: frame ? colours.text : 'none', lineWidth: frame ? 1.5 : 0 },
  };
  if (!letters && !dots) return rect;
  return {
    type: 'group',
    children: [
      rect,
      ...(letters
        ? [text(one.look.letter, middle - (gains ? 9 : dots ? 5 : 0), width < 22 ? smallFont : fontSize)]
        : []),
      ...(gains ? [text(gain, middle + 6, smallFont)] : []),
      ...(dots
        ? [
            {
              type: 'circle',
              silent: true,
              shape: { cx: centre, cy: middle + height / 2 - 8, r: Math.min(4, Math.max(1.5, width / 3)) },
              style: { fill: one.proposed === one.look ? ink : one.proposed?.colour(), stroke: ink, lineWidth: 1 },
            },
          ]
        : []),
    ],
  };
}

const mapOption =
  (cells: MapCell[], entries: TunedOperation[]) =>
  (room: Room): Record<string, unknown> => {
    const colours = theme();
    const sizes = cells.map(({ at }) => at.size_bytes);
    return {
      grid: margin,
      xAxis: {
        ...sizeAxis(sizes, room.width, { name: 'message size', text: format.bytes }),
        min: cells.reduce((low, one) => Math.min(low, one.from), Infinity),
        max: cells.reduce((high, one) => Math.max(high, one.to), -Infinity),
        nameGap: 28,
        splitLine: { show: false },
      },
      yAxis: {
        type: 'category',
        data: entries.map(({ procs }) => String(procs)),
        name: 'processes',
        nameLocation: 'middle',
        nameGap: 44,
        nameTextStyle: { color: colours.muted },
        axisLabel: { color: colours.muted, hideOverlap: true },
        axisLine: { lineStyle: { color: colours.line } },
        axisTick: { show: false },
        splitArea: { show: false },
      },
      tooltip: rowTooltip(cells, cellWords),
      series: [
        {
          type: 'custom',
          clip: true,
          data: cells.map((one) => [one.from, one.to, one.row]),
          encode: { x: [0, 1], y: 2 },
          renderItem: (of: { dataIndex: number }, api: Drawn) => {
            const one = cells[of.dataIndex];
            return one ? cellShape(one, api) : undefined;
          },
        },
      ],
    };
  };

function mapDrawing({ tuning }: Named, operation: string, looks: AlgorithmLooks): Drawing {
  const entries = entriesOf(tuning, operation).filter(({ sizes }) => sizes.length > 0);
  const cells = cellsOf(entries, looks);
  if (cells.length === 0) return nothing(`${operation} was not measured.`);
  const better = cells.filter(({ look }) => look.letter !== 'lib');
  const most = better.reduce(
    (best: MapCell | undefined, one) => (!best || one.at.speedup > best.at.speedup ? one : best),
    undefined,
  );
  const proposed = cells.filter((one) => one.proposed).length;
  return {
    summary: most
      ? `Another algorithm is faster than the library's own decision by more than 3 % at ${better.length} of ` +
        `${format.plural(cells.length, 'size')}, at most ${gainText(most.at.speedup, most.at.speedup_ci95)}: ` +
        `${most.look.name}, ${format.exactBytes(most.at.size_bytes)}, ${format.processes(most.entry.procs)}. ` +
        `Proposed at ${proposed}.`
      : `The library's own decision is best, or within 3 %, at ${cells.length === 1 ? 'the one size' : `all ${cells.length} sizes`}.`,
    option: mapOption(cells, entries),
    table: {
      name: `${operation}-winners`,
      columns: [
        { title: 'procs' },
        { title: 'size_bytes' },
        { title: 'winner', word: true },
        { title: 'library_ns' },
        { title: 'best', word: true },
        { title: 'best_ns' },
        { title: 'gain' },
        { title: 'low95' },
        { title: 'high95' },
        { title: 'proposed', word: true },
      ],
      rows: cells.map(({ at, entry, look, proposed: of }) => [
        cell(String(entry.procs), entry.procs),
        cell(format.exactBytes(at.size_bytes), at.size_bytes),
        cell(look.name),
        cell(format.time(at.library.time_ns), at.library.time_ns),
        cell(at.best ? shortName(at.best.implementation) : '-'),
        cell(format.time(at.best?.time_ns), at.best?.time_ns ?? null),
        ...[at.speedup, ...at.speedup_ci95].map((gain) => (at.best ? cell(gain.toFixed(2), gain) : cell('-', null))),
        cell(of?.name ?? '-'),
      ]),
    },
  };
}

/** What the letters, colours and dots of an operation's maps mean. */
export function mapLegend(looks: AlgorithmLooks): HTMLElement {
  const swatches = looks.winners.map((look) => ({ look, swatch: h('span', { class: 'swatch' }, look.letter) }));
  const paint = (): void =>
    swatches.forEach(({ look, swatch }) => {
      // The page's policy allows this, and no style in markup.
      swatch.style.backgroundColor = look.fill();
      swatch.style.color = inkOn(look.fill());
    });
  onTheme(paint);
  paint();
  return h(
    'ul',
    { class: 'legend', 'aria-label': 'Legend' },
    ...swatches.map(({ look, swatch }) =>
      h(
        'li',
        {},
        swatch,
        ` ${look.letter === 'lib' ? `${look.name}: its own decision, or within 3 % of it` : look.name}`,
      ),
    ),
    h('li', {}, '\u25cf proposed, in the colour of the algorithm where it is another; numbers: times as fast'),
  );
}

/** A map for each tuning, side by side. */
export const winnersFigure = (one: Named, operation: string, looks: AlgorithmLooks, title: string): Figure =>
  new Figure(title, () => mapDrawing(one, operation, looks), { low: entriesOf(one.tuning, operation).length < 3 });
