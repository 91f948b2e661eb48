// Time and bandwidth against size and processes.
import { decadeAxis, decades, octaves, procsAxis, sizeAxis } from './axes';
import type { ComparedPoint, Point } from './data';
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

/** Several runs: each one's median as a share of the first one's, and what can be said of it. */
export function ratioFigure(section: Section): Figure | undefined {
  const base = section.runs[0];
  if (!base || section.compared.length === 0 || section.sizes.length < 2) return undefined;
  return new Figure(`Time as a multiple of that of ${base.name}`, () => {
    const rows = section.compared.flatMap(({ run, points }) => section.series.filter((one) => one.run === run).map((series) => ({
      series, points: points.filter((point) => point.second_procs === series.procs && point.progress === series.progress),
    }))).filter((row) => row.points.length > 0);
    const everything = rows.flatMap((row) => row.points);
    const largest = everything.reduce((best, one) => (one.ratio > best.ratio ? one : best), everything[0] as ComparedPoint);
    const verdicts = (['slower', 'faster', 'same', 'undecided'] as const).flatMap((verdict) => {
      const count = everything.filter((point) => point.verdict === verdict).length;
      return count > 0 ? [`${count} ${verdict === 'same' ? 'the same' : verdict}`] : [];
    });
    const colours = theme();
    return {
      summary: `Of ${format.plural(everything.length, 'point')}: ${verdicts.join(', ')}. The largest ratio is ${largest.ratio.toFixed(2)} at ` +
        `${format.bytes(largest.size_bytes)} with ${format.processes(largest.second_procs)}. Bars are 95 % intervals of the ratio of medians, starts of the ` +
        'job counted in; hollow marks are not surely slower or faster.',
      option: {
        grid: grid(rows.length), legend: legend(rows.map((row) => look(section, row.series).name)),
        xAxis: { ...sizeAxis(everything.map((point) => point.size_bytes), { name: 'message size', text: format.bytes }), nameGap: 28 },
        yAxis: decadeAxis([...everything.flatMap((point) => [...point.ratio_ci95, point.ratio]), 0.95, 1.05],
          { name: '', text: (ratio) => `${+ratio.toPrecision(3)}` }),
        tooltip: tooltip({ trigger: 'item', formatter: (hit: { seriesName: string; data: { point?: ComparedPoint } }) => {
          const point = hit.data.point;
          return point ? `${hit.seriesName}\n${format.bytes(point.size_bytes)}: ${point.ratio.toFixed(3)} times ` +
            `(${point.ratio_ci95.map((end) => end.toFixed(3)).join(' .. ')})\n${point.verdict}${point.reason ? `: ${point.reason}` : ''}` : '';
        } }),
        series: rows.flatMap((row, i) => {
          const { colour, symbol, name } = look(section, row.series);
          const sure = (point: ComparedPoint): boolean => point.verdict === 'slower' || point.verdict === 'faster';
          return [{
            type: 'line', name, symbol, symbolSize: 8, color: colour, lineStyle: { color: colour, width: 2 },
            data: row.points.map((point) => ({ value: [octaves.at(point.size_bytes), decades.at(point.ratio)], point,
              itemStyle: { color: sure(point) ? colour : colours.surface, borderColor: colour, borderWidth: 2 } })),
            markLine: i === 0 ? { silent: true, symbol: 'none', data: [
              { yAxis: 0, label: { formatter: 'same', position: 'insideEndTop', color: colours.muted }, lineStyle: { color: colours.line } },
              pickedMark(section)] } : undefined,
          }, whiskers(name, row.points.map((point) => [octaves.at(point.size_bytes), ...point.ratio_ci95.map(decades.at)]), colour)];
        }),
      },
      table: {
        name: `${section.operation}-ratio`,
        columns: [{ title: 'run', word: true }, { title: 'procs' }, { title: 'size_bytes' }, { title: 'ratio' }, { title: 'low95' }, { title: 'high95' },
          { title: 'verdict', word: true }, { title: 'reason', word: true }, { title: 'p_value' }],
        rows: rows.flatMap((row) => row.points.map((point) => [cell(row.series.run.name), cell(String(point.second_procs), point.second_procs),
          cell(format.bytes(point.size_bytes), point.size_bytes), cell(point.ratio.toFixed(3), point.ratio),
          ...point.ratio_ci95.map((end) => cell(end.toFixed(3), end)), cell(point.verdict), cell(point.reason),
          cell(point.p_value.toPrecision(2), point.p_value)])),
      },
    };
  }, { keys: (step) => section.step(step), clicked: (x) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }) });
}
