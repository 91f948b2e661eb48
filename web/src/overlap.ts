// Studies of overlap: what communication takes of the processor, and what it leaves.
import { decadeAxis, linearAxis, octaves, sizeAxis, decades } from './axes';
import { look } from './curves';
import type { Interval, Maybe, Overlap, Point } from './data';
import { type Drawing, Figure, grid, legend, mark, tooltip, whiskers } from './figure';
import * as format from './format';
import type { Section } from './section';
import { cell } from './table';
import { theme } from './theme';

interface Figures { overhead: Maybe<number>; overheadCi: Maybe<Interval>; availability: Maybe<number>; availabilityCi: Maybe<Interval> }

/** Of a message by itself, of a collective by the work-based scheme. */
const figuresOf = (overlap: Overlap): Figures => {
  const of = overlap.work_based ?? overlap;
  return { overhead: of.overhead_ns, overheadCi: of.overhead_ci95_ns, availability: of.availability, availabilityCi: of.availability_ci95 };
};

function bySize(section: Section, name: string, get: (figures: Figures) => { at: Maybe<number>; ends: Maybe<Interval> }, text: (value: number) => string,
  axis: (values: number[]) => object, summary: (picked: Point | undefined) => string): Drawing {
  const lines = section.series.map((series) => ({ series, look: look(section, series), points: series.points.flatMap((point) => {
    const of = point.overlap && get(figuresOf(point.overlap));
    return of?.at == null ? [] : [{ point, at: of.at, ends: of.ends }];
  }) })).filter((line) => line.points.length > 0);
  const everything = lines.flatMap((line) => line.points);
  return {
    summary: summary(section.point()),
    option: {
      grid: grid(lines.length), legend: legend(lines.map((line) => line.look.name)),
      xAxis: { ...sizeAxis(everything.map((one) => one.point.size_bytes), { name: 'message size', text: format.bytes }), nameGap: 28 },
      yAxis: axis(everything.flatMap((one) => [one.at, ...(one.ends ?? [])])),
      tooltip: tooltip({ trigger: 'item', formatter: (hit: { seriesName: string; data: number[] }) =>
        `${hit.seriesName}\n${format.bytes(hit.data[2] as number)}: ${text(hit.data[1] as number)}` }),
      series: lines.flatMap((line, i) => [{
        type: 'line', name: line.look.name, symbol: line.look.symbol, symbolSize: 7, color: line.look.colour,
        lineStyle: { width: 2, type: line.look.dash, color: line.look.colour },
        data: line.points.map((one) => [octaves.at(one.point.size_bytes), one.at, one.point.size_bytes]),
        markLine: i === 0 ? { silent: true, symbol: 'none', data: [mark(octaves.at(section.size), '', theme().picked, false)] } : undefined,
      }, whiskers(line.look.name, line.points.filter((one) => one.ends).map((one) => [octaves.at(one.point.size_bytes), ...(one.ends as Interval)]), line.look.colour)]),
    },
    table: {
      name: `${section.operation}-${name}`,
      columns: [{ title: 'run', word: true }, { title: 'procs' }, { title: 'size_bytes' }, { title: name }, { title: 'low95' }, { title: 'high95' }],
      rows: lines.flatMap((line) => line.points.map((one) => [cell(line.series.run.name), cell(String(one.point.procs), one.point.procs),
        cell(format.bytes(one.point.size_bytes), one.point.size_bytes), cell(text(one.at), one.at), cell(one.ends ? text(one.ends[0]) : '-', one.ends?.[0] ?? null),
        cell(one.ends ? text(one.ends[1]) : '-', one.ends?.[1] ?? null)])),
    },
  };
}

/** Work against the time of an iteration, at the picked size. */
function workCurve(section: Section): Drawing {
  const colours = theme();
  const runs = section.runs.flatMap((run, i) => {
    const curve = section.point(run)?.overlap?.curve?.filter((step) => step.iteration_ns != null && step.work_ns > 0);
    return curve && curve.length > 0 ? [{ run, curve, colour: colours.series[i % colours.series.length] as string }] : [];
  });
  const steps = runs.flatMap((one) => one.curve);
  const overlap = section.point()?.overlap;
  const work = steps.map((step) => step.work_ns);
  return {
    summary: overlap ? `${format.bytes(section.size)}. ${overlap.verdict || overlap.reason}. The thin line is work without a message; where the curve leaves its ` +
      'flat part, work no longer hides behind the message.' : 'Not studied at this size.',
    option: {
      grid: grid(runs.length), legend: legend(runs.map((one) => one.run.name)),
      xAxis: { ...decadeAxis(work, { name: 'work during the message', text: format.timeTick }), nameGap: 28 },
      yAxis: decadeAxis(steps.map((step) => step.iteration_ns as number), { name: '', text: format.timeTick }),
      tooltip: tooltip({ trigger: 'item', formatter: (hit: { data: number[] }) =>
        `work ${format.time(decades.value(hit.data[0] as number))}\niteration ${format.time(decades.value(hit.data[1] as number))}` }),
      series: [...runs.map((one) => ({
        type: 'line', name: one.run.name, symbol: 'circle', symbolSize: 6, color: one.colour, lineStyle: { width: 2, color: one.colour },
        data: one.curve.map((step) => [decades.at(step.work_ns), decades.at(step.iteration_ns as number)]),
      })), { type: 'line', silent: true, symbol: 'none', lineStyle: { color: colours.line, width: 1, type: 'dashed' },
        data: work.length ? [Math.min(...work), Math.max(...work)].map((at) => [decades.at(at), decades.at(at)]) : [] }],
    },
    table: {
      name: `${section.operation}-work`, columns: [{ title: 'run', word: true }, { title: 'work_ns' }, { title: 'iteration_ns' }],
      rows: runs.flatMap((one) => one.curve.map((step) => [cell(one.run.name), cell(format.time(step.work_ns), step.work_ns),
        cell(format.time(step.iteration_ns), step.iteration_ns ?? null)])),
    },
  };
}

export function overlapFigures(section: Section): Figure[] {
  if (!section.placed.some(({ point }) => point.overlap)) return [];
  const pick = { keys: (step: number) => section.step(step),
    clicked: (x: number) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }) };
  const at = (point: Point | undefined): Figures | undefined => (point?.overlap ? figuresOf(point.overlap) : undefined);
  const figures = [
    new Figure('Availability: the share of the processor that is left', () => bySize(section, 'availability',
      (of) => ({ at: of.availability, ends: of.availabilityCi }), (one) => one.toFixed(2),
      (values) => linearAxis([0, 1, ...values], { name: '', text: (one) => `${+one.toFixed(2)}` }),
      (picked) => `1: communication takes no processor time; 0: nothing is left. ${at(picked)?.availability == null ? '' :
        `${format.bytes(section.size)}: ${at(picked)?.availability?.toFixed(2)}.`} ${picked?.overlap?.verdict ?? ''}`), pick),
    new Figure('Overhead: processor time of communication', () => bySize(section, 'overhead_ns',
      (of) => ({ at: of.overhead, ends: of.overheadCi }), format.time,
      (values) => linearAxis([0, ...values], { name: '', text: format.timeTick }),
      (picked) => (at(picked)?.overhead == null ? '' : `${format.bytes(section.size)}: ${format.time(at(picked)?.overhead)}.`)), pick),
  ];
  if (section.placed.some(({ point }) => point.overlap?.curve?.length)) {
    figures.push(new Figure('Work and communication', () => workCurve(section), { keys: pick.keys }));
  }
  return figures;
}
