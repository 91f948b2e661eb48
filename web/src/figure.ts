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
import { Zoom } from './zoom';

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
  /** Left out where there is nothing to draw, instead of a card that says so. */
  optional?: boolean;
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
  private zoom: Zoom | undefined;
  /** What a reader has hidden in the legend: kept when another point is picked. */
  private hidden = new Set<string>();

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
      const chart = init(this.box, undefined, { renderer: 'canvas', devicePixelRatio: Math.max(2, devicePixelRatio) });
      this.chart = chart;
      this.zoom = new Zoom(chart, this.box, () => this.xAxis());
      chart.getZr().on('click', ({ offsetX, offsetY }: { offsetX: number; offsetY: number }) => {
        if (this.zoom?.endsDrag() || !chart.containPixel({ gridIndex: 0 }, [offsetX, offsetY])) return;
        const at = chart.convertFromPixel({ gridIndex: 0 }, [offsetX, offsetY]);
        this.wishes.clicked?.(at[0] as number, at[1] as number);
      });
      chart.on('legendselectchanged', (event) => {
        const { selected } = event as { selected: Record<string, boolean> };
        this.hidden = new Set(Object.keys(selected).filter((name) => !selected[name]));
      });
      new ResizeObserver(() => {
        if (!onPaper) this.fit();
      }).observe(this.box);
    }
    const room = this.room();
    this.drawnFor = JSON.stringify(room);
    try {
      this.chart.setOption(this.kept(whole(option, room)), { notMerge: true });
      this.zoom?.ticks();
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
    const { legend: names } = option as { legend?: object };
    const selected = Object.fromEntries([...this.hidden].map((name) => [name, false]));
    const shown = this.zoom?.kept(option) ?? option;
    return names ? { ...shown, legend: { ...names, selected } } : shown;
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

  private xAxis(): Partial<Zoomable> | undefined {
    const { option } = this.current();
    return option && (whole(option, this.room()) as { xAxis?: Partial<Zoomable> }).xAxis;
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
    this.element.hidden = this.wishes.optional === true && option === undefined;
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
    if (this.zoom?.key(event)) event.preventDefault();
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
