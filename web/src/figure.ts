// A chart with its words: a title, what it shows in a sentence, and its numbers as a table. Charts are drawn on a canvas,
// which stays quick with thousands of cells; they are drawn when they come near the screen, and all of them for print.
import { BarChart, CustomChart, HeatmapChart, LineChart } from 'echarts/charts';
import {
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapComponent,
} from 'echarts/components';
import { type ECharts, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { h } from './dom';
import { type Table, framed } from './table';
import { onTheme, setPrinting, theme } from './theme';

use([
  BarChart,
  CustomChart,
  HeatmapChart,
  LineChart,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapComponent,
  CanvasRenderer,
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
      h('h3', {}, title),
      this.box,
      this.caption,
      this.unfolded,
    );
    this.say();
    all.push(this);
    watcher.observe(this.box);
  }

  /** Something that it shows has changed. */
  refresh(): void {
    this.drawing = undefined;
    this.say();
    if (this.chart) this.paint();
    else watcher.observe(this.box);
    const place = this.unfolded.lastElementChild as HTMLElement;
    if (this.unfolded.open) this.fill(place);
  }

  paint(): void {
    const { option } = this.current();
    if (!option) {
      this.chart?.clear();
      return;
    }
    if (!this.chart) {
      this.chart = init(this.box, undefined, { renderer: 'canvas', devicePixelRatio: Math.max(2, devicePixelRatio) });
      this.chart.getZr().on('click', (event: { offsetX: number; offsetY: number }) => {
        const at = this.chart?.convertFromPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY]);
        if (at && this.chart?.containPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY])) {
          this.wishes.clicked?.(at[0] as number, at[1] as number);
        }
      });
      new ResizeObserver(() => {
        if (!onPaper) this.fit();
      }).observe(this.box);
    }
    const textStyle = { color: theme().text, fontFamily: 'system-ui, sans-serif' };
    const room = this.room();
    this.drawnFor = JSON.stringify(room);
    try {
      this.chart.setOption(
        { animation: false, textStyle, ...(typeof option === 'function' ? option(room) : option) },
        { notMerge: true },
      );
    } catch (error) {
      this.drawing = failed(this.title, error);
      this.chart.clear();
      this.say();
    }
    this.box.dataset['drawn'] = 'yes';
  }

  /** A page cannot know the width of the paper: two charts side by side on A4. */
  fitPaper(): void {
    const alone = this.element.matches('.full, .curves > :last-child:nth-child(odd), :has(details[open])');
    this.fit({ width: alone ? 650 : 305, height: this.wishes.low ? 150 : 220 });
  }

  fitScreen(): void {
    this.fit();
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
    const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
    if (step && this.wishes.keys && (event.target === this.box || event.target === this.element)) {
      event.preventDefault();
      this.wishes.keys(step);
    }
  }
}

const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      all.find((figure) => figure.element.contains(entry.target))?.paint();
    }
  },
  { rootMargin: '300px' },
);

onTheme(() => all.forEach((figure) => figure.refresh()));

/** Every chart, also those not yet scrolled to. */
const paintAll = (): void => all.forEach((figure) => figure.paint());
addEventListener('beforeprint', () => {
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

/** Intervals as whiskers at places, in the colour of their series. */
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
  renderItem: (_: unknown, api: { value(i: number): number; coord(at: number[]): number[] }) => {
    const low = api.coord([api.value(0), api.value(1)]) as [number, number];
    const high = api.coord([api.value(0), api.value(2)]) as [number, number];
    const line = (x1: number, y1: number, x2: number, y2: number): object => ({
      type: 'line',
      shape: { x1, y1, x2, y2 },
      style: { stroke: colour, lineWidth: 1.3 },
    });
    return {
      type: 'group',
      children: [
        line(low[0], low[1], high[0], high[1]),
        line(low[0] - 4, low[1], low[0] + 4, low[1]),
        line(high[0] - 4, high[1], high[0] + 4, high[1]),
      ],
    };
  },
});
