// Varied settings side by side.
import { evenTicks } from './axes';
import type { Run, SettingComparison } from './data';
import { Figure, nothing } from './figure';
import * as format from './format';
import { runColour } from './look';
import { grid, lyingBars, rowTooltip, rowsAxis } from './pieces';
import type { Section } from './section';
import { cell, timeCell } from './table';
import { theme } from './theme';

export function settingsFigure(section: Section): Figure | undefined {
  const compared = (run: Run): SettingComparison[] =>
    (run.vary ?? []).filter((one) => one.operation === section.operation);
  if (!section.runs.some((run) => compared(run).length > 0)) return undefined;
  return new Figure(
    'Varied settings',
    () => {
      const all = compared(section.run);
      const one = section.picked(all);
      if (!one) return nothing('Not varied in this run.');
      const rows = one.settings;
      const colours = theme();
      const high = Math.max(...rows.map((row) => row.within_run_ci95_ns?.[1] ?? row.value_ns ?? 0)) * 1.15;
      const isBest = (setting: string): boolean => one.verdict === 'best' && setting === one.best;
      const names = all[0]?.settings.map((row) => row.setting) ?? [];
      return {
        summary: `${section.placeOf(one)}: ${one.text}`,
        option: {
          grid: grid(1, { left: 190 }),
          xAxis: {
            type: 'value',
            min: 0,
            max: high,
            name: 'median over launches, 95 % intervals in this run',
            nameLocation: 'middle',
            nameGap: 28,
            nameTextStyle: { color: colours.muted },
            axisLabel: {
              color: colours.muted,
              customValues: evenTicks(0, high),
              formatter: (value: number) => format.time(value),
            },
            splitLine: { lineStyle: { color: colours.grid } },
          },
          yAxis: rowsAxis(
            rows.map((row) => row.setting),
            { width: 175, overflow: 'break' },
          ),
          tooltip: rowTooltip(
            rows,
            (row) => `${row.setting}: ${format.time(row.value_ns)}${format.interval95(row.within_run_ci95_ns)}`,
          ),
          series: lyingBars(
            rows.map((row) => ({
              to: row.value_ns ?? 0,
              ends: row.within_run_ci95_ns ?? [],
              words: format.time(row.value_ns) + (isBest(row.setting) ? ' *' : ''),
              colour: isBest(row.setting) ? runColour(section, section.run) : colours.line,
            })),
          ),
        },
        table: {
          name: `${section.operation}-settings`,
          columns: [
            { title: 'procs' },
            { title: 'size_bytes' },
            ...names.map((name) => ({ title: name })),
            { title: 'worst/best' },
            { title: 'best', long: true },
          ],
          rows: all.map((of) => [
            cell(String(of.procs), of.procs),
            cell(section.bytes(of.size_bytes), of.size_bytes),
            ...names.map((name) => timeCell(of.settings.find((row) => row.setting === name)?.value_ns)),
            cell(of.ratio?.toFixed(2) ?? '-', of.ratio ?? null),
            cell(of.text),
          ]),
        },
      };
    },
    section.arrows,
  );
}
