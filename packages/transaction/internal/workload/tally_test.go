package workload

import (
	"errors"
	"iter"
	"testing"
	"time"

	"pronghorn/transaction/internal/client"
)

// kept has what a run told.
type kept struct {
	samples []Sample
	summary Summary
}

func (k *kept) Second(Second)            {}
func (k *kept) Connection(client.Opened) {}
func (k *kept) Sample(sample Sample)     { k.samples = append(k.samples, sample) }
func (k *kept) End(summary Summary)      { k.summary = summary }

func requestsOf(all []client.Result) iter.Seq2[Sample, error] {
	return func(yield func(Sample, error) bool) {
		for _, one := range all {
			if !yield(Sample{0, one}, nil) {
				return
			}
		}
	}
}

func TestTallyCountsWhatAnotherClientSent(t *testing.T) {
	const ms = time.Millisecond
	plan := &Plan{URLs: []string{"https://a.test/"}, Protocol: "h2", Mode: Duration, Seconds: 1, Users: 1, TimeoutMs: 5_000, MaxSamples: 2}
	told := &kept{}
	err := Tally(plan, requestsOf([]client.Result{
		{Due: 0, Sent: 2 * ms, FirstByte: 5 * ms, End: 8 * ms, Handed: 10 * ms, BytesReceived: 7},
		{Due: 10 * ms, Sent: 11 * ms, End: 20 * ms, Error: client.ErrReset, Detail: "ERR_CONNECTION_RESET"},
		{Due: 990 * ms, Sent: 991 * ms, FirstByte: 995 * ms, End: 998 * ms, Handed: 1_002 * ms, BytesReceived: 7},
		{Due: 999 * ms, Error: client.ErrNotSent},
	}), told)
	if err != nil {
		t.Fatal(err)
	}
	got := told.summary
	// Of the last success the page had the end after the run's.
	if got.Succeeded != 2 || got.RequestsPerSecond != 1 || got.WallSeconds != 1.002 || got.BytesReceived != 14 {
		t.Errorf("%d successes, %v a second, %v s, %d bytes", got.Succeeded, got.RequestsPerSecond, got.WallSeconds, got.BytesReceived)
	}
	if got.Errors[client.ErrReset] != 1 || got.Errors[client.ErrNotSent] != 1 || got.Details[client.ErrReset] != "ERR_CONNECTION_RESET" {
		t.Errorf("errors %v, %v", got.Errors, got.Details)
	}
	if got.Latency.Count != 4 || got.Latency.Min != 6 || got.TTFB.Min != 3 || got.Response.Min != 10 || got.Latency.Max < 5_000 {
		t.Errorf("latency %+v, TTFB from %v, response from %v", got.Latency, got.TTFB.Min, got.Response.Min)
	}
	if len(told.samples) != 2 || got.NotSampled != 1 {
		t.Errorf("%d samples, %d not sampled", len(told.samples), got.NotSampled)
	}
}

func TestTallyEndsAtWhatItCannotRead(t *testing.T) {
	plan := &Plan{URLs: []string{"https://a.test/"}, Protocol: "h2", Mode: Count, Requests: 1, Users: 1}
	unread := errors.New("unread")
	err := Tally(plan, func(yield func(Sample, error) bool) { yield(Sample{}, unread) }, &kept{})
	if !errors.Is(err, unread) {
		t.Errorf("got %v", err)
	}
	if err := Tally(&Plan{}, requestsOf(nil), &kept{}); err == nil {
		t.Error("a plan without URLs was taken")
	}
}

// An open loop that is late has successes that waited longer than any request may take: those that failed still were slower.
func TestWhatFailedIsSlowerThanWhatDidNot(t *testing.T) {
	const ms = time.Millisecond
	plan := &Plan{URLs: []string{"https://a.test/"}, Protocol: "h2", Mode: Rate, RequestsPerSecond: 10, Seconds: 1, Users: 1, TimeoutMs: 1_000}
	results := []client.Result{
		{Due: 0, End: 20 * ms, Error: client.ErrRefused},
		{Due: 100 * ms, Sent: 1_990 * ms, End: 1_990 * ms, Error: client.ErrNotSent},
	}
	for n := range 8 {
		due := time.Duration(n) * 10 * ms
		results = append(results, client.Result{Due: due, Sent: due + 1_000*ms, FirstByte: due + 1_050*ms, End: due + 1_100*ms + time.Duration(n)*ms, BytesReceived: 5})
	}
	results = append(results, client.Result{Due: 0, Sent: 0, FirstByte: 1, End: ms, BytesReceived: 3, Error: client.ErrShort})
	told := &kept{}
	if err := Tally(plan, requestsOf(results), told); err != nil {
		t.Fatal(err)
	}
	got := told.summary
	// 8 successes of 1,100 to 1,107 ms and 3 that failed, of which one waited for 1,890 ms.
	if got.Response.Count != 11 || got.Response.P50 > 1_106 || got.Response.P90 < 1_889 || got.Response.P50 < 1_104 {
		t.Errorf("response %+v", got.Response)
	}
	if got.Latency.P90 < 1_000 || got.Latency.P50 > 108 {
		t.Errorf("latency %+v", got.Latency)
	}
	if got.BytesReceived != 43 || got.BytesFinished != 40 {
		t.Errorf("%d bytes, %d of them finished", got.BytesReceived, got.BytesFinished)
	}
}
