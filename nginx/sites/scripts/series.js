// Random walks, smoothing and quantiles of them: the arithmetic behind each chart.
export function walk(seed, length, drift) {
  const values = new Float64Array(length);
  let state = seed >>> 0 || 1;
  let value = 100;
  for (let i = 0; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    value = Math.max(1, value + (((state >>> 0) / 2 ** 32 - 0.5) * 8 + drift));
    values[i] = value;
  }
  return values;
}

export function smooth(values, window) {
  return values.map((_, i) => {
    const part = values.subarray(Math.max(0, i - window), i + window + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

export function quantile(values, share) {
  const sorted = Array.from(values).sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))];
}
