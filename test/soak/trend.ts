/** Whether a row of samples grows. */

export interface Trend {
  readonly mean: number;
  /** Of the line through the samples, from one sample to the next. */
  readonly slope: number;
  readonly slopeError: number;
  /** Over all samples, as a share of their mean. */
  readonly growth: number;
  /** The slope is above its own noise (two standard errors), and comes to more than a fiftieth of the mean. */
  readonly grows: boolean;
}

/** Ordinary least squares over evenly spaced samples. */
export function trendOf(samples: readonly number[]): Trend {
  const n = samples.length;
  const mean = samples.reduce((sum, y) => sum + y, 0) / n;
  const middle = (n - 1) / 2;
  const spread = samples.reduce((sum, _, x) => sum + (x - middle) ** 2, 0);
  const slope = samples.reduce((sum, y, x) => sum + (x - middle) * (y - mean), 0) / spread;
  const left = samples.reduce((sum, y, x) => sum + (y - mean - slope * (x - middle)) ** 2, 0);
  const slopeError = Math.sqrt(left / Math.max(1, n - 2) / spread);
  const growth = (slope * (n - 1)) / mean;
  return { mean, slope, slopeError, growth, grows: slope > 2 * slopeError && growth > 0.02 };
}
