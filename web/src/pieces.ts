// Pieces of which charts are made: the room for axes, tooltips, legends, marked lines, intervals, arrows to what is beyond.
import { theme } from './theme';

/** Room for axes, and for a legend where there are several series. */
export const grid = (series: number, more: object = {}): object => ({
  left: 66,
  right: 18,
  top: series > 1 ? 34 : 14,
  bottom: 46,
  ...more,
});

/** Of a vertical axis with a name: it stands left of the labels. */
export const upright = { nameGap: 46 };

/** Left or right of the place, where there is room, else above or below it: what it is about stays to be seen. */
const beside = (
  [x, y]: [number, number],
  _parameters: unknown,
  _element: unknown,
  _box: unknown,
  { contentSize: [width, height], viewSize }: { contentSize: [number, number]; viewSize: [number, number] },
): [number, number] => {
  const gap = 16;
  const within = (at: number, size: number, all: number): number => Math.max(0, Math.min(at, all - size));
  const left = x > viewSize[0] / 2 ? x - width - gap : x + gap;
  if (left >= 0 && left + width <= viewSize[0]) return [left, within(y - height / 2, height, viewSize[1])];
  return [
    within(x - width / 2, width, viewSize[0]),
    y > viewSize[1] / 2 ? Math.max(0, y - height - gap) : Math.min(y + gap, viewSize[1] - height),
  ];
};

/** Drawn, not made of elements: text from result files stays text, also where it has a style of drawn text in it (`{a|b}`). */
export const tooltip = <Hit>({
  formatter,
  ...more
}: {
  formatter: (hit: Hit) => string;
  trigger: string;
  axisPointer?: object;
}): object => {
  const colours = theme();
  return {
    renderMode: 'richText',
    confine: true,
    position: beside,
    backgroundColor: colours.surface,
    borderColor: colours.line,
    borderWidth: 1,
    textStyle: { color: colours.text, fontSize: 12 },
    formatter: (hit: Hit) => formatter(hit).replaceAll('{', '{\u200b'),
    ...more,
  };
};

/** On the row or bar that the pointer is at. */
export const rowTooltip = <Row>(rows: Row[], words: (row: Row) => string): object =>
  tooltip({
    trigger: 'item',
    formatter: ({ dataIndex }: { dataIndex: number }) => {
      const row = rows[dataIndex];
      return row === undefined ? '' : words(row);
    },
  });

/** Rows from the top downwards, each with its name on the left. */
export const rowsAxis = (names: string[], label: object = {}, line = true): object => ({
  type: 'category',
  inverse: true,
  data: names,
  axisLabel: { color: theme().text, ...label },
  axisLine: { show: line, lineStyle: { color: theme().line } },
  axisTick: { show: false },
});

export const legend = (names: string[]): object => ({
  show: names.length > 1,
  type: 'scroll',
  top: 0,
  left: 60,
  right: 10,
  data: names,
  itemWidth: 22,
  itemHeight: 9,
  textStyle: { color: theme().text, fontSize: 12, lineHeight: 16 },
  pageTextStyle: { color: theme().muted },
  pageIconColor: theme().accent,
  pageIconInactiveColor: theme().grid,
});

/** A vertical line with a word on its left side, or on its right one. */
export const mark = (at: number, word: string, colour: string, { dashed = true, right = false } = {}): object => ({
  xAxis: at,
  label: {
    formatter: word,
    color: colour,
    fontSize: 11,
    position: right ? 'insideEndBottom' : 'insideEndTop',
    show: word !== '',
  },
  lineStyle: { color: colour, type: dashed ? 'dashed' : 'solid', width: dashed ? 1 : 1.5 },
});

/** Lines across a chart, at their very places: rounded to two digits of a logarithm, a line would stand elsewhere. */
export const markLines = (data: object[]): object => ({ silent: true, symbol: 'none', precision: -1, data });

/** The same as a series of its own, so that a legend never hides them. */
export const marks = (data: object[]): object => ({ type: 'line', silent: true, data: [], markLine: markLines(data) });

interface Drawer {
  value(i: number): number;
  coord(at: number[]): number[];
}
interface Frame {
  coordSys: { y: number; height: number };
}

/** An interval in places on the axes, and what it is of; an end that is not known is null. */
export interface Whisker {
  x: number;
  at: number;
  ends: readonly [number | null, number | null];
}

/** How far a whisker whose end is not known goes beyond what it is of, in pixels. */
const stub = 16;

/** At an end that is not known. */
const questionMark = (x: number, y: number, colour: string): object => ({
  type: 'text',
  style: { x, y, text: '?', fill: colour, font: 'bold 11px sans-serif', align: 'center', verticalAlign: 'middle' },
});

/**
 * Intervals as whiskers at places, in the colour of their series. An end beyond the axis is an arrow that points to it,
 * an end that is not known a question mark.
 */
export const whiskers = (name: string, data: Whisker[], colour: string): object => ({
  type: 'custom',
  clip: true,
  name,
  data: data.map(({ x, at, ends: [low, high] }) => [x, low ?? at, high ?? at]),
  silent: true,
  z: 3,
  itemStyle: { color: colour },
  encode: { x: 0, y: [1, 2] },
  tooltip: { show: false },
  renderItem: ({ coordSys: { y: top, height }, dataIndex }: Frame & { dataIndex: number }, api: Drawer) => {
    const [x, low] = api.coord([api.value(0), api.value(1)]) as [number, number];
    const [, high] = api.coord([api.value(0), api.value(2)]) as [number, number];
    const bottom = top + height;
    const within = (y: number): number => Math.max(top, Math.min(bottom, y));
    const line = (x1: number, y1: number, x2: number, y2: number, dashed = false): object => ({
      type: 'line',
      shape: { x1, y1, x2, y2 },
      style: { stroke: colour, lineWidth: 1.3, lineDash: dashed ? [2, 2] : null },
    });
    /** Downwards (1) or upwards (-1). */
    const unknown = (y: number, way: number): object[] => [
      line(x, y, x, within(y + way * stub), true),
      questionMark(x, within(y + way * (stub + 6)), colour),
    ];
    const end = (y: number): object =>
      y === within(y) ? line(x - 4, y, x + 4, y) : arrow(x, within(y), y < top ? -1 : 1, colour);
    const ends = data[dataIndex]?.ends ?? [0, 0];
    return low < top || high > bottom
      ? undefined
      : {
          type: 'group',
          children: [
            line(x, within(low), x, within(high)),
            ...(ends[0] === null ? unknown(low, 1) : [end(low)]),
            ...(ends[1] === null ? unknown(high, -1) : [end(high)]),
          ],
        };
  },
});

/** Said below charts that have such an interval. */
export const unknownWords = (whiskers: Pick<Whisker, 'ends'>[]): string =>
  whiskers.some(({ ends }) => ends.includes(null)) ? ' ? marks an unknown end of an interval.' : '';

/**
 * An interval along the axis of bars that lie, as shapes of a custom series. An end that is not known is null; `at` is what
 * it is of. `beyond` has the text of each end that is beyond the axis: an arrow at the edge points to it.
 */
export const lyingWhisker = (
  low: number | null,
  high: number | null,
  y: number,
  colour: string,
  at = low ?? high ?? 0,
  beyond: readonly [string | null, string | null] = [null, null],
): object[] => {
  const line = (x1: number, y1: number, x2: number, y2: number, dashed = false): object => ({
    type: 'line',
    shape: { x1, y1, x2, y2 },
    style: { stroke: colour, lineWidth: 1.3, lineDash: dashed ? [2, 2] : null },
  });
  /** To the left (-1) or right (1). */
  const end = (x: number | null, way: number, words: string | null): object[] => {
    if (x === null) return [line(at, y, at + way * stub, y, true), questionMark(at + way * (stub + 6), y, colour)];
    return words === null ? [line(x, y - 4, x, y + 4)] : lyingArrow(x, y, way, colour, words);
  };
  return [line(low ?? at, y, high ?? at, y), ...end(low, -1, beyond[0]), ...end(high, 1, beyond[1])];
};

/** At the edge of a chart, to what is beyond it on the left (-1) or right (1), and where that is. */
const lyingArrow = (x: number, y: number, way: number, colour: string, words: string): object[] => [
  {
    type: 'polygon',
    shape: {
      points: [
        [x, y],
        [x - 8 * way, y - 4.5],
        [x - 8 * way, y + 4.5],
      ],
    },
    style: { fill: colour },
  },
  {
    type: 'text',
    style: {
      x,
      y: y - 6,
      text: words,
      fill: colour,
      fontSize: 11,
      align: way > 0 ? 'right' : 'left',
      verticalAlign: 'bottom',
    },
  },
];

/** A bar that lies, with the interval of its end, in places on the axis. */
interface LyingBar {
  to: number;
  ends: readonly number[];
  words: string;
  colour: string;
}

/** Bars from 0, one below the other, each with its interval and its words on the right. */
export const lyingBars = (rows: LyingBar[]): object[] => [
  { type: 'bar', barMaxWidth: 20, data: rows.map(({ to, colour }) => ({ value: to, itemStyle: { color: colour } })) },
  {
    type: 'custom',
    silent: true,
    tooltip: { show: false },
    data: rows.map(({ to, ends }, i) => [to, i, ...ends]),
    encode: { x: [0, 2, 3], y: 1 },
    renderItem: ({ dataIndex }: { dataIndex: number }, api: Drawer) => {
      const { ends, words } = rows[dataIndex] as LyingBar;
      const [low, high] = ends.map((end) => api.coord([end, api.value(1)])[0] as number);
      const [x, y] = api.coord([api.value(0), api.value(1)]) as [number, number];
      return {
        type: 'group',
        children: [
          ...(low === undefined || high === undefined ? [] : lyingWhisker(low, high, y, theme().text)),
          wordsBeside(Math.max(x, high ?? x), y, words),
        ],
      };
    },
  },
];

/** Right of the end of a bar, as a shape of a custom series. */
export const wordsBeside = (x: number, y: number, text: string): object => ({
  type: 'text',
  style: { x: x + 6, y, text, fill: theme().text, fontSize: 12, verticalAlign: 'middle' },
});

/** At the edge of a chart, to what is beyond it: upwards (-1) or downwards (1). */
const arrow = (x: number, y: number, way: number, colour: string): object => ({
  type: 'polygon',
  shape: {
    points: [
      [x, y],
      [x - 4.5, y - 8 * way],
      [x + 4.5, y - 8 * way],
    ],
  },
  style: { fill: colour },
});

/** Values beyond the axis: arrows at its edge, with what they are. Data are place, value and text. */
export const beyondAxis = (name: string, data: [number, number, string][], colour: string): object => ({
  type: 'custom',
  clip: false,
  name,
  data,
  silent: true,
  z: 4,
  encode: { x: 0, y: 1 },
  tooltip: { show: false },
  renderItem: (params: Frame & { dataIndex: number }, api: Drawer) => {
    const { y: top, height } = params.coordSys;
    const [x, y] = api.coord([api.value(0), api.value(1)]) as [number, number];
    const way = y < top ? -1 : 1;
    const edge = way < 0 ? top : top + height;
    return {
      type: 'group',
      children: [
        arrow(x, edge, way, colour),
        {
          type: 'text',
          style: {
            x: x + 7,
            y: edge - 8 * way,
            text: data[params.dataIndex]?.[2],
            fill: colour,
            fontSize: 11,
            verticalAlign: 'middle',
          },
        },
      ],
    };
  },
});
