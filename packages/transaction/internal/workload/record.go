package workload

import (
	"math"
	"sync"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"pronghorn/transaction/internal/client"
)

// Histograms reach from a microsecond to an hour, with three digits.
const (
	leastMicros = 1
	mostMicros  = int64(time.Hour / time.Microsecond)
	digits      = 3
)

// tally counts requests. Many users share one, since a histogram takes 0.2 MB.
type tally struct {
	mu                      sync.Mutex
	latency, ttfb, response *hdrhistogram.Histogram
	succeeded               int64
	// inTime: within the seconds of the plan.
	inTime                   int64
	bytesSent, bytesReceived int64
	// bytesFinished: received of answers that are successes.
	bytesFinished int64
	errors        map[string]int64
	details       map[string]string
	samples       []Sample
	maxSamples    int
	// failed requests are entered at the end, all as the slowest: as long as timeout, or as the longest that a request was waited for where that is longer, as at
	// a fixed rate it can be.
	failed           int64
	timeout, longest time.Duration
}

// Sample is one request of a run.
type Sample struct {
	User int
	client.Result
}

func newTally(maxSamples int, timeout time.Duration) *tally {
	histogram := func() *hdrhistogram.Histogram { return hdrhistogram.New(leastMicros, mostMicros, digits) }
	return &tally{
		latency: histogram(), ttfb: histogram(), response: histogram(),
		errors: map[string]int64{}, details: map[string]string{}, maxSamples: maxSamples, timeout: timeout,
	}
}

func (t *tally) add(user int, result client.Result, inTime bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bytesSent += result.BytesSent
	t.bytesReceived += result.BytesReceived
	if result.Error == "" {
		t.succeeded++
		if inTime {
			t.inTime++
		}
		record(t.latency, result.Latency(), 1)
		record(t.ttfb, result.TTFB(), 1)
		record(t.response, result.Response(), 1)
		t.bytesFinished += result.BytesReceived
		t.longest = max(t.longest, result.Response())
	} else {
		t.fail(result.Error, result.Detail, 1, result.Response())
	}
	if len(t.samples) < t.maxSamples {
		t.samples = append(t.samples, Sample{user, result})
	}
}

// skip counts requests that were planned and not sent, after they had been due for so long.
func (t *tally) skip(count int64, waited time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fail(client.ErrNotSent, "the time of the run was over", count, waited)
}

func (t *tally) fail(name, detail string, count int64, waited time.Duration) {
	t.errors[name] += count
	if t.details[name] == "" {
		t.details[name] = detail
	}
	t.failed += count
	t.longest = max(t.longest, waited)
}

// enterFailures makes every request that failed slower than each that did not. It is the last that is entered.
func (t *tally) enterFailures() {
	record(t.response, max(t.timeout, t.longest), t.failed)
	for _, histogram := range []*hdrhistogram.Histogram{t.latency, t.ttfb} {
		record(histogram, max(t.timeout, time.Duration(histogram.Max())*time.Microsecond), t.failed)
	}
}

func (t *tally) merge(other *tally) {
	t.latency.Merge(other.latency)
	t.ttfb.Merge(other.ttfb)
	t.response.Merge(other.response)
	t.succeeded += other.succeeded
	t.inTime += other.inTime
	t.bytesSent += other.bytesSent
	t.bytesReceived += other.bytesReceived
	t.bytesFinished += other.bytesFinished
	t.failed += other.failed
	t.longest = max(t.longest, other.longest)
	for name, count := range other.errors {
		t.errors[name] += count
		if t.details[name] == "" {
			t.details[name] = other.details[name]
		}
	}
	t.samples = append(t.samples, other.samples...)
}

// record never fails: what is out of the histogram's reach is at its end.
func record(into *hdrhistogram.Histogram, value time.Duration, times int64) {
	if times > 0 {
		_ = into.RecordValues(min(max(value.Microseconds(), leastMicros), mostMicros), times)
	}
}

// Spread is a distribution in milliseconds.
type Spread struct {
	Count int64   `json:"count"`
	Min   float64 `json:"min"`
	Mean  float64 `json:"mean"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	P999  float64 `json:"p999"`
	Max   float64 `json:"max"`
	// Curve is the distribution by percentile, as HdrHistogram's plots have it: so much of 100 took at most so many milliseconds. Its steps halve towards 100.
	Curve [][2]float64 `json:"curve"`
	// HDR is the histogram, of microseconds, as HdrHistogram encodes it (V2, compressed, base64).
	HDR string `json:"hdr"`
}

// ticksPerHalf is how many points of a curve lie between one percentile and the one half as far from 100.
const ticksPerHalf = 5

func curveOf(histogram *hdrhistogram.Histogram) [][2]float64 {
	curve := [][2]float64{}
	for _, bracket := range histogram.CumulativeDistributionWithTicks(ticksPerHalf) {
		// Buckets end beyond the largest value that was recorded.
		micros := min(bracket.ValueAt, histogram.Max())
		curve = append(curve, [2]float64{math.Round(bracket.Quantile*1e4) / 1e4, float64(micros) / 1_000})
	}
	return curve
}

// reached is the percentile of the first of so many values that at least percent of them do not exceed. The library takes the nearest one: of 11 it
// has the tenth for 95 %, which 9 % exceed.
func reached(percent float64, count int64) float64 {
	if count == 0 {
		return percent
	}
	const rounding = 1e-9
	return math.Ceil(percent/100*float64(count)-rounding) / float64(count) * 100
}

func spreadOf(histogram *hdrhistogram.Histogram) (Spread, error) {
	encoded, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return Spread{}, err
	}
	at := func(percent float64) float64 {
		return float64(histogram.ValueAtPercentile(reached(percent, histogram.TotalCount()))) / 1_000
	}
	return Spread{
		Count: histogram.TotalCount(), Min: float64(histogram.Min()) / 1_000, Mean: histogram.Mean() / 1_000,
		P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: float64(histogram.Max()) / 1_000,
		Curve: curveOf(histogram), HDR: string(encoded),
	}, nil
}
