// What other benchmarks would have reported.
import { evenTicks } from './axes';
import type { Run, SchemeComparison } from './data';
import { Figure, grid, nothing, tooltip } from './figure';
import * as format from './format';
import { runColour } from './look';
import type { Section } from './section';
import { cell, timeCell } from './table';
import { theme } from './theme';

type Scheme = SchemeComparison['schemes'][0];
type Row = Pick<Scheme, 'scheme' | 'value_ns' | 'ratio' | 'effects'> & Partial<Scheme>;

const signed = (ns: number): string => `${ns >= 0 ? '+' : '-'}${format.time(Math.abs(ns))}`;

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
      const rows: Row[] = [{ scheme: 'fathom', value_ns: one.own_ns, ratio: 1, effects: [] }, ...one.schemes];
      const colours = theme();
      const known = rows.filter((row): row is Row & { ratio: number } => row.ratio != null);
      const high = Math.max(...known.map((row) => row.ratio)) * 1.1;
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
            axisLabel: { color: colours.muted, customValues: evenTicks(0, high) },
            splitLine: { lineStyle: { color: colours.grid } },
          },
          yAxis: {
            type: 'category',
            inverse: true,
            data: rows.map((row) => row.scheme),
            axisLabel: { color: colours.text },
            axisLine: { lineStyle: { color: colours.line } },
            axisTick: { show: false },
          },
          tooltip: tooltip({
            trigger: 'item',
            formatter: (hit: { dataIndex: number }) => {
              const row = rows[hit.dataIndex];
              return row ? `${row.scheme}: ${format.time(row.value_ns)}\n${because(row)}` : '';
            },
          }),
          series: [
            {
              type: 'bar',
              barMaxWidth: 20,
              data: rows.map((row, i) => ({
                value: row.ratio ?? 0,
                itemStyle: { color: i === 0 ? runColour(section, section.run) : colours.line },
              })),
              label: {
                show: true,
                position: 'right',
                color: colours.text,
                formatter: (hit: { dataIndex: number }) => format.time(rows[hit.dataIndex]?.value_ns),
              },
            },
          ],
        },
        table: {
          name: `${section.operation}-schemes`,
          columns: [
            { title: 'scheme', word: true },
            { title: 'value_ns' },
            { title: 'ratio' },
            { title: 'because of', long: true },
          ],
          rows: rows.map((row) => [
            cell(row.scheme),
            timeCell(row.value_ns),
            cell(row.ratio?.toFixed(3) ?? '-', row.ratio ?? null),
            cell(because(row)),
          ]),
        },
      };
    },
    section.arrows,
  );
}
