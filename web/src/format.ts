// Numbers as people read them; the same words as `fathom show`.

/** Three digits, and more where values that are `step` apart would look the same. */
const significant = (value: number, step = Infinity): string => {
  const size = Math.abs(value);
  const usual = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return size === 0 ? '0' : value.toFixed(Math.max(usual, Math.min(9, -Math.floor(Math.log10(step) + 1e-9))));
};

const scaled = (value: number, step: number, units: [number, string][]): string => {
  const last = units[units.length - 1] as [number, string];
  const [scale, unit] = units.find(([from]) => Math.abs(value) >= from * 0.9995) ?? last;
  return `${significant(value / scale, step / scale)}\u00a0${unit}`;
};

/** `212 ns`, `5.61 us`; `226.655 us` beside others that are 1 ns apart. */
export const time = (ns: number | null | undefined, step = Infinity): string =>
  ns == null
    ? '-'
    : scaled(ns, step, [
        [1e9, 's'],
        [1e6, 'ms'],
        [1e3, '\u00b5s'],
        [1, 'ns'],
      ]);

export const rate = (bytes: number | null | undefined, step = Infinity): string =>
  bytes == null
    ? '-'
    : scaled(bytes, step, [
        [1e12, 'TB/s'],
        [1e9, 'GB/s'],
        [1e6, 'MB/s'],
        [1e3, 'kB/s'],
        [1, 'B/s'],
      ]);

/** For ticks, which are round: `10 us`, `0.5 ms`. */
export const timeTick = (ns: number, step: number): string => short(time(ns, step));
export const rateTick = (bytes: number, step: number): string => short(rate(bytes, step));
const short = (text: string): string => text.replace(/(\.\d*?)0+(?=\u00a0)/, '$1').replace(/\.(?=\u00a0)/, '');

/** `8 B`, `64 KiB`; exact multiples have no decimals. */
export const bytes = (size: number): string => {
  for (const [scale, unit] of [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [1024, 'KiB'],
  ] as const) {
    if (size >= scale) return `${size % scale === 0 ? size / scale : significant(size / scale)}\u00a0${unit}`;
  }
  return `${size}\u00a0B`;
};

/** No digit is dropped: `4 040 B`. */
export const exactBytes = (size: number): string => (size % 1024 === 0 ? bytes(size) : `${count(size)}\u00a0B`);

export const percent = (share: number | null | undefined): string => {
  if (share == null) return '-';
  const value = share * 100;
  return `${+(Math.abs(value) >= 10 ? value.toFixed(1) : value.toPrecision(2))}\u00a0%`;
};

/** A ratio as a change, as `fathom compare` has it: `+48.9 %`, or `85.0 times`. */
export const change = (ratio: number): string => {
  const share = (ratio - 1) * 100;
  return share > 1000
    ? `${ratio.toFixed(ratio < 10 ? 2 : ratio < 100 ? 1 : 0)} times`
    : `${share < 0 ? '\u2212' : '+'}${Math.abs(share).toFixed(Math.abs(share) < 100 ? 1 : 0)}\u00a0%`;
};

export const count = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** `5.58 us .. 5.66 us`; an end at zero is not known where only what is above it makes sense. */
export const interval = (ends: readonly [number, number], text: (value: number) => string): string =>
  ends.map((end) => (Number.isFinite(end) && (end > 0 || ends[1] === 0) ? text(end) : 'unknown')).join(' .. ');

/** A line of a tooltip, where there is an interval. */
export const interval95 = (ends: readonly [number, number] | null | undefined): string =>
  ends ? `\n95 % interval ${interval(ends, time)}` : '';

export const processes = (procs: number): string => (procs === 1 ? '1 process' : `${procs} processes`);

export const plural = (n: number, word: string, words = `${word}s`): string =>
  n === 1 ? `1 ${word}` : `${count(n)} ${words}`;

/** Ranks as `0-3, 7`. */
export const ranks = (list: number[]): string => {
  const parts: string[] = [];
  for (let i = 0; i < list.length; i++) {
    let end = i;
    while (end + 1 < list.length && list[end + 1] === (list[end] as number) + 1) end++;
    parts.push(end > i ? `${list[i]}-${list[end]}` : `${list[i]}`);
    i = end;
  }
  return parts.join(', ');
};
