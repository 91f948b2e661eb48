// What other benchmarks would have reported.
import { evenTicks } from './axes';
import type { Interval, Maybe, Run, SchemeComparison } from './data';
import { labelled, select } from './dom';
import { Figure, nothing } from './figure';
import * as format from './format';
import { runColour } from './look';
import { grid, lyingBars, lyingWhisker, rowTooltip, rowsAxis, wordsBeside } from './pieces';
import type { Section } from './section';
import { cell, endCells, timeCell } from './table';
import { theme } from './theme';

type Scheme = SchemeComparison['schemes'][0];
type Row = Pick<Scheme, 'scheme' | 'value_ns' | 'within_run_ci95_ns' | 'ratio' | 'effects'> & Partial<Scheme>;

const signed = (ns: number): string => `${ns >= 0 ? '+' : '-'}${format.time(Math.abs(ns))}`;

/** One step on the way from fathom's value to another benchmark's. */
interface Step {
  words: string;
  from: number;
  to: number;
  /** Of where it ends. */
  ends?: Maybe<Interval>;
  whole: boolean;
}

const around = (at: number, half = 0): Maybe<Interval> => (half > 0 ? [at - half, at + half] : null);

function stepsTo({ own_ns: own, own_within_run_ci95_ns: ends }: SchemeComparison, scheme: Scheme): Step[] {
  let at = own;
  const steps: Step[] = [{ words: 'fathom', from: 0, to: own, ends, whole: true }];
  for (const effect of scheme.effects.filter((one) => one.reason ?? one.seen)) {
    const to = at + effect.change_ns;
    steps.push({ words: effect.effect, from: at, to, ends: around(to, effect.unsure_ns), whole: false });
    at = to;
  }
  if (Math.abs(scheme.value_ns - at) > 0.005 * own)
    steps.push({
      words: 'remainder',
      from: at,
      to: scheme.value_ns,
      ends: around(scheme.value_ns, scheme.remainder_unsure_ns),
      whole: false,
    });
  return [
    ...steps,
    { words: scheme.scheme, from: 0, to: scheme.value_ns, ends: scheme.within_run_ci95_ns, whole: true },
  ];
}

/** The way from fathom's value to that of another benchmark, effect by effect. */
export function waterfallFigure(section: Section): Figure | undefined {
  const names = [
    ...new Set(
      section.runs
        .flatMap((run) => run.scheme_comparison ?? [])
        .filter((one) => one.operation === section.operation)
        .flatMap((one) => one.schemes.filter(({ effects }) => effects.length > 0).map(({ scheme }) => scheme)),
    ),
  ];
  let wanted = names[0];
  if (wanted === undefined) return undefined;
  const figure = new Figure(
    'From the value of fathom to that of another benchmark',
    () => {
      const one = section.picked(
        (section.run.scheme_comparison ?? []).filter(({ operation }) => operation === section.operation),
      );
      const scheme = one?.schemes.find((of) => of.scheme === wanted);
      if (!one || !scheme) return nothing('Not compared in this run.');
      const steps = stepsTo(one, scheme);
      const colours = theme();
      const low = Math.min(0, ...steps.flatMap(({ to, ends }) => [to, ...(ends ?? [])]));
      const high = Math.max(...steps.flatMap(({ to, ends }) => [to, ...(ends ?? [])])) * 1.12 || 1;
      const change = (step: Step): string => (step.whole ? format.time(step.to) : signed(step.to - step.from));
      return {
        summary:
          `${section.placeOf(one)}: fathom reports ${format.time(one.own_ns)}, ${scheme.benchmark} (${scheme.scheme}) would report ` +
          `${format.time(scheme.value_ns)}` +
          (steps.length > 2
            ? `: ${steps
                .filter(({ whole }) => !whole)
                .map((step) => `${step.words} ${change(step)}`)
                .join(', ')}.`
            : '.'),
        option: ({ width }) => ({
          grid: grid(1, { left: Math.min(190, width * 0.4) }),
          xAxis: {
            type: 'value',
            min: low,
            max: high,
            axisLabel: {
              color: colours.muted,
              customValues: evenTicks(low, high),
              hideOverlap: true,
              formatter: (ns: number) => format.timeTick(ns, (high - low) / 6),
            },
            splitLine: { lineStyle: { color: colours.grid } },
            name: 'time',
            nameLocation: 'middle',
            nameGap: 28,
            nameTextStyle: { color: colours.muted },
          },
          yAxis: rowsAxis(
            steps.map(({ words }) => words),
            { width: Math.min(175, width * 0.36), overflow: 'break' },
          ),
          tooltip: rowTooltip(
            steps,
            (step) =>
              `${step.words}\n${change(step)}${step.whole ? '' : `, to ${format.time(step.to)}`}${format.interval95(step.ends)}`,
          ),
          series: [
            {
              type: 'custom',
              data: steps.map((step, i) => [step.from, i, step.to]),
              encode: { x: [0, 2], y: 1 },
              renderItem: (
                params: { dataIndex: number },
                api: { value(i: number): number; coord(at: number[]): number[]; size(of: number[]): number[] },
              ) => {
                const step = steps[params.dataIndex] as Step;
                const x = (ns: number): number => api.coord([ns, api.value(1)])[0] as number;
                const y = api.coord([0, api.value(1)])[1] as number;
                const half = Math.min(11, ((api.size([0, 1])[1] as number) ?? 20) * 0.36);
                const [left, right] = [Math.min(x(step.from), x(step.to)), Math.max(x(step.from), x(step.to))];
                const colour = step.whole
                  ? params.dataIndex === 0
                    ? runColour(section, section.run)
                    : colours.line
                  : step.to >= step.from
                    ? (colours.series[1] as string)
                    : (colours.series[2] as string);
                return {
                  type: 'group',
                  children: [
                    {
                      type: 'rect',
                      shape: { x: left, y: y - half, width: Math.max(1.5, right - left), height: 2 * half },
                      style: { fill: colour },
                    },
                    ...(step.ends ? lyingWhisker(x(step.ends[0]), x(step.ends[1]), y, colours.text) : []),
                    wordsBeside(Math.max(right, step.ends ? x(step.ends[1]) : 0), y, change(step)),
                  ],
                };
              },
            },
          ],
        }),
        table: {
          name: `${section.operation}-${scheme.scheme}-steps`,
          columns: [
            { title: 'step', word: true },
            { title: 'change_ns' },
            { title: 'then_ns' },
            { title: 'low95_ns' },
            { title: 'high95_ns' },
          ],
          rows: steps.map((step) => [
            cell(step.words),
            cell(change(step), step.whole ? step.to : step.to - step.from),
            timeCell(step.to),
            ...endCells(step.ends),
          ]),
        },
      };
    },
    section.arrows,
  );
  figure.control(
    labelled(
      'Benchmark',
      select<string>(
        names.map((name) => [name, name]),
        wanted,
        (name) => {
          wanted = name;
          figure.refresh();
        },
      ),
    ),
  );
  return figure;
}

export function schemesFigure(section: Section): Figure | undefined {
  const compared = (run: Run): SchemeComparison[] =>
    (run.scheme_comparison ?? []).filter((one) => one.operation === section.operation);
  if (!section.runs.some((run) => compared(run).length > 0)) return undefined;
  return new Figure(
    'The schemes of other benchmarks',
    () => {
      const all = compared(section.run);
      const one = section.picked(all);
      if (!one) return nothing('Not compared in this run.');
      const rows: Row[] = [
        {
          scheme: 'fathom',
          value_ns: one.own_ns,
          within_run_ci95_ns: one.own_within_run_ci95_ns,
          ratio: 1,
          effects: [],
        },
        ...one.schemes,
      ];
      const relative = (row: Row): number[] =>
        row.ratio == null || !(one.own_ns > 0) ? [] : (row.within_run_ci95_ns ?? []).map((end) => end / one.own_ns);
      const colours = theme();
      const known = rows.filter((row): row is Row & { ratio: number } => row.ratio != null);
      const high = Math.max(...known.flatMap((row) => [row.ratio, ...relative(row)])) * 1.15;
      const because = (row: Row): string =>
        [
          ...row.effects
            .filter((effect) => effect.reason ?? effect.seen)
            .map((effect) => `${effect.effect} ${signed(effect.change_ns)}`),
          ...(row.remainder_ns === undefined || row.remainder_unsure_ns === undefined
            ? []
            : [`remainder ${signed(row.remainder_ns)} (+/- ${format.time(row.remainder_unsure_ns)})`]),
        ].join(', ');
      const largest = known.reduce((best, row) => (Math.abs(row.ratio - 1) > Math.abs(best.ratio - 1) ? row : best));
      return {
        summary:
          `${section.placeOf(one)}: fathom reports ${format.time(one.own_ns)}; ` +
          (known.length < 2
            ? 'there is no ratio.'
            : `${largest.scheme} differs most and reports ${largest.ratio.toFixed(2)} times that.`),
        option: {
          grid: grid(1, { left: 110 }),
          xAxis: {
            type: 'value',
            min: 0,
            max: high,
            name: 'relative to fathom',
            nameLocation: 'middle',
            nameGap: 28,
            nameTextStyle: { color: colours.muted },
            axisLabel: {
              color: colours.muted,
              customValues: evenTicks(0, high),
              hideOverlap: true,
              formatter: (ratio: number) => `${+ratio.toFixed(2)}`,
            },
            splitLine: { lineStyle: { color: colours.grid } },
          },
          yAxis: rowsAxis(rows.map((row) => row.scheme)),
          tooltip: rowTooltip(
            rows,
            (row) =>
              `${row.scheme}: ${format.time(row.value_ns)}${format.interval95(row.within_run_ci95_ns)}\n${because(row)}`,
          ),
          series: lyingBars(
            rows.map((row, i) => ({
              to: row.ratio ?? 0,
              ends: relative(row),
              words: format.time(row.value_ns),
              colour: i === 0 ? runColour(section, section.run) : colours.line,
            })),
          ),
        },
        table: {
          name: `${section.operation}-schemes`,
          columns: [
            { title: 'scheme', word: true },
            { title: 'value_ns' },
            { title: 'low95_ns' },
            { title: 'high95_ns' },
            { title: 'ratio' },
            { title: 'because of', long: true },
          ],
          rows: rows.map((row) => [
            cell(row.scheme),
            timeCell(row.value_ns),
            ...endCells(row.within_run_ci95_ns),
            cell(row.ratio?.toFixed(3) ?? '-', row.ratio ?? null),
            cell(because(row)),
          ]),
        },
      };
    },
    section.arrows,
  );
}
