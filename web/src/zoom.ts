// Zooming a chart along its sizes or times. The wheel turns the page until a chart has the focus, or with Ctrl. Dragging
// zooms to what was dragged over, with Shift it moves what is zoomed; two fingers zoom too, keys as well, and a double
// click shows everything again.
import type { ECharts } from 'echarts/core';
import type { Zoomable } from './axes';
import { h } from './dom';

/** Pixels from which on a pointer that is held down zooms, and does not pick. */
const dragged = 8;

/** Whether a finger moves a chart, or the page. */
const moves = (chart: boolean): object => ({ moveOnMouseMove: chart, preventDefaultMouseMove: chart });

/** In the option of a chart that can be zoomed. */
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

interface Option {
  dataZoom?: { start: number; end: number }[];
}

export class Zoom {
  /** What is shown, in percent of the axis: kept when another point is picked. */
  private part: [number, number] = [0, 100];
  private dragging = false;

  constructor(
    private readonly chart: ECharts,
    private readonly box: HTMLElement,
    private readonly axis: () => Partial<Zoomable> | undefined,
  ) {
    for (const wheel of ['wheel', 'mousewheel'])
      box.addEventListener(
        wheel,
        (event) => {
          if (document.activeElement !== box && !(event as WheelEvent).ctrlKey) event.stopPropagation();
        },
        { capture: true, passive: true },
      );
    chart.on('datazoom', () => this.zoomed());
    chart.getZr().on('dblclick', () => this.to(0, 100));
    if (!matchMedia('(pointer: coarse)').matches) this.listenToDrags();
  }

  /** An option of the chart, with the part that is zoomed to. */
  kept<Any extends object>(option: Any): Any {
    const { dataZoom } = option as Option;
    const [start, end] = this.part;
    return dataZoom ? { ...option, dataZoom: dataZoom.map((one) => ({ ...one, start, end })) } : option;
  }

  /** Round numbers within what is zoomed to, after everything was drawn. */
  ticks(): void {
    if (this.part[1] - this.part[0] < 100) this.label();
  }

  /** The click that ends a drag picks nothing. */
  endsDrag(): boolean {
    const ends = this.dragging;
    this.dragging = false;
    return ends;
  }

  /** Whether a key was meant for it. */
  key(event: KeyboardEvent): boolean {
    const share = { '+': 0.5, '=': 0.5, '-': 2, '0': Infinity }[event.key];
    if (!share || !this.possible || event.ctrlKey || event.metaKey) return false;
    const [start, end] = this.part;
    const half = Math.min(50, ((end - start) / 2) * share);
    const from = Math.max(0, Math.min(100 - 2 * half, (start + end) / 2 - half));
    this.to(from, from + 2 * half);
    return true;
  }

  private get current(): Option['dataZoom'] {
    return (this.chart.getOption() as Option | undefined)?.dataZoom;
  }

  private get possible(): boolean {
    return (this.current ?? []).length > 0;
  }

  private to(start: number, end: number): void {
    if (this.possible) this.chart.dispatchAction({ type: 'dataZoom', start, end });
  }

  private zoomed(): void {
    const [now] = this.current ?? [];
    if (!now) return;
    this.part = [now.start, now.end];
    this.box.dataset['part'] = this.part.map((share) => share.toFixed(1)).join(' ');
    // A finger moves the page, and the chart only where there is more of it.
    if (matchMedia('(pointer: coarse)').matches)
      this.chart.setOption({ dataZoom: [{ id: 'zoom', type: 'inside', ...moves(now.end - now.start < 100) }] });
    this.label();
  }

  private label(): void {
    const axis = this.axis();
    if (!axis?.between || axis.min === undefined || axis.max === undefined) return;
    const { min, max } = axis as Zoomable;
    const at = (share: number): number => min + ((max - min) * share) / 100;
    this.chart.setOption({ xAxis: axis.between(at(this.part[0]), at(this.part[1])) });
  }

  private listenToDrags(): void {
    const { chart } = this;
    const surface = chart.getZr();
    const band = h('div', { class: 'band', hidden: true });
    this.box.append(band);
    let from: number | undefined;
    const over = (x: number): [number, number] => [Math.min(from ?? x, x), Math.max(from ?? x, x)];
    surface.on('mousedown', (event: { offsetX: number; offsetY: number; event: unknown }) => {
      if ((event.event as MouseEvent).shiftKey) return;
      if (this.possible && chart.containPixel({ gridIndex: 0 }, [event.offsetX, event.offsetY])) from = event.offsetX;
    });
    surface.on('mousemove', ({ offsetX }: { offsetX: number }) => {
      if (from === undefined) return;
      const [left, right] = over(offsetX);
      band.hidden = right - left < dragged;
      band.style.left = `${left}px`;
      band.style.width = `${right - left}px`;
    });
    surface.on('mouseup', ({ offsetX }: { offsetX: number }) => {
      if (from === undefined) return;
      const [left, right] = over(offsetX);
      const [low, high] = [left, right].map((x) => chart.convertFromPixel({ xAxisIndex: 0 }, x) as unknown as number);
      from = undefined;
      band.hidden = true;
      if (right - left < dragged) return;
      this.dragging = true;
      chart.dispatchAction({ type: 'dataZoom', startValue: low, endValue: high });
    });
    surface.on('globalout', () => {
      from = undefined;
      band.hidden = true;
    });
  }
}
