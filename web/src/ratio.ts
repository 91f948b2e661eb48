// Several runs compared with the first.
import { decadeAxis, decades, octaves, sizeAxis } from './axes';
import { pickedMark } from './curves';
import type { ComparedPoint } from './data';
import { Figure } from './figure';
import * as format from './format';
import { keyCells, keyColumns, look } from './look';
import { grid, legend, marks, tooltip, whiskers } from './pieces';
import type { Section, Series } from './section';
import { cell, endCells } from './table';
import { theme } from './theme';
import { zoom } from './zoom';

/** Each one's median as a share of the first one's, and what can be said of it; in words and numbers alone where there is one size. */
export function ratioFigure(section: Section): Figure | undefined {
  const base = section.runs[0];
  if (!base || section.compared.length === 0) return undefined;
  return new Figure(
    `Time relative to ${base.name}`,
    () => {
      const rows = section.compared
        .flatMap(({ run, points }) =>
          section.series
            .filter((one) => one.run === run)
            .map((series) => ({
              series,
              points: points.filter(
                (point) => point.second_procs === series.procs && section.variantOf(point) === series.variant,
              ),
            })),
        )
        .filter((row) => row.points.length > 0);
      const everything = rows.flatMap((row) => row.points);
      const largest = everything.reduce(
        (best, one) => (one.ratio > best.ratio ? one : best),
        everything[0] as ComparedPoint,
      );
      const verdicts = (['slower', 'faster', 'same', 'undecided'] as const).flatMap((verdict) => {
        const count = everything.filter((point) => point.verdict === verdict).length;
        return count > 0 ? [`${count} ${verdict === 'same' ? 'the same' : verdict}`] : [];
      });
      const colours = theme();
      const drawn = section.sizes.length > 1;
      /** Where one run is compared, the title says which. */
      const nameOf = (series: Series): string =>
        section.compared.length > 1
          ? look(section, series).name
          : [format.processes(series.procs), series.variant].filter(Boolean).join(', ');
      return {
        summary:
          `Of ${format.plural(everything.length, 'point')}: ${verdicts.join(', ')}. The largest ratio is ${largest.ratio.toFixed(2)} ` +
          (drawn
            ? `at ${section.bytes(largest.size_bytes)} with ${format.processes(largest.second_procs)}. Bars are 95 % intervals of the ratio of medians, including the variance ` +
              'between launches; hollow marks are not significantly slower or faster.'
            : `with ${format.processes(largest.second_procs)}, 95 % interval ${largest.ratio_ci95.map((end) => end.toFixed(3)).join(' to ')}: ` +
              `${largest.verdict}${largest.reason ? `, ${largest.reason}` : ''}.`),
        option: drawn
          ? ({ width }) => ({
              grid: grid(rows.length),
              legend: legend(rows.map((row) => nameOf(row.series))),
              dataZoom: [zoom()],
              xAxis: {
                ...sizeAxis(
                  everything.map((point) => point.size_bytes),
                  width,
                  { name: 'message size', text: (size) => section.bytes(size) },
                ),
                nameGap: 28,
              },
              yAxis: decadeAxis([...everything.flatMap((point) => [...point.ratio_ci95, point.ratio]), 0.95, 1.05], {
                name: '',
                text: (ratio) => `${+ratio.toPrecision(3)}`,
              }),
              tooltip: tooltip({
                trigger: 'item',
                formatter: (hit: { seriesName: string; data: { point?: ComparedPoint } }) => {
                  const point = hit.data.point;
                  return point
                    ? `${hit.seriesName}\n${section.bytes(point.size_bytes)}: ${point.ratio.toFixed(3)} times ` +
                        `(${point.ratio_ci95.map((end) => end.toFixed(3)).join(' .. ')})\n${point.verdict}${point.reason ? `: ${point.reason}` : ''}`
                    : '';
                },
              }),
              series: [
                ...rows.flatMap((row) => {
                  const { colour, symbol } = look(section, row.series);
                  const name = nameOf(row.series);
                  const sure = (point: ComparedPoint): boolean =>
                    point.verdict === 'slower' || point.verdict === 'faster';
                  return [
                    {
                      type: 'line',
                      name,
                      symbol,
                      symbolSize: 8,
                      color: colour,
                      lineStyle: { color: colour, width: 2 },
                      data: row.points.map((point) => ({
                        value: [octaves.at(point.size_bytes), decades.at(point.ratio)],
                        point,
                        itemStyle: {
                          color: sure(point) ? colour : colours.surface,
                          borderColor: colour,
                          borderWidth: 2,
                        },
                      })),
                    },
                    whiskers(
                      name,
                      row.points.map((point) => [octaves.at(point.size_bytes), ...point.ratio_ci95.map(decades.at)]),
                      colour,
                    ),
                  ];
                }),
                marks([
                  {
                    yAxis: 0,
                    label: { formatter: 'same', position: 'insideEndTop', color: colours.muted },
                    lineStyle: { color: colours.line },
                  },
                  pickedMark(section),
                ]),
              ],
            })
          : undefined,
        table: {
          name: `${section.operation}-ratio`,
          columns: [
            ...keyColumns(section),
            { title: 'ratio' },
            { title: 'low95' },
            { title: 'high95' },
            { title: 'verdict', word: true },
            { title: 'reason', word: true },
            { title: 'p_value' },
          ],
          rows: rows.flatMap((row) =>
            row.points.map((point) => [
              ...keyCells(section, row.series.run, { ...point, procs: point.second_procs }),
              cell(point.ratio.toFixed(3), point.ratio),
              ...endCells(point.ratio_ci95, (end) => end.toFixed(3)),
              cell(point.verdict),
              cell(point.reason),
              cell(point.p_value.toPrecision(2), point.p_value),
            ]),
          ),
        },
      };
    },
    { ...section.arrows, clicked: (x) => section.pick({ size: section.nearestSize(octaves.value(x), octaves.at) }) },
  );
}
