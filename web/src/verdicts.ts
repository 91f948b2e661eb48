// How verdicts of comparisons look: by colour, by shape and in words, so that any one of them is enough.
import type { ComparedPoint } from './data';
import * as format from './format';
import { theme } from './theme';

type Verdict = ComparedPoint['verdict'];

interface VerdictLook {
  /** In a sentence, and as its sign. */
  words: string;
  sign: string;
  /** Of a mark in a chart. */
  symbol: string;
  rotate: number;
  colour: () => string;
  /** What is not decided is hollow. */
  filled: boolean;
}

export const verdictLooks: Record<Verdict, VerdictLook> = {
  slower: {
    words: 'slower',
    sign: '\u25b2',
    symbol: 'triangle',
    rotate: 0,
    colour: () => theme().slower,
    filled: true,
  },
  faster: {
    words: 'faster',
    sign: '\u25bc',
    symbol: 'triangle',
    rotate: 180,
    colour: () => theme().faster,
    filled: true,
  },
  same: { words: 'the same', sign: '\u25cf', symbol: 'circle', rotate: 0, colour: () => theme().muted, filled: true },
  undecided: {
    words: 'undecided',
    sign: '\u25cb',
    symbol: 'circle',
    rotate: 0,
    colour: () => theme().muted,
    filled: false,
  },
};

const verdicts = Object.keys(verdictLooks) as Verdict[];
/** A tuning is to make faster. */
export const fasterFirst: Verdict[] = ['faster', 'same', 'slower', 'undecided'];

/** What is surely slower or faster. */
export const sure = ({ verdict }: ComparedPoint): boolean => verdict === 'slower' || verdict === 'faster';
/** How far a ratio is from 1, in either direction. */
export const far = ({ ratio }: { ratio: number }): number => Math.abs(Math.log(ratio));

/** The key of the marks that these points have. */
export const verdictKey = (points: ComparedPoint[]): string =>
  verdicts
    .filter((one) => points.some(({ verdict }) => verdict === one))
    .map((one) => `${verdictLooks[one].sign} ${verdictLooks[one].words}`)
    .join(', ');

/** `3 slower, 1 the same` */
export const verdictCounts = (points: { verdict: string }[], order = verdicts): string =>
  order
    .map((one) => [one, points.filter(({ verdict }) => verdict === one).length] as const)
    .filter(([, count]) => count > 0)
    .map(([one, count]) => `${format.count(count)} ${verdictLooks[one].words}`)
    .join(', ');

/** The mark of a point on a line. */
export const verdictMark = ({ verdict }: ComparedPoint): object => {
  const { symbol, rotate, colour, filled } = verdictLooks[verdict];
  return {
    symbol,
    symbolRotate: rotate,
    symbolSize: symbol === 'triangle' ? 11 : 8,
    itemStyle: { color: filled ? colour() : theme().surface, borderColor: colour(), borderWidth: filled ? 0 : 2 },
  };
};

/** The same as a shape of a custom series. */
export const verdictShape = ({ verdict }: ComparedPoint, x: number, y: number): object => {
  const { symbol, rotate, colour, filled } = verdictLooks[verdict];
  const style = { fill: filled ? colour() : theme().surface, stroke: colour(), lineWidth: filled ? 0 : 2 };
  const way = rotate ? -1 : 1;
  return symbol === 'triangle'
    ? {
        type: 'polygon',
        shape: {
          points: [
            [x, y - 6 * way],
            [x - 6, y + 5 * way],
            [x + 6, y + 5 * way],
          ],
        },
        style,
      }
    : { type: 'circle', shape: { cx: x, cy: y, r: 4.5 }, style };
};

/** Of a vertical axis of ratios: what is above 1 is slower, what is below is faster. */
export const ratioName = '\u2190 faster    times as long    slower \u2192';

/** Where nothing changes. */
export const sameLine = (): object => ({
  yAxis: 0,
  label: { show: false },
  lineStyle: { color: theme().line, type: 'solid', width: 1 },
});
