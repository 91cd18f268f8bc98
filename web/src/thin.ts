// Thins points but keeps extremes: the lowest and the highest point of each column of pixels stay.
import { lowerBound } from "./arrays";

export interface Thinned {
  all: boolean; // true if every point of the range is included
  indices: number[]; // The order is that of time; there are two per column if points were left out.
  seen: number; // the number of points in the range
}

// Returns the points with from <= times <= to, thinned to `columns` columns if there are more than
// `most`. Times must not decrease, and NaN values are ignored.
export function thin(
  times: ArrayLike<number>, values: ArrayLike<number>, from: number, to: number, columns: number, most: number,
): Thinned {
  const first = lowerBound(times, from);
  let last = lowerBound(times, to);
  while (last < times.length && times[last]! <= to) ++last;
  last = Math.min(last, values.length);
  return last - first <= most ? keepAll(values, first, last) : keepExtremes(times, values, first, last, from, to, columns);
}

function keepAll(values: ArrayLike<number>, first: number, last: number): Thinned {
  const indices: number[] = [];
  for (let i = first; i < last; ++i) if (Number.isFinite(values[i])) indices.push(i);
  return { all: true, indices, seen: indices.length };
}

function keepExtremes(
  times: ArrayLike<number>, values: ArrayLike<number>, first: number, last: number, from: number, to: number,
  columns: number,
): Thinned {
  const indices: number[] = [];
  const scale = columns / (to - from || 1);
  let seen = 0;
  let column = -1;
  let lowest = -1;
  let highest = -1;
  const flush = () => {
    if (lowest < 0) return;
    indices.push(Math.min(lowest, highest));
    if (lowest !== highest) indices.push(Math.max(lowest, highest));
  };
  for (let i = first; i < last; ++i) {
    const value = values[i]!;
    if (!Number.isFinite(value)) continue;
    ++seen;
    const here = Math.floor((times[i]! - from) * scale);
    if (here !== column) {
      flush();
      column = here;
      lowest = highest = i;
    } else if (value < values[lowest]!) {
      lowest = i;
    } else if (value > values[highest]!) {
      highest = i;
    }
  }
  flush();
  return { all: indices.length === seen, indices, seen };
}
