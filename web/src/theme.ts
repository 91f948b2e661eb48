// Colours of charts, light and dark; Okabe and Ito's palette, which the colour-blind can distinguish.

export interface Theme {
  text: string;
  muted: string;
  line: string;
  grid: string;
  surface: string;
  series: string[];
  heat: string[];
  /** What the end of that looks like. */
  heavy: string;
  accent: string;
  /** The picked size as a line, and as a cell. */
  picked: string;
  frame: string;
  /** Verdicts of comparisons, which have a shape and a word too. */
  slower: string;
  faster: string;
}

const light: Theme = {
  text: '#1b1f24',
  muted: '#57606a',
  line: '#8c959f',
  grid: '#e6e9ed',
  surface: '#ffffff',
  series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000'],
  heat: ['#f2f7fb', '#b9d7ea', '#6aaed3', '#2778b2', '#0b3c66'],
  heavy: 'Darker',
  accent: '#0072b2',
  picked: '#57606a',
  frame: '#d55e00',
  slower: '#c04a00',
  faster: '#0072b2',
};
const dark: Theme = {
  text: '#e6e9ed',
  muted: '#9ba5b0',
  line: '#6b7580',
  grid: '#2c333b',
  surface: '#161b22',
  series: ['#56b4e9', '#e69f00', '#2fc79a', '#e29bc4', '#f0e442', '#d55e00', '#ffffff'],
  heat: ['#15212d', '#1c4a70', '#2f7fb5', '#74bbe3', '#e3f3fc'],
  heavy: 'Brighter',
  accent: '#56b4e9',
  picked: '#c9d1d9',
  frame: '#e69f00',
  slower: '#f5873d',
  faster: '#56b4e9',
};

type Choice = 'auto' | 'light' | 'dark';
const system = matchMedia('(prefers-color-scheme: dark)');
let choice: Choice = 'auto';
let printing = false;
const listeners: (() => void)[] = [];

export const theme = (): Theme => {
  const wanted = printing ? false : choice === 'auto' ? system.matches : choice === 'dark';
  return wanted ? dark : light;
};
export const onTheme = (listener: () => void): void => void listeners.push(listener);
const changed = (): void => {
  document.documentElement.dataset['theme'] = choice;
  listeners.forEach((listener) => listener());
};
export const choose = (wanted: Choice): void => {
  choice = wanted;
  changed();
};
/** Paper is white, whatever the screen is. */
export const setPrinting = (on: boolean): void => {
  printing = on;
  changed();
};
system.addEventListener('change', changed);
