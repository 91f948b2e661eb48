// Time and bandwidth against size and processes.
import { decadeAxis, decades, octaves, procsAxis, sizeAxis } from './axes';
import type { Point } from './data';
import { Figure, type Drawing, grid, legend, mark, tooltip, whiskers } from './figure';
import * as format from './format';
import { type Section, type Series, ci, value } from './section';
import { cell } from './table';
import { theme } from './theme';

const symbols = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect', 'emptyTriangle'];

/** With several runs a colour is a run and a shape a process count; with one run the colour is that too. */
export function look(section: Section, series: Series): { colour: string; symbol: string; dash: string; name: string } {
  const { series: colours } = theme();
  const procsIndex = section.procs.indexOf(series.procs);
  const several = section.runs.length > 1;
  const index = several ? section.runs.indexOf(series.run) : procsIndex;
  const words = [several ? series.run.name : '', section.procs.length > 1 || !several ? format.processes(series.procs) : '',
    series.progress ? `progress ${series.progress}` : ''];
  return {
    colour: colours[index % colours.length] as string,
    symbol: symbols[procsIndex % symbols.length] as string,
    dash: series.progress ? 'dashed' : 'solid',
    name: words.filter(Boolean).join(', '),
  };
}

interface What {
  /** Of a point; null where it has none. */
  y: (point: Point) => number | null;
  ends: (point: Point) => [number, number] | null;
  text: (value: number) => string;
  tick: (value: number) => string;
  axis: string;
  unit: string;
}

export const times: What = {
  y: (point) => (value(point) > 0 ? value(point) : null), ends: ci, text: format.time, tick: format.timeTick, axis: 'time', unit: 'ns',
};
/** The rate is taken from the value, so its interval is that of the time, turned round. */
const rates: What = {
  y: (point) => point.rate_bytes_per_s ?? null,
  ends: (point) => {
    const ends = ci(point);
    const rate = point.rate_bytes_per_s;
    return ends && rate && ends[0] > 0 ? [rate * value(point) / ends[1], rate * value(point) / ends[0]] : null;
  },
  text: format.rate, tick: format.rateTick, axis: 'bandwidth', unit: 'bytes_per_s',
};

interface Along { x: (point: Point) => number; text: (x: number) => string; axis: (points: Point[]) => object; title: string }

const bySize: Along = {
  x: (point) => point.size_bytes, text: format.bytes, title: 'size_bytes',
  axis: (points) => sizeAxis(points.map((point) => point.size_bytes), { name: 'message size', text: format.bytes }),
};
const byProcs: Along = {
  x: (point) => point.procs, text: format.processes, title: 'procs',
  axis: (points) => procsAxis(points.map((point) => point.procs), { name: 'processes', text: String }),
};

interface Line { series: Series; points: Point[]; look?: ReturnType<typeof look> }

function drawing(section: Section, lines: Line[], what: What, along: Along, marks: object[],
  name: string, summary: string): Drawing {
  const used = lines.map(({ series, points, look: own }) => ({ look: own ?? look(section, series), series,
    points: points.filter((point) => what.y(point) != null) })).filter((line) => line.points.length > 0);
  const points = used.flatMap((line) => line.points);
  const values = points.flatMap((point) => [what.y(point) as number, ...(what.ends(point) ?? [])]);
  const colours = theme();
  return {
    summary: used.length > 0 ? summary : 'All times here are 0: there is nothing to draw.',
    option: {
      grid: grid(used.length), legend: legend(used.map((line) => line.look.name)),
      xAxis: { ...along.axis(points), nameGap: 28 },
      yAxis: { ...decadeAxis(values, { name: '', text: what.tick }) },
      tooltip: tooltip({
        trigger: 'axis', axisPointer: { type: 'line', lineStyle: { color: colours.line } },
        formatter: (hit: { seriesName: string; data: [number, number, number, number?, number?] }[]) => {
          const rows = hit.filter((one) => one.data.length >= 3);
          const first = rows[0];
          if (!first) return '';
          return [along.text(first.data[2]), ...rows.map((one) => {
            const [low, high] = [one.data[3], one.data[4]];
            const of = low == null || high == null ? '' : `  (${what.text(low)} .. ${what.text(high)})`;
            return `${one.seriesName}: ${what.text(decades.value(one.data[1]))}${of}`;
          })].join('\n');
        },
      }),
      series: used.flatMap((line, i) => [
        {
          type: 'line', name: line.look.name, symbol: line.look.symbol, symbolSize: 7, color: line.look.colour,
          lineStyle: { width: 2, type: line.look.dash, color: line.look.colour }, itemStyle: { color: line.look.colour },
          data: line.points.map((point) => [octaves.at(along.x(point)), decades.at(what.y(point) as number), along.x(point),
            ...(what.ends(point) ?? [])]),
          markLine: i === 0 ? { silent: true, symbol: 'none', data: marks } : undefined,
        },
        whiskers(line.look.name, line.points.filter((point) => what.ends(point)).map((point) => {
          const [low, high] = what.ends(point) as [number, number];
          return [octaves.at(along.x(point)), decades.at(low), decades.at(high)];
        }), line.look.colour),
      ]),
    },
    table: {
      name,
      columns: [{ title: 'run', word: true }, { title: 'procs' }, { title: 'size_bytes' }, { title: `${what.axis}_${what.unit}` },
        { title: `low95_${what.unit}` }, { title: `high95_${what.unit}` }, { title: 'reps' }],
      rows: used.flatMap((line) => line.points.map((point) => {
        const ends = what.ends(point);
        return [cell(line.series.run.name), cell(String(point.procs), point.procs), cell(format.bytes(point.size_bytes), point.size_bytes),
          cell(what.text(what.y(point) as number), what.y(point)), cell(ends ? what.text(ends[0]) : '-', ends?.[0] ?? null),
          cell(ends ? what.text(ends[1]) : '-', ends?.[1] ?? null), cell(format.count(point.reps), point.reps)];
      })),
    },
  };
}

/** In the colour of their run, where there are several. */
function switchMarks(section: Section): object[] {
  const colours = theme();
  return section.runs.flatMap((run, i) => (run.switches ?? []).filter((one) => one.operation === section.operation).map((one) =>
    mark((octaves.at(one.last_below_bytes) + octaves.at(one.first_above_bytes)) / 2, format.exactBytes(one.last_below_bytes),
      section.runs.length > 1 ? colours.series[i % colours.series.length] as string : colours.muted)));
}

const pickedMark = (section: Section): object => mark(octaves.at(section.size), '', theme().picked, false);

function sizeSummary(section: Section, what: What): string {
  const series = section.series.find((one) => one.run === section.run && one.procs === section.proc) ?? section.series[0];
  const points = (series?.points ?? []).filter((point) => what.y(point) != null);
  const [first, last] = [points[0], points[points.length - 1]];
  if (!series || !first || !last) return '';
  const picked = points.find((point) => point.size_bytes === section.size);
  const now = picked ? ` Picked: ${what.text(what.y(picked) as number)} at ${format.bytes(picked.size_bytes)}.` : '';
  return `${look(section, series).name || series.run.name}: ${what.text(what.y(first) as number)} at ${format.bytes(first.size_bytes)} to ` +
    `${what.text(what.y(last) as number)} at ${format.bytes(last.size_bytes)}.${now} Bars are 95 % intervals.` +
    (switchMarks(section).length > 0 ? ' Dashed lines are switches of protocol or algorithm.' : '');
}

/** The curves of an operation: against size where there are several, else against processes. */
export function curveFigures(section: Section): Figure[] {
  const figures: Figure[] = [];
  const whole = section.series.map((series) => ({ series, points: series.points }));
  const pick = {
    keys: (step: number) => section.step(step),
    clicked: (x: number) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }),
  };
  if (section.sizes.length > 1) {
    const sized = (what: What, title: string): Figure => new Figure(title, () => drawing(section, whole, what, bySize,
      [...switchMarks(section), pickedMark(section)], `${section.operation}-${what.axis}`, sizeSummary(section, what)), pick);
    if (section.placed.some(({ point }) => times.y(point) != null)) figures.push(sized(times, 'Time against message size'));
    if (section.placed.some(({ point }) => point.rate_bytes_per_s)) figures.push(sized(rates, 'Bandwidth against message size'));
  }
  // Studies of overlap have figures of their own, of a message that two processes exchange.
  if (section.procs.length > 1 && !section.placed.some(({ point }) => point.overlap)) {
    figures.push(new Figure('Time against processes', () => {
      const lines = section.runs.map((run, i): Line => {
        const own = section.series.filter((one) => one.run === run && one.progress === section.progress);
        return { series: own[own.length - 1] as Series, points: own.flatMap((one) =>
          one.points.filter((point) => point.size_bytes === section.size)),
          look: { colour: theme().series[i % theme().series.length] as string, symbol: 'circle', dash: 'solid', name: run.name } };
      }).filter((line) => line.series);
      const first = lines[0]?.points[0];
      const last = lines[0]?.points[lines[0].points.length - 1];
      const summary = first && last ? `${section.sized ? `${format.bytes(section.size)}: ` : ''}${format.time(value(first))} with ` +
        `${format.processes(first.procs)}, ${format.time(value(last))} with ${format.processes(last.procs)}.` : '';
      return drawing(section, lines, times, byProcs, [mark(octaves.at(section.proc), '', theme().picked, false)],
        `${section.operation}-by-processes`, summary);
    }, { ...(section.sizes.length > 1 ? { keys: pick.keys } : {}),
      clicked: (x) => section.pick({ procs: section.procs.reduce((best, one) =>
        (Math.abs(octaves.at(one) - x) < Math.abs(octaves.at(best) - x) ? one : best)) }) }));
  }
  return figures;
}

/** Several runs: each one's time as a share of the first one's. */
export function ratioFigure(section: Section): Figure | undefined {
  const [base, ...others] = section.runs;
  if (!base || others.length === 0 || section.sizes.length < 2) return undefined;
  return new Figure(`Time as a multiple of that of ${base.name}`, () => {
    const rows = others.flatMap((run) => section.series.filter((one) => one.run === run).map((series) => ({
      series,
      points: series.points.flatMap((point) => {
        const reference = section.series.find((one) => one.run === base && one.procs === series.procs &&
          one.progress === series.progress)?.points.find((one) => one.size_bytes === point.size_bytes);
        if (!reference || value(reference) <= 0) return [];
        const [mine, theirs] = [ci(point), ci(reference)];
        const ratio = value(point) / value(reference);
        return [{ point, ratio, low: mine && theirs ? mine[0] / theirs[1] : ratio, high: mine && theirs ? mine[1] / theirs[0] : ratio }];
      }),
    }))).filter((row) => row.points.length > 0);
    const everything = rows.flatMap((row) => row.points);
    const worst = everything.reduce((best, one) => (!best || one.ratio > best.ratio ? one : best), everything[0]);
    const apart = everything.filter((one) => one.low > 1 || one.high < 1).length;
    const colours = theme();
    return {
      summary: worst ? `${apart} of ${everything.length} points have intervals that do not meet; the largest ratio is ` +
        `${worst.ratio.toFixed(2)} at ${format.bytes(worst.point.size_bytes)} with ${format.processes(worst.point.procs)}. ` +
        'Bars show how far the two intervals allow.' : 'No points in common.',
      option: {
        grid: grid(rows.length), legend: legend(rows.map((row) => look(section, row.series).name)),
        xAxis: { ...bySize.axis(everything.map((one) => one.point)), nameGap: 28 },
        yAxis: decadeAxis([...everything.flatMap((one) => [one.low, one.high, one.ratio]), 0.95, 1.05],
          { name: '', text: (ratio) => `${+ratio.toPrecision(3)}` }),
        tooltip: tooltip({ trigger: 'item', formatter: (hit: { seriesName: string; data: number[] }) =>
          `${hit.seriesName}\n${format.bytes(hit.data[2] as number)}: ${decades.value(hit.data[1] as number).toFixed(3)} times` }),
        series: rows.flatMap((row, i) => {
          const { colour, symbol, name } = look(section, row.series);
          return [{
            type: 'line', name, symbol, symbolSize: 7, color: colour, lineStyle: { color: colour, width: 2 },
            data: row.points.map((one) => [octaves.at(one.point.size_bytes), decades.at(one.ratio), one.point.size_bytes]),
            markLine: i === 0 ? { silent: true, symbol: 'none', data: [
              { yAxis: 0, label: { formatter: 'same', position: 'insideEndTop', color: colours.muted }, lineStyle: { color: colours.line } },
              pickedMark(section)] } : undefined,
          }, whiskers(name, row.points.map((one) => [octaves.at(one.point.size_bytes), decades.at(one.low), decades.at(one.high)]), colour)];
        }),
      },
      table: {
        name: `${section.operation}-ratio`,
        columns: [{ title: 'run', word: true }, { title: 'procs' }, { title: 'size_bytes' }, { title: 'ratio' }, { title: 'low' }, { title: 'high' }],
        rows: rows.flatMap((row) => row.points.map((one) => [cell(row.series.run.name), cell(String(one.point.procs), one.point.procs),
          cell(format.bytes(one.point.size_bytes), one.point.size_bytes), cell(one.ratio.toFixed(3), one.ratio),
          cell(one.low.toFixed(3), one.low), cell(one.high.toFixed(3), one.high)])),
      },
    };
  }, { keys: (step) => section.step(step), clicked: (x) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }) });
}
