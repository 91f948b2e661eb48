// What other benchmarks would have reported.
import type { SchemeComparison } from './data';
import { Figure } from './figure';
import * as format from './format';
import type { Section } from './section';
import { cell } from './table';
import { grid, tooltip } from './figure';
import { theme } from './theme';
import { evenTicks } from './axes';

export function schemesFigure(section: Section): Figure | undefined {
  const all = (): SchemeComparison[] => (section.run?.scheme_comparison ?? []).filter((one) => one.operation === section.operation);
  if (all().length === 0) return undefined;
  return new Figure('The same by the schemes of other benchmarks', () => {
    const one = all().find((of) => of.size_bytes === section.size && of.procs === section.proc) ?? (all()[0] as SchemeComparison);
    const rows = [{ scheme: 'fathom', value_ns: one.own_ns, ratio: 1, effects: [] as SchemeComparison['schemes'][0]['effects'] }, ...one.schemes];
    const colours = theme();
    const high = Math.max(...rows.map((row) => row.ratio)) * 1.1;
    const because = (row: (typeof rows)[0]): string => row.effects.filter((effect) => effect.seen)
      .map((effect) => `${effect.effect} ${effect.change_ns >= 0 ? '+' : '-'}${format.time(Math.abs(effect.change_ns))}`).join(', ');
    const largest = rows.reduce((best, row) => (Math.abs(row.ratio - 1) > Math.abs(best.ratio - 1) ? row : best));
    return {
      summary: `${format.bytes(one.size_bytes)}, ${format.processes(one.procs)}: fathom says ${format.time(one.own_ns)}; ${largest.scheme} differs most and says ` +
        `${largest.ratio.toFixed(2)} times that.`,
      option: {
        grid: grid(1, { left: 110 }),
        xAxis: { type: 'value', min: 0, max: high, name: 'times what fathom says', nameLocation: 'middle', nameGap: 28, nameTextStyle: { color: colours.muted },
          axisLabel: { color: colours.muted, customValues: evenTicks(0, high) }, splitLine: { lineStyle: { color: colours.grid } } },
        yAxis: { type: 'category', inverse: true, data: rows.map((row) => row.scheme), axisLabel: { color: colours.text }, axisLine: { lineStyle: { color: colours.line } },
          axisTick: { show: false } },
        tooltip: tooltip({ trigger: 'item', formatter: (hit: { dataIndex: number }) => {
          const row = rows[hit.dataIndex];
          return row ? `${row.scheme}: ${format.time(row.value_ns)}\n${because(row)}` : '';
        } }),
        series: [{ type: 'bar', barMaxWidth: 20, data: rows.map((row, i) => ({ value: row.ratio, itemStyle: { color: colours.series[i === 0 ? 0 : 1] } })),
          label: { show: true, position: 'right', color: colours.text, formatter: (hit: { dataIndex: number }) => format.time(rows[hit.dataIndex]?.value_ns) } }],
      },
      table: {
        name: `${section.operation}-schemes`,
        columns: [{ title: 'scheme', word: true }, { title: 'value_ns' }, { title: 'ratio' }, { title: 'because of', long: true }],
        rows: rows.map((row) => [cell(row.scheme), cell(format.time(row.value_ns), row.value_ns), cell(row.ratio.toFixed(3), row.ratio), cell(because(row))]),
      },
    };
  }, { keys: (step) => section.step(step) });
}
