// A chart with its words: a title, what it shows in a sentence, and its numbers as a table. Charts are drawn on a canvas,
// which stays quick with thousands of cells; they are drawn when they come near the screen, and all of them for print.
import { BarChart, CustomChart, HeatmapChart, LineChart } from 'echarts/charts';
import {
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapComponent,
} from 'echarts/components';
import { type ECharts, init, use } from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';
import { anchor, h } from './dom';
import type { Zoomable } from './axes';
import { type Table, csv, download, framed, tools } from './table';
import { onTheme, setPrinting, theme } from './theme';

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapComponent,
  CanvasRenderer,
  SVGRenderer,
]);

/** Of a chart, in pixels. */
export interface Room {
  width: number;
  height: number;
}
type Option = Record<string, unknown>;

export interface Drawing {
  /** For the room that there is, where that matters; nothing where there is no chart. */
  option?: Option | ((room: Room) => Option) | undefined;
  /** What there is to see, in a sentence or two: also the text for those who do not see it. */
  summary: string;
  table: Table;
}

/** In the place of a chart, where there is none. */
export const nothing = (summary: string): Drawing => ({ summary, table: { name: 'nothing', columns: [], rows: [] } });

interface Wishes {
  tall?: boolean;
  low?: boolean;
  full?: boolean;
  /** Arrow keys: to the next (1) or the one before (-1). */
  keys?: (step: number) => void;
  /** A click at a place of the first grid, in units of its axes. */
  clicked?: (x: number, y: number) => void;
}

const all: Figure[] = [];
let onPaper = false;

/** One chart that fails leaves the others as they are. */
function failed(title: string, error: unknown): Drawing {
  console.error(`${title}:`, error);
  return nothing('This chart could not be drawn.');
}

export class Figure {
  readonly element: HTMLElement;
  private readonly box: HTMLElement;
  private readonly caption = h('figcaption');
  private readonly unfolded: HTMLDetailsElement;
  private chart: ECharts | undefined;
  private drawing: Drawing | undefined;
  /** The room that it was drawn for. */
  private drawnFor = '';
  /** What a reader has hidden in the legend, and the part that is zoomed to, in percent: kept when another point is picked. */
  private hidden = new Set<string>();
  private part: [number, number] = [0, 100];

  constructor(
    private readonly title: string,
    private readonly draw: () => Drawing,
    private readonly wishes: Wishes = {},
  ) {
    const height = wishes.tall ? ' tall' : wishes.low ? ' low' : '';
    this.box = h('div', { class: `chart${height}`, tabindex: 0, role: 'img', 'data-title': title });
    const place = h('div');
    this.unfolded = h(
      'details',
      {
        toggle: () => {
          if (this.unfolded.open) this.fill(place);
        },
      },
      h('summary', {}, 'Numbers'),
      place,
    );
    this.element = h(
      'figure',
      { class: wishes.full ? 'full' : undefined, keydown: (event) => this.key(event as KeyboardEvent) },
      this.box,
      this.caption,
      this.unfolded,
    );
    this.heading = h('h3', {}, title);
    this.element.prepend(this.heading);
  }
  private readonly heading: HTMLElement;

  /**
   * Its element, to be put into the page, where it is drawn as soon as it comes near the screen. Its place in the
   * address of the page is that of what it belongs to, and its title; `of` is said before that.
   */
  place(part: string, address: (part: string) => string, of = ''): HTMLElement {
    const id = `${part}-${anchor(this.title.toLowerCase())}`;
    if (of) this.heading.textContent = `${of}: ${this.title}`;
    this.say();
    all.push(this);
    byBox.set(this.box, this);
    watcher.observe(this.box);
    this.element.id = id;
    this.element.append(
      tools(
        {
          'Copy link': () => address(id),
          'Copy CSV': () => csv(this.current().table),
          PNG: () => this.savePng(),
          SVG: () => this.saveSvg(),
        },
        'tools small',
      ),
    );
    return this.element;
  }

  /** Something to choose what it shows with. */
  control(element: HTMLElement): void {
    this.box.before(element);
  }

  /** Something that it shows has changed. */
  refresh(): void {
    this.drawing = undefined;
    this.say();
    this.setStale(true);
    if (this.near) this.paint();
    const place = this.unfolded.lastElementChild as HTMLElement;
    if (this.unfolded.open) this.fill(place);
  }

  /** It comes near the screen or leaves it; far from it, nothing is drawn. */
  approach(near: boolean): void {
    this.near = near;
    if (near && this.stale) this.paint();
  }
  private near = false;
  private stale = true;
  private setStale(stale: boolean): void {
    this.stale = stale;
    this.box.toggleAttribute('data-stale', stale);
  }

  paint(): void {
    this.setStale(false);
    const { option } = this.current();
    if (!option) {
      this.chart?.clear();
      return;
    }
    if (!this.chart) {
      this.chart = init(this.box, undefined, { renderer: 'canvas', devicePixelRatio: Math.max(2, devicePixelRatio) });
      this.chart.getZr().on('click', (event: { offsetX: number; offsetY: number }) => {
        if (this.dragging) {
          this.dragging = false;
          return;
        }
        const at = this.chart?.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]);
        if (at && this.chart?.containPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY])) {
          this.wishes.clicked?.(at[0] as number, at[1] as number);
        }
      });
      this.listen(this.chart);
      new ResizeObserver(() => {
        if (!onPaper) this.fit();
      }).observe(this.box);
    }
    const room = this.room();
    this.drawnFor = JSON.stringify(room);
    try {
      this.chart.setOption(this.kept(whole(option, room)), { notMerge: true });
      if (this.part[1] - this.part[0] < 100) this.ticks();
    } catch (error) {
      this.drawing = failed(this.title, error);
      this.chart.clear();
      this.say();
    }
    this.box.dataset['drawn'] = 'yes';
  }

  /** A page cannot know the width of the paper: two charts side by side on A4. */
  fitPaper(): void {
    const alone = this.element.matches('.full, .odd > :last-child:nth-child(odd), :has(details[open])');
    this.fit({ width: alone ? 650 : 305, height: this.wishes.low ? 150 : 220 });
  }

  fitScreen(): void {
    this.fit();
  }

  /** With what a reader has hidden and zoomed to. */
  private kept(option: Option): Option {
    const { legend: names, dataZoom } = option as { legend?: object; dataZoom?: object[] };
    return {
      ...option,
      ...(names
        ? { legend: { ...names, selected: Object.fromEntries([...this.hidden].map((name) => [name, false])) } }
        : {}),
      ...(dataZoom ? { dataZoom: dataZoom.map((one) => ({ ...one, start: this.part[0], end: this.part[1] })) } : {}),
    };
  }

  /**
   * The wheel turns the page until a chart has the focus, or with Ctrl. Dragging zooms to what was dragged over, with
   * Shift it moves what is zoomed; two fingers zoom too, and a double click shows everything again.
   */
  private listen(chart: ECharts): void {
    for (const wheel of ['wheel', 'mousewheel'])
      this.box.addEventListener(
        wheel,
        (event) => {
          if (document.activeElement !== this.box && !(event as WheelEvent).ctrlKey) event.stopPropagation();
        },
        { capture: true, passive: true },
      );
    chart.on('legendselectchanged', (event) => {
      const { selected } = event as { selected: Record<string, boolean> };
      this.hidden = new Set(Object.keys(selected).filter((name) => !selected[name]));
    });
    chart.on('datazoom', () => {
      const [zoomed] = (chart.getOption() as { dataZoom?: { start: number; end: number }[] }).dataZoom ?? [];
      if (!zoomed) return;
      this.part = [zoomed.start, zoomed.end];
      this.box.dataset['part'] = this.part.map((share) => share.toFixed(1)).join(' ');
      // A finger moves the page, and the chart only where there is more of it.
      if (matchMedia('(pointer: coarse)').matches)
        chart.setOption({ dataZoom: [{ id: 'zoom', type: 'inside', ...moves(zoomed.end - zoomed.start < 100) }] });
      this.ticks();
    });
    const surface = chart.getZr();
    surface.on('dblclick', () => this.zoomTo(0, 100));
    if (matchMedia('(pointer: coarse)').matches) return;
    let from: number | undefined;
    const band = h('div', { class: 'band', hidden: true });
    this.box.append(band);
    surface.on('mousedown', (event: { offsetX: number; offsetY: number; event: unknown }) => {
      if ((event.event as MouseEvent).shiftKey) return;
      if (this.zooms() && chart.containPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY])) from = event.offsetX;
    });
    const over = (x: number): [number, number] => [Math.min(from ?? x, x), Math.max(from ?? x, x)];
    surface.on('mousemove', ({ offsetX }: { offsetX: number }) => {
      if (from === undefined) return;
      const [left, right] = over(offsetX);
      band.hidden = right - left < dragged;
      band.style.left = `${left}px`;
      band.style.width = `${right - left}px`;
    });
    const end = ({ offsetX }: { offsetX: number }): void => {
      if (from === undefined) return;
      const [left, right] = over(offsetX);
      const [low, high] = [left, right].map((x) => chart.convertFromPixel({ xAxisIndex: 0 }, x) as unknown as number);
      from = undefined;
      band.hidden = true;
      if (right - left >= dragged) {
        this.dragging = true;
        chart.dispatchAction({ type: 'dataZoom', startValue: low, endValue: high });
      }
    };
    surface.on('mouseup', end);
    surface.on('globalout', () => {
      from = undefined;
      band.hidden = true;
    });
  }
  /** The click that ends a drag picks nothing. */
  private dragging = false;

  private zooms(): boolean {
    return ((this.chart?.getOption() as { dataZoom?: object[] } | undefined)?.dataZoom ?? []).length > 0;
  }

  private zoomTo(start: number, end: number): void {
    if (this.zooms()) this.chart?.dispatchAction({ type: 'dataZoom', start, end });
  }

  /** Round numbers within what is zoomed to. */
  private ticks(): void {
    const { option } = this.current();
    if (!this.chart || !option) return;
    const { xAxis } = whole(option, this.room()) as { xAxis?: Partial<Zoomable> };
    if (!xAxis?.between || xAxis.min === undefined || xAxis.max === undefined) return;
    const at = (share: number): number =>
      (xAxis.min as number) + (((xAxis.max as number) - (xAxis.min as number)) * share) / 100;
    this.chart.setOption({ xAxis: xAxis.between(at(this.part[0]), at(this.part[1])) });
  }

  private savePng(): void {
    this.paint();
    const address = this.chart?.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: theme().surface });
    if (!address) return;
    const bytes = Uint8Array.from(atob(address.slice(address.indexOf(',') + 1)), (letter) => letter.charCodeAt(0));
    download(this.element.id, 'png', new Blob([bytes], { type: 'image/png' }));
  }

  /** Drawn again by another renderer: lines and letters instead of points. */
  private saveSvg(): void {
    this.paint();
    const { option } = this.current();
    if (!option) return;
    const room = this.room();
    const drawn = init(null, undefined, { renderer: 'svg', ssr: true, ...room });
    drawn.setOption({ ...this.kept(whole(option, room)), backgroundColor: theme().surface });
    download(this.element.id, 'svg', new Blob([drawn.renderToSVGString()], { type: 'image/svg+xml' }));
    drawn.dispose();
  }

  private room(): Room {
    return { width: this.chart?.getWidth() ?? 0, height: this.chart?.getHeight() ?? 0 };
  }

  /** To the room that there is, or to what is wanted. */
  private fit(wanted?: Room): void {
    if (!this.chart || this.box.hidden) return;
    this.chart.resize(wanted);
    if (typeof this.current().option === 'function' && this.drawnFor !== JSON.stringify(this.room())) this.paint();
  }

  private current(): Drawing {
    try {
      this.drawing ??= this.draw();
    } catch (error) {
      this.drawing = failed(this.title, error);
    }
    return this.drawing;
  }

  private say(): void {
    const { summary, option, table } = this.current();
    this.caption.textContent = summary;
    this.unfolded.hidden = table.columns.length === 0;
    this.show(option !== undefined);
    this.box.setAttribute(
      'aria-label',
      `${this.title}. ${summary}${this.wishes.keys ? ' Arrow keys pick another size.' : ''}`,
    );
  }

  /** Keys go on working where a chart that has them hides. */
  private show(chart: boolean): void {
    const focused = [this.box, this.element].some((one) => one === document.activeElement);
    this.box.hidden = !chart;
    if (!focused) return;
    if (!chart) this.element.tabIndex = -1;
    (chart ? this.box : this.element).focus({ preventScroll: true });
  }

  private fill(place: HTMLElement): void {
    place.replaceChildren(framed(this.current().table));
  }

  private key(event: KeyboardEvent): void {
    if (event.target !== this.box && event.target !== this.element) return;
    const [start, end] = this.part;
    const middle = (start + end) / 2;
    const share = { '+': 0.5, '=': 0.5, '-': 2, '0': Infinity }[event.key];
    if (share && this.zooms() && !event.ctrlKey && !event.metaKey) {
      const half = Math.min(50, ((end - start) / 2) * share);
      const from = Math.max(0, Math.min(100 - 2 * half, middle - half));
      event.preventDefault();
      this.zoomTo(from, from + 2 * half);
    }
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step && this.wishes.keys) {
      event.preventDefault();
      this.wishes.keys(step);
    }
  }
}

/** With what all charts share. */
const whole = (option: Option | ((room: Room) => Option), room: Room): Option => ({
  animation: false,
  textStyle: { color: theme().text, fontFamily: 'system-ui, sans-serif' },
  ...(typeof option === 'function' ? option(room) : option),
});

/** Pixels from which on a pointer that is held down zooms, and does not pick. */
const dragged = 8;

/** Whether a finger moves a chart, or the page. */
const moves = (chart: boolean): object => ({ moveOnMouseMove: chart, preventDefaultMouseMove: chart });

/** For charts along sizes or times; see `listen`. */
export const zoom = (): object => ({
  id: 'zoom',
  type: 'inside',
  xAxisIndex: 0,
  filterMode: 'none',
  zoomOnMouseWheel: true,
  moveOnMouseMove: 'shift',
  moveOnMouseWheel: false,
  preventDefaultMouseMove: false,
});

const byBox = new WeakMap<Element, Figure>();
const watcher = new IntersectionObserver(
  (entries) => entries.forEach(({ target, isIntersecting }) => byBox.get(target)?.approach(isIntersecting)),
  { rootMargin: '300px' },
);

onTheme(() => all.forEach((figure) => figure.refresh()));

/** Every chart, also those not yet scrolled to. */
const paintAll = (): void => all.forEach((figure) => figure.paint());
/** What is made only for print, before charts are drawn for it. */
export const beforePrint: (() => void)[] = [];
addEventListener('beforeprint', () => {
  beforePrint.forEach((prepare) => prepare());
  onPaper = true;
  setPrinting(true);
  paintAll();
  all.forEach((figure) => figure.fitPaper());
});
addEventListener('afterprint', () => {
  onPaper = false;
  setPrinting(false);
  all.forEach((figure) => figure.fitScreen());
});

// --- what charts share

/** Room for axes, and for a legend where there are several series. */
export const grid = (series: number, more: object = {}): object => ({
  left: 66,
  right: 18,
  top: series > 1 ? 34 : 14,
  bottom: 46,
  ...more,
});

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

/** Intervals as whiskers at places, in the colour of their series. An end beyond the axis is an arrow that points to it. */
export const whiskers = (name: string, data: number[][], colour: string): object => ({
  type: 'custom',
  clip: true,
  name,
  data,
  silent: true,
  z: 3,
  itemStyle: { color: colour },
  encode: { x: 0, y: [1, 2] },
  tooltip: { show: false },
  renderItem: ({ coordSys: { y: top, height } }: Frame, api: Drawer) => {
    const [x, low] = api.coord([api.value(0), api.value(1)]) as [number, number];
    const [, high] = api.coord([api.value(0), api.value(2)]) as [number, number];
    const bottom = top + height;
    const within = (y: number): number => Math.max(top, Math.min(bottom, y));
    const line = (x1: number, y1: number, x2: number, y2: number): object => ({
      type: 'line',
      shape: { x1, y1, x2, y2 },
      style: { stroke: colour, lineWidth: 1.3 },
    });
    const end = (y: number): object =>
      y === within(y) ? line(x - 4, y, x + 4, y) : arrow(x, within(y), y < top ? -1 : 1, colour);
    return low < top || high > bottom
      ? undefined
      : { type: 'group', children: [line(x, within(low), x, within(high)), end(low), end(high)] };
  },
});

/** An interval along the axis of bars that lie, as shapes of a custom series. */
export const lyingWhisker = (low: number, high: number, y: number, colour: string): object[] =>
  [
    [low, y, high, y],
    [low, y - 4, low, y + 4],
    [high, y - 4, high, y + 4],
  ].map(([x1, y1, x2, y2]) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.3 } }));

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
