// Evenly spaced streamlines of a field on the plane, after B. Jobard and W. Lefer, Creating
// evenly-spaced streamlines of arbitrary density, Eurographics Workshop on Visualization in
// Scientific Computing (1997): new lines start at a given distance from existing ones, and a line
// ends where it comes too close to another.

export type Point = [number, number];
// A function that returns the direction at a point in pixels per unit of time, or null outside of
// the field.
export type Direction = (x: number, y: number) => Point | null;

const STEP = 2; // the length of a step in pixels
const NEAR = 0.5; // A line ends where it is closer to another than this share of the distance.
const SHORTEST = 1.2; // Lines shorter than this multiple of the distance are left out.
const MOST_POINTS = 2000;

export function streamlines(field: Direction, width: number, height: number, distance: number): Point[][] {
  const lines: Point[][] = [];
  const taken = new Neighbours(width, height, distance);
  const waiting: Point[] = starts(width, height, distance);
  const grow = (start: Point) => {
    if (start[0] < 0 || start[1] < 0 || start[0] > width || start[1] > height) return;
    if (!taken.free(start, distance * 0.95)) return;
    const line = follow(field, start, taken, width, height, distance);
    if (line.length * STEP < SHORTEST * distance) return;
    lines.push(line);
    for (const point of line) taken.add(point);
    waiting.push(...beside(line, distance));
  };
  // Starts beside the newest line are tried first, which keeps lines evenly spaced.
  while (waiting.length > 0) grow(waiting.pop()!);
  return lines;
}

// Returns a coarse grid of starts; the middle comes last, because the first line begins there.
function starts(width: number, height: number, distance: number): Point[] {
  const result: Point[] = [];
  for (let y = distance / 2; y < height; y += distance) {
    for (let x = distance / 2; x < width; x += distance) result.push([x, y]);
  }
  const away = ([x, y]: Point) => (x - width / 2) ** 2 + (y - height / 2) ** 2;
  return result.sort((a, b) => away(b) - away(a));
}

function beside(line: Point[], distance: number): Point[] {
  const result: Point[] = [];
  const every = Math.max(1, Math.round(distance / STEP));
  for (let i = 0; i + 1 < line.length; i += every) {
    const [x, y] = line[i]!;
    const [dx, dy] = [line[i + 1]![0] - x, line[i + 1]![1] - y];
    const scale = distance / (Math.hypot(dx, dy) || 1);
    result.push([x - dy * scale, y + dx * scale], [x + dy * scale, y - dx * scale]);
  }
  return result;
}

function follow(field: Direction, start: Point, taken: Neighbours, width: number, height: number, distance: number): Point[] {
  const ahead = trace(field, start, 1, taken, width, height, distance, []);
  const behind = trace(field, start, -1, taken, width, height, distance, ahead);
  return [...behind.reverse(), start, ...ahead];
}

function trace(
  field: Direction, start: Point, sign: 1 | -1, taken: Neighbours, width: number, height: number, distance: number,
  before: Point[],
): Point[] {
  const own = new Neighbours(width, height, distance);
  const line: Point[] = [];
  // A line may not run into itself, except into its latest points.
  const lag = Math.ceil((2 * distance) / STEP);
  before.slice(lag).forEach((point) => own.add(point));
  let at: Point | null = start;
  while (line.length < MOST_POINTS) {
    at = advance(field, at, sign);
    if (at === null || at[0] < 0 || at[1] < 0 || at[0] > width || at[1] > height) break;
    if (!taken.free(at, distance * NEAR) || !own.free(at, distance * NEAR)) break;
    line.push(at);
    if (line.length > lag) own.add(line[line.length - 1 - lag]!);
  }
  return line;
}

// Returns the point after one step of the midpoint rule along the field's direction.
function advance(field: Direction, [x, y]: Point, sign: 1 | -1): Point | null {
  const first = unit(field(x, y));
  if (first === null) return null;
  const middle = unit(field(x + (sign * STEP * first[0]) / 2, y + (sign * STEP * first[1]) / 2));
  return middle === null ? null : [x + sign * STEP * middle[0], y + sign * STEP * middle[1]];
}

function unit(direction: Point | null): Point | null {
  if (direction === null) return null;
  const length = Math.hypot(direction[0], direction[1]);
  return length > 1e-12 && Number.isFinite(length) ? [direction[0] / length, direction[1] / length] : null;
}

// Stores points in cells as wide as the distance, so that all points near a place are in the cell
// around it and the eight cells beside that.
class Neighbours {
  private readonly columns: number;
  private readonly cells: Point[][];

  constructor(width: number, height: number, private readonly size: number) {
    this.columns = Math.ceil(width / size) + 1;
    this.cells = Array.from({ length: this.columns * (Math.ceil(height / size) + 1) }, () => []);
  }

  add(point: Point): void {
    this.cells[this.column(point[0]) + this.columns * this.column(point[1])]?.push(point);
  }

  free([x, y]: Point, radius: number): boolean {
    const [column, row] = [this.column(x), this.column(y)];
    for (let j = row - 1; j <= row + 1; ++j) {
      for (let i = Math.max(0, column - 1); i <= Math.min(this.columns - 1, column + 1); ++i) {
        for (const [px, py] of this.cells[i + this.columns * j] ?? []) {
          if ((px - x) ** 2 + (py - y) ** 2 < radius * radius) return false;
        }
      }
    }
    return true;
  }

  private column(x: number): number {
    return Math.floor(x / this.size);
  }
}
