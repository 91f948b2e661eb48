// What changed most between runs: the first thing to see of a comparison.
import { decadeAxis, decades, endsAt } from './axes';
import { shownOf } from './curves';
import type { ComparedPoint, Document, Run } from './data';
import { Figure } from './figure';
import * as format from './format';
import { grid, lyingWhisker, marks, rowTooltip, rowsAxis, unknownWords } from './pieces';
import { endsOf } from './ratio';
import type { Section } from './section';
import { cell, endCells } from './table';
import { theme } from './theme';
import { far, ratioName, sure, verdictKey, verdictLooks, verdictShape } from './verdicts';

interface Change {
  run: Run;
  section: Section;
  point: ComparedPoint;
}

/** As many rows as can be read at a glance. */
const most = 12;

/** From slower to faster, with what is neither between them. */
const rank = ({ verdict }: ComparedPoint): number => ({ slower: 0, faster: 2, same: 1, undecided: 1 })[verdict];

/** The largest changes in both directions, each with half of the rows or what the others leave. */
function largestOf(all: Change[]): Change[] {
  const wanted = (verdict: string): Change[] => all.filter(({ point }) => point.verdict === verdict);
  const [slower, faster] = [wanted('slower'), wanted('faster').reverse()];
  const rows = Math.max(most / 2, most - faster.length);
  const shown = [...slower.slice(0, rows)];
  shown.push(...faster.slice(0, most - shown.length));
  const others = all.filter(({ point }) => !sure(point)).sort((a, b) => far(b.point) - far(a.point));
  shown.push(...others.slice(0, most - shown.length));
  return all.filter((one) => shown.includes(one));
}

export const changesOf = (document: Document, known: Map<string, Section>): Change[] =>
  document.comparisons
    .flatMap(({ run_index, points }) =>
      points.flatMap((point) => {
        const section = known.get(point.operation);
        return section && point.ratio > 0 ? [{ run: document.runs[run_index] as Run, section, point }] : [];
      }),
    )
    .sort((a, b) => rank(a.point) - rank(b.point) || b.point.ratio - a.point.ratio);

/** To the charts of a point. */
const go = ({ run, section, point }: Change): void =>
  section.pick({ run, procs: point.second_procs, size: point.size_bytes, variant: section.variantOf(point) });

export function changesFigure(document: Document, known: Map<string, Section>): Figure | undefined {
  const all = changesOf(document, known);
  const first = document.runs[0];
  if (!first || all.length === 0) return undefined;
  const shown = largestOf(all);
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
  const ends = ({ point }: Change): string => format.interval(endsOf(point), (end) => end.toFixed(2));
  return new Figure(
    `Largest changes relative to ${first.name}`,
    () => {
      const colours = theme();
      const ratioText = (ratio: number): string => `${+ratio.toPrecision(3)}`;
      const axis = decadeAxis(
        [
          ...shownOf(
            shown.map(({ point }) => point.ratio),
            shown.flatMap(({ point }) => endsOf(point)),
          ),
          0.95,
          1.05,
        ],
        { name: ratioName, text: ratioText },
      );
      /** The text of each end of an interval that is beyond the axis. */
      const beyondOf = ({ point }: Change): [string | null, string | null] => {
        const [low, high] = endsOf(point);
        const [from, to] = endsAt(decades, [low, high]);
        return [
          from !== null && from < axis.min ? ratioText(low) : null,
          to !== null && to > axis.max ? ratioText(high) : null,
        ];
      };
      return {
        summary:
          `${all.length > shown.length ? `The ${shown.length} largest of ${format.count(all.length)} changes` : 'All changes'}, from slower to faster, with 95 % intervals. ` +
          `${verdictKey(shown.map(({ point }) => point))}. A click leads to the point.` +
          unknownWords(shown.map(({ point }) => ({ ends: endsAt(decades, endsOf(point)) }))) +
          (shown.some((change) => beyondOf(change).some((end) => end !== null))
            ? ' An arrow with a number marks an end of an interval beyond the axis.'
            : ''),
        option: ({ width }) => ({
          grid: grid(1, { left: Math.min(230, width * 0.46) }),
          xAxis: { ...axis, nameGap: 28 },
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
              clip: true,
              data: shown.map(({ point }, i) => {
                const [low, high] = endsAt(decades, endsOf(point));
                const at = decades.at(point.ratio);
                return [at, i, low ?? at, high ?? at];
              }),
              encode: { x: [0, 2, 3], y: 1 },
              renderItem: (
                params: { dataIndex: number },
                api: { value(i: number): number; coord(at: number[]): number[] },
              ) => {
                const change = shown[params.dataIndex] as Change;
                const colour = verdictLooks[change.point.verdict].colour();
                const place = (at: number): [number, number] => api.coord([at, api.value(1)]) as [number, number];
                const [x, y] = place(api.value(0));
                const [low, high] = endsAt(decades, endsOf(change.point)).map((end) =>
                  end === null ? null : place(Math.max(axis.min, Math.min(axis.max, end)))[0],
                ) as [number | null, number | null];
                return {
                  type: 'group',
                  children: [
                    ...lyingWhisker(low, high, y, colour, x, beyondOf(change)),
                    verdictShape(change.point, x, y),
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
            ...endCells(endsOf(change.point), (end) => end.toFixed(3)),
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
