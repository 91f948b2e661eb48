// What a reader came for stands first: the kind of a run decides the order of its charts.
import { curveFigures } from './curves';
import { explorer } from './explorer';
import type { Figure } from './figure';
import { matrixFigure, sizeProcsFigure } from './heat';
import { overlapFigures } from './overlap';
import { ratioFigure } from './ratio';
import { schemesFigure, waterfallFigure } from './schemes';
import type { Section } from './section';
import { settingsFigure } from './settings';
import { treeFigures } from './trees';

type Drawn = (section: Section) => Figure[];
const one =
  (draw: (section: Section) => Figure | undefined): Drawn =>
  (section) => {
    const figure = draw(section);
    return figure ? [figure] : [];
  };

/** Each has figures only where a run is of its kind; curves are of every kind with several sizes. */
const kinds: Drawn[] = [
  one(ratioFigure),
  one(matrixFigure),
  overlapFigures,
  one(waterfallFigure),
  one(schemesFigure),
  one(settingsFigure),
  treeFigures,
  curveFigures,
  one(sizeProcsFigure),
];

export const figuresOf = (section: Section): Figure[] => kinds.flatMap((draw) => draw(section));

/** The one chart that shows what was found; of a single point, how its times spread. */
export function leadFigure(section: Section): Figure | undefined {
  for (const draw of kinds) {
    const figure = draw(section)[0];
    if (figure) return figure;
  }
  return explorer(section)?.figures[0];
}
