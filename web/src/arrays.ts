// Decodes the number arrays of a report into typed arrays when they are first used.
import type { NumberArray } from "./report";

export type Numbers = Float32Array | Float64Array;

const decoded = new WeakMap<object, Numbers>();
const EMPTY = new Float64Array(0);

export function numbers(array: NumberArray | undefined): Numbers {
  if (array === undefined) return EMPTY;
  let result = decoded.get(array);
  if (result === undefined) {
    result = decode(array);
    decoded.set(array, result);
  }
  return result;
}

function decode(array: NumberArray): Numbers {
  if (Array.isArray(array)) return Float64Array.from(array, (x) => x ?? NaN);
  if ("f32" in array) return fromBytes(array.f32, 4, (view, at) => view.getFloat32(at, true));
  return fromBytes(array.f64, 8, (view, at) => view.getFloat64(at, true));
}

const LITTLE_ENDIAN = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function fromBytes(text: string, size: 4 | 8, read: (view: DataView, at: number) => number): Numbers {
  const characters = atob(text);
  const length = Math.floor(characters.length / size);
  const bytes = new Uint8Array(length * size);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = characters.charCodeAt(i);
  if (LITTLE_ENDIAN) return size === 4 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
  const view = new DataView(bytes.buffer);
  return Float64Array.from({ length }, (_, i) => read(view, i * size));
}

// Returns the smallest and largest finite value of several arrays, or null if there is none.
export function extent(...arrays: ArrayLike<number>[]): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const array of arrays) {
    for (let i = 0; i < array.length; ++i) {
      const value = array[i]!;
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  return low <= high ? [low, high] : null;
}

// Returns the index of the first of the increasing values that is not below x.
export function lowerBound(values: ArrayLike<number>, x: number): number {
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (values[middle]! < x) from = middle + 1;
    else to = middle;
  }
  return from;
}

// Returns the value at x, interpolated linearly between increasing grid points, or NaN outside of
// the grid.
export function interpolate(grid: ArrayLike<number>, values: ArrayLike<number>, x: number): number {
  const i = lowerBound(grid, x);
  if (i < grid.length && grid[i] === x) return values[i] ?? NaN;
  if (i === 0 || i >= grid.length) return NaN;
  const share = (x - grid[i - 1]!) / (grid[i]! - grid[i - 1]!);
  return (values[i - 1] ?? NaN) * (1 - share) + (values[i] ?? NaN) * share;
}

export function countFinite(values: ArrayLike<number>): number {
  let count = 0;
  for (let i = 0; i < values.length; ++i) if (Number.isFinite(values[i])) ++count;
  return count;
}

export function median(values: ArrayLike<number>): number {
  const finite = Array.from(values).filter(Number.isFinite).sort((a, b) => a - b);
  return finite.length === 0 ? NaN : finite[finite.length >> 1]!;
}
