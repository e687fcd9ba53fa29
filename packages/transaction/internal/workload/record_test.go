package workload

import (
	"math"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

func TestCurveReachesTheSlowestByHalves(t *testing.T) {
	histogram := hdrhistogram.New(leastMicros, mostMicros, digits)
	const count = 10_000
	for at := 1; at <= count; at++ {
		record(histogram, time.Duration(at)*time.Millisecond, 1)
	}
	curve := curveOf(histogram)
	if last := curve[len(curve)-1]; last != [2]float64{100, float64(histogram.Max()) / 1_000} {
		t.Errorf("it ends with %v; the slowest took %d µs", last, histogram.Max())
	}
	for at, point := range curve {
		if exact := point[0] / 100 * count; math.Abs(point[1]-exact) > 1+exact/1_000 {
			t.Errorf("%v %% took at most %v ms, expected %v", point[0], point[1], exact)
		}
		if at > 0 && (point[0] <= curve[at-1][0] || point[1] < curve[at-1][1]) {
			t.Errorf("it goes back from %v to %v", curve[at-1], point)
		}
	}
	// 13 halves until but one of 10,000 is left.
	if points := len(curve); points < 10*ticksPerHalf || points > 16*ticksPerHalf {
		t.Errorf("%d points", points)
	}
}

func TestCurveOfNothingIsEmpty(t *testing.T) {
	if curve := curveOf(hdrhistogram.New(leastMicros, mostMicros, digits)); len(curve) > 1 {
		t.Errorf("%v", curve)
	}
}

func TestSoManyPercentTookNoLonger(t *testing.T) {
	for _, c := range []struct {
		count   int
		percent float64
		at      int
	}{{11, 95, 11}, {20, 95, 19}, {100, 99, 99}, {1_000, 99.9, 999}, {5, 50, 3}, {4, 50, 2}, {1, 99, 1}} {
		histogram := hdrhistogram.New(leastMicros, mostMicros, digits)
		for at := 1; at <= c.count; at++ {
			record(histogram, time.Duration(at)*time.Microsecond, 1)
		}
		if got := histogram.ValueAtPercentile(reached(c.percent, int64(c.count))); got != int64(c.at) {
			t.Errorf("%v %% of %d: the %dth, expected the %dth", c.percent, c.count, got, c.at)
		}
	}
}
