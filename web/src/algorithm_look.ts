// How implementations look in all pictures of an operation: a colour and a letter each, so that colour is not needed.
import { type Named, entriesOf, shortName, winner } from './tuning_data';
import { theme } from './theme';

export interface AlgorithmLook {
  implementation: string;
  name: string;
  /** What stands in its cells. */
  letter: string;
  /** Of lines, and of cells: the library's own decision is what others stand out from. */
  colour: () => string;
  fill: () => string;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const letterOf = (index: number): string =>
  index < letters.length
    ? (letters[index] as string)
    : `${letters[Math.floor(index / letters.length) - 1] ?? '?'}${letters[index % letters.length]}`;

/** Black or white, whichever can be read on a colour. */
export function inkOn(colour: string): string {
  const parts = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const luminance = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  return luminance > 0.179 ? '#000000' : '#ffffff';
}

export class AlgorithmLooks {
  /** Those that are best somewhere, by their letters; the library's own decision first. */
  readonly winners: AlgorithmLook[];
  private readonly looks = new Map<string, AlgorithmLook>();

  constructor(all: Named[], operation: string) {
    const entries = all.flatMap(({ tuning }) => entriesOf(tuning, operation));
    const own = new Set(entries.map(({ implementations }) => implementations[0] as string));
    const best = new Set(entries.flatMap((entry) => entry.sizes.flatMap((at) => [winner(at), at.proposed ?? ''])));
    const names = [...new Set(entries.flatMap(({ implementations }) => implementations))];
    for (const implementation of own)
      this.looks.set(implementation, {
        implementation,
        name: shortName(implementation),
        letter: 'lib',
        colour: () => theme().muted,
        fill: () => theme().grid,
      });
    // The seven colours go to what is seen on the map before they are used again.
    for (const implementation of [
      ...names.filter((one) => best.has(one)),
      ...names.filter((one) => !best.has(one)),
    ].filter((one) => !own.has(one))) {
      const index = this.looks.size - own.size;
      const colour = (): string => theme().series[index % theme().series.length] as string;
      this.looks.set(implementation, {
        implementation,
        name: shortName(implementation),
        letter: letterOf(index),
        colour,
        fill: colour,
      });
    }
    this.winners = [...this.looks.values()].filter(
      ({ implementation }) => best.has(implementation) || own.has(implementation),
    );
  }

  of(implementation: string): AlgorithmLook {
    return (
      this.looks.get(implementation) ?? {
        implementation,
        name: shortName(implementation),
        letter: '?',
        colour: () => theme().muted,
        fill: () => theme().grid,
      }
    );
  }
}
