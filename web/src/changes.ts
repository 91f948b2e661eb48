// What changed most between runs: the first thing to see of a comparison.
import { decadeAxis, decades } from './axes';
import type { ComparedPoint, Document, Run } from './data';
import { Figure } from './figure';
import * as format from './format';
import { grid, lyingWhisker, marks, rowTooltip, rowsAxis } from './pieces';
import type { Section } from './section';
import { cell, endCells } from './table';
import { theme } from './theme';

interface Change {
  run: Run;
  section: Section;
  point: ComparedPoint;
}

/** As many rows as can be read at a glance. */
const most = 12;

const sure = ({ verdict }: ComparedPoint): boolean => verdict === 'slower' || verdict === 'faster';
const size = ({ ratio }: ComparedPoint): number => Math.abs(Math.log(ratio));

/** What is surely slower or faster first, the largest changes first. */
export const changesOf = (document: Document, known: Map<string, Section>): Change[] =>
  document.comparisons
    .flatMap(({ run_index, points }) =>
      points.flatMap((point) => {
        const section = known.get(point.operation);
        return section && point.ratio > 0 ? [{ run: document.runs[run_index] as Run, section, point }] : [];
      }),
    )
    .sort((a, b) => Number(sure(b.point)) - Number(sure(a.point)) || size(b.point) - size(a.point));

/** To the charts of a point. */
const go = ({ run, section, point }: Change): void =>
  section.pick({ run, procs: point.second_procs, size: point.size_bytes, variant: section.variantOf(point) });

export function changesFigure(document: Document, known: Map<string, Section>): Figure | undefined {
  const all = changesOf(document, known);
  const first = document.runs[0];
  if (!first || all.length === 0) return undefined;
  const shown = all.slice(0, most);
  const several = document.comparisons.length > 1;
  const words = ({ run, section, point }: Change): string =>
    [
      point.operation,
      ...(section.sized ? [section.bytes(point.size_bytes)] : []),
      `${point.second_procs} procs`,
      section.variantOf(point),
      several ? run.name : '',
    ]
      .filter(Boolean)
      .join(', ');
  const ends = ({ point }: Change): string => point.ratio_ci95.map((end) => end.toFixed(2)).join(' .. ');
  return new Figure(
    `Largest changes relative to ${first.name}`,
    () => {
      const colours = theme();
      const colour = ({ run }: Change): string =>
        colours.series[document.runs.indexOf(run) % colours.series.length] as string;
      return {
        summary:
          `${all.length > shown.length ? `The ${shown.length} largest of ${format.count(all.length)} changes` : 'All changes'}, by size, with 95 % intervals; ` +
          'right of 1 is slower. Hollow marks are not significantly slower or faster. A click leads to the point.',
        option: ({ width }) => ({
          grid: grid(1, { left: Math.min(230, width * 0.46) }),
          xAxis: {
            ...decadeAxis([...shown.flatMap(({ point }) => [point.ratio, ...point.ratio_ci95]), 0.95, 1.05], {
              name: 'times as long',
              text: (ratio) => `${+ratio.toPrecision(3)}`,
            }),
            nameGap: 28,
          },
          yAxis: rowsAxis(
            shown.map(words),
            { width: Math.min(215, width * 0.43), overflow: 'break', fontSize: width < 500 ? 10 : 11, lineHeight: 12 },
            false,
          ),
          tooltip: rowTooltip(
            shown,
            (change) =>
              `${words(change)}\n${change.point.ratio.toFixed(3)} times (${ends(change)})\n` +
              `${change.point.verdict}${change.point.reason ? `: ${change.point.reason}` : ''}`,
          ),
          series: [
            {
              type: 'custom',
              data: shown.map(({ point }, i) => [decades.at(point.ratio), i, ...point.ratio_ci95.map(decades.at)]),
              encode: { x: [0, 2, 3], y: 1 },
              renderItem: (
                params: { dataIndex: number },
                api: { value(i: number): number; coord(at: number[]): number[] },
              ) => {
                const change = shown[params.dataIndex] as Change;
                const at = (i: number): [number, number] => api.coord([api.value(i), api.value(1)]) as [number, number];
                const [[x, y], [low], [high]] = [at(0), at(2), at(3)];
                return {
                  type: 'group',
                  children: [
                    ...lyingWhisker(low, high, y, colour(change)),
                    {
                      type: 'circle',
                      shape: { cx: x, cy: y, r: 4.5 },
                      style: {
                        fill: sure(change.point) ? colour(change) : colours.surface,
                        stroke: colour(change),
                        lineWidth: 2,
                      },
                    },
                  ],
                };
              },
            },
            marks([{ xAxis: 0, label: { show: false }, lineStyle: { color: colours.muted, type: 'solid', width: 1 } }]),
          ],
        }),
        table: {
          name: 'changes',
          columns: [
            { title: 'run', word: true },
            { title: 'point', word: true },
            { title: 'ratio' },
            { title: 'low95' },
            { title: 'high95' },
            { title: 'verdict', word: true },
          ],
          rows: all.map((change) => [
            cell(change.run.name),
            cell(words(change)),
            cell(change.point.ratio.toFixed(3), change.point.ratio),
            ...endCells(change.point.ratio_ci95, (end) => end.toFixed(3)),
            cell(change.point.verdict),
          ]),
        },
      };
    },
    {
      tall: true,
      clicked: (_, y) => {
        const change = shown[Math.round(y)];
        if (change) {
          go(change);
          globalThis.document.getElementById(change.section.id)?.scrollIntoView();
        }
      },
    },
  );
}
