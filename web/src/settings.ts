// Varied settings side by side.
import { evenTicks } from './axes';
import type { Run, SettingComparison } from './data';
import { Figure, grid, nothing, tooltip } from './figure';
import * as format from './format';
import { runColour } from './look';
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
      const high = Math.max(...rows.map((row) => row.ci95_ns?.[1] ?? row.value_ns ?? 0)) * 1.15;
      const names = all[0]?.settings.map((row) => row.setting) ?? [];
      return {
        summary: `${section.placeOf(one)}: ${one.text}`,
        option: {
          grid: grid(1, { left: 190 }),
          xAxis: {
            type: 'value',
            min: 0,
            max: high,
            name: 'median over launches',
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
          yAxis: {
            type: 'category',
            inverse: true,
            data: rows.map((row) => row.setting),
            axisLabel: { color: colours.text, width: 175, overflow: 'break' },
            axisLine: { lineStyle: { color: colours.line } },
            axisTick: { show: false },
          },
          tooltip: tooltip({
            trigger: 'item',
            formatter: (hit: { dataIndex: number }) => {
              const row = rows[hit.dataIndex];
              if (!row) return '';
              const ends = row.ci95_ns;
              return (
                `${row.setting}: ${format.time(row.value_ns)}` +
                (ends ? `\n95 % interval ${format.time(ends[0])} .. ${format.time(ends[1])}` : '')
              );
            },
          }),
          series: [
            {
              type: 'bar',
              barMaxWidth: 20,
              data: rows.map((row) => ({
                value: row.value_ns ?? 0,
                itemStyle: {
                  color:
                    one.verdict === 'best' && row.setting === one.best ? runColour(section, section.run) : colours.line,
                },
              })),
              label: {
                show: true,
                position: 'right',
                color: colours.text,
                formatter: (hit: { dataIndex: number }) => {
                  const row = rows[hit.dataIndex];
                  return `${format.time(row?.value_ns)}${one.verdict === 'best' && row?.setting === one.best ? ' *' : ''}`;
                },
              },
            },
          ],
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
