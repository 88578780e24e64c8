/** Pseudo-random numbers in [0, 1) from a fixed seed (mulberry32), the same in every run. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random integer from `least` to `most`, inclusive. */
export function randomInteger(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
