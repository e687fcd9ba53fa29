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
	errors                   map[string]int64
	details                  map[string]string
	samples                  []Sample
	maxSamples               int
	// timeout is what a request that failed counts as: it was slower than every one that did not.
	timeout time.Duration
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
	} else {
		t.fail(result.Error, result.Detail, 1)
	}
	if len(t.samples) < t.maxSamples {
		t.samples = append(t.samples, Sample{user, result})
	}
}

// skip counts requests that were planned and not sent.
func (t *tally) skip(count int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fail(client.ErrNotSent, "the time of the run was over", count)
}

func (t *tally) fail(name, detail string, count int64) {
	t.errors[name] += count
	if t.details[name] == "" {
		t.details[name] = detail
	}
	for _, histogram := range []*hdrhistogram.Histogram{t.latency, t.ttfb, t.response} {
		record(histogram, t.timeout, count)
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
	_ = into.RecordValues(min(max(value.Microseconds(), leastMicros), mostMicros), times)
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

func spreadOf(histogram *hdrhistogram.Histogram) (Spread, error) {
	encoded, err := histogram.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return Spread{}, err
	}
	at := func(percent float64) float64 { return float64(histogram.ValueAtPercentile(percent)) / 1_000 }
	return Spread{
		Count: histogram.TotalCount(), Min: float64(histogram.Min()) / 1_000, Mean: histogram.Mean() / 1_000,
		P50: at(50), P90: at(90), P95: at(95), P99: at(99), P999: at(99.9), Max: float64(histogram.Max()) / 1_000,
		Curve: curveOf(histogram), HDR: string(encoded),
	}, nil
}
