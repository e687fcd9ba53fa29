package workload

import (
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"pronghorn/transaction/internal/client"
)

// Tally adds up requests that another client sent by a plan, as if Run had sent them. What it can't know of connections, packets and costs
// stays empty in the summary.
func Tally(plan *Plan, requests iter.Seq2[Sample, error], sink Sink) error {
	if err := plan.Check(); err != nil {
		return err
	}
	all := newTally(plan.MaxSamples, plan.timeout())
	var wall time.Duration
	for sample, err := range requests {
		if err != nil {
			return err
		}
		if sample.Error == client.ErrNotSent {
			all.skip(1, sample.Response())
			continue
		}
		end := max(sample.End, sample.Handed)
		wall = max(wall, end)
		all.add(sample.User, sample.Result, end <= plan.limit())
	}
	summary, err := all.sum(plan, wall)
	if err != nil {
		return err
	}
	for _, sample := range all.samples {
		sink.Sample(sample)
	}
	sink.End(summary)
	return nil
}

// sum is what a tally tells of a run of so long, once.
func (t *tally) sum(plan *Plan, wall time.Duration) (Summary, error) {
	t.enterFailures()
	counted, seconds := t.succeeded, wall.Seconds()
	if plan.Mode != Count {
		counted, seconds = t.inTime, plan.limit().Seconds()
	}
	summary := Summary{
		Protocol: plan.Protocol, Succeeded: t.succeeded, Errors: t.errors, Details: t.details,
		WallSeconds: wall.Seconds(), RequestsPerSecond: float64(counted) / math.Max(seconds, 1e-9),
		BytesSent: t.bytesSent, BytesReceived: t.bytesReceived, BytesFinished: t.bytesFinished,
	}
	if plan.Mode == Count {
		summary.Planned = int64(plan.Users) * int64(plan.Requests)
	}
	summary.NotSampled = t.succeeded - int64(len(t.samples))
	for name, count := range t.errors {
		if name != client.ErrNotSent {
			summary.NotSampled += count
		}
	}
	for _, each := range []struct {
		into *Spread
		of   *hdrhistogram.Histogram
	}{{&summary.Latency, t.latency}, {&summary.TTFB, t.ttfb}, {&summary.Response, t.response}} {
		spread, err := spreadOf(each.of)
		if err != nil {
			return Summary{}, fmt.Errorf("histogram: %w", err)
		}
		*each.into = spread
	}
	return summary, nil
}
