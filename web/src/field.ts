// The posterior's vector field on a grid of two states, transposed if the reader swapped the axes.
import { median, numbers, type Numbers } from "./arrays";
import type { States } from "./report";
import type { Direction } from "./streamlines";

export class Field {
  constructor(
    readonly x: [number, number], readonly y: [number, number], readonly columns: number, readonly rows: number,
    readonly dx: Numbers, readonly dy: Numbers, readonly sdDx: Numbers, readonly sdDy: Numbers,
  ) {}

  // Interpolates linearly between the four surrounding grid points. Returns null outside of the
  // grid.
  at(values: Numbers, x: number, y: number): number | null {
    const column = ((x - this.x[0]) / (this.x[1] - this.x[0])) * (this.columns - 1);
    const row = ((y - this.y[0]) / (this.y[1] - this.y[0])) * (this.rows - 1);
    if (!(column >= 0 && row >= 0 && column <= this.columns - 1 && row <= this.rows - 1)) return null;
    const i = Math.min(Math.floor(column), this.columns - 2);
    const j = Math.min(Math.floor(row), this.rows - 2);
    const [a, b] = [column - i, row - j];
    const k = j * this.columns + i;
    const low = values[k]! * (1 - a) + values[k + 1]! * a;
    const high = values[k + this.columns]! * (1 - a) + values[k + this.columns + 1]! * a;
    return low * (1 - b) + high * b;
  }

  // Returns the field's standard deviation relative to its median speed. Both are measured in
  // widths and heights of the plot.
  uncertainty(): number[] {
    const [wide, high] = [this.x[1] - this.x[0], this.y[1] - this.y[0]];
    const size = (a: Numbers, b: Numbers) => Array.from(a, (value, i) => Math.hypot(value / wide, b[i]! / high));
    const typical = median(size(this.dx, this.dy)) || 1;
    return size(this.sdDx, this.sdDy).map((value) => value / typical);
  }

  // Returns the field's directions in a box of pixels, whose y axis points downwards.
  inPixels(width: number, height: number): Direction {
    const [wide, high] = [this.x[1] - this.x[0], this.y[1] - this.y[0]];
    return (px, py) => {
      const [x, y] = [this.x[0] + (px / width) * wide, this.y[1] - (py / height) * high];
      const dx = this.at(this.dx, x, y);
      const dy = this.at(this.dy, x, y);
      return dx === null || dy === null ? null : [(dx * width) / wide, (-dy * height) / high];
    };
  }
}

// Returns the grid of states x and y with the other states held at an anchor, or undefined if the
// report has none.
export function fieldOf(states: States, x: number, y: number, anchor: number): Field | undefined {
  const grids = states.fields.filter((grid) => grid.anchor === anchor);
  const straight = grids.find((grid) => grid.x === x && grid.y === y);
  const turned = grids.find((grid) => grid.x === y && grid.y === x);
  const grid = straight ?? turned;
  if (grid?.y_range === undefined) return undefined;
  const [dx, dy, sdDx, sdDy] = [grid.dx, grid.dy, grid.sd_dx, grid.sd_dy].map(numbers) as [Numbers, Numbers, Numbers, Numbers];
  if (straight) return new Field(grid.x_range, grid.y_range, grid.columns, grid.rows, dx, dy, sdDx, sdDy);
  const turn = (values: Numbers) => transpose(values, grid.columns, grid.rows);
  return new Field(grid.y_range, grid.x_range, grid.rows, grid.columns, turn(dy), turn(dx), turn(sdDy), turn(sdDx));
}

function transpose(values: Numbers, columns: number, rows: number): Numbers {
  const result = new Float64Array(values.length);
  for (let j = 0; j < rows; ++j) for (let i = 0; i < columns; ++i) result[i * rows + j] = values[j * columns + i]!;
  return result;
}
