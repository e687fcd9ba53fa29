// From values to places on a chart.
export function scale(from, to, low, high) {
  const factor = to === from ? 0 : (high - low) / (to - from);
  return (value) => low + (value - from) * factor;
}
