package workload

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"pronghorn/transaction/internal/client"
	"pronghorn/transaction/internal/clock"
	"pronghorn/transaction/internal/target"
	"pronghorn/transaction/internal/usage"
)

// Sink gets what a run tells, while it runs and at its end. Its methods are called one at a time.
type Sink interface {
	Second(Second)
	Connection(client.Opened)
	Sample(Sample)
	End(Summary)
}

// Second is what was done by the end of a second of the run.
type Second struct {
	At            int   `json:"at"`
	Succeeded     int64 `json:"succeeded"`
	Failed        int64 `json:"failed"`
	BytesReceived int64 `json:"bytesReceived"`
	BytesSent     int64 `json:"bytesSent"`
}

// Summary is all of a run in figures. Times in milliseconds, sizes in bytes.
type Summary struct {
	Protocol string `json:"protocol"`
	// Planned is 0 where time ends the run. Succeeded and the errors add up to what was sent and, of a count, to what was planned.
	Planned   int64             `json:"planned"`
	Succeeded int64             `json:"succeeded"`
	Errors    map[string]int64  `json:"errors"`
	Details   map[string]string `json:"details"`
	// WallSeconds is from the first request due to the last end.
	WallSeconds float64 `json:"wallSeconds"`
	// RequestsPerSecond counts successes; where time ends the run, those within it.
	RequestsPerSecond float64 `json:"requestsPerSecond"`
	BytesSent         int64   `json:"bytesSent"`
	BytesReceived     int64   `json:"bytesReceived"`
	// BytesFinished are those received of answers that are successes.
	BytesFinished int64 `json:"bytesFinished"`
	// Latency is from the first byte sent to the last received; TTFB to the first received; Response from when it was due.
	Latency  Spread `json:"latency"`
	TTFB     Spread `json:"ttfb"`
	Response Spread `json:"response"`
	// Connections opened, before the run (warm) and in it.
	ConnectionsBefore int `json:"connectionsBefore"`
	Connections       int `json:"connections"`
	// SentAgain is how often a request was sent once more, because the server had not processed it: it takes so many on a connection and no more.
	SentAgain int64 `json:"sentAgain"`
	// Traffic adds up what is known of connections that were not Go's own pool's.
	Traffic client.Traffic `json:"traffic"`
	// Client is what this process took from the begin of the run to its end, Server the same of the built-in server; nil: not asked, or not told.
	Client usage.Process  `json:"client"`
	Server *usage.Process `json:"server"`
	// Handshake is the median of the handshakes in milliseconds; nil: no connection was opened.
	Handshake *float64 `json:"handshake"`
	EarlyData int      `json:"earlyData"`
	// NotSampled is how many requests are in figures alone.
	NotSampled int64 `json:"notSampled"`
}

// run is one plan at work.
type run struct {
	plan     *Plan
	requests []*client.Request
	protocol client.Protocol
	dialer   *client.Dialer
	ledger   ledger
	tallies  []*tally
	begun    time.Time
	// done and the others are for what is told each second.
	succeeded, failed, received, sent atomic.Int64
	next                              atomic.Int64
	// again counts requests that were sent once more.
	again atomic.Int64
}

// Run performs a plan. What becomes of requests is in its summary; it fails only where none could be sent at all: a plan that is wrong.
func Run(ctx context.Context, plan *Plan, sink Sink) error {
	if err := plan.Check(); err != nil {
		return err
	}
	r, err := prepare(plan)
	if err != nil {
		return err
	}
	routes := r.routes(ctx)
	if plan.State == Warm {
		r.warm(ctx, routes)
	}
	opened, _ := r.ledger.read()
	r.ledger.before = len(opened)

	askServer, leaveServer := r.serverUsage(ctx)
	defer leaveServer()
	serverBefore := askServer(true)
	before, err := usage.Self()
	if err != nil {
		return err
	}
	r.begun = time.Now()
	told := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		defer close(told)
		r.tellSeconds(sink, ended)
	}()
	r.work(ctx, routes)
	wall := time.Since(r.begun)
	close(ended)
	<-told
	after, err := usage.Self()
	if err != nil {
		return err
	}
	serverAfter := askServer(false)
	for _, route := range routes {
		route.renew()
	}
	return r.tell(sink, wall, *took(&before, &after), took(serverBefore, serverAfter))
}

// took is what was used between two readings; nil where one of them is missing.
func took(before, after *usage.Process) *usage.Process {
	if before == nil || after == nil {
		return nil
	}
	return &usage.Process{CPUSeconds: after.CPUSeconds - before.CPUSeconds, PeakMemory: after.PeakMemory}
}

// serverUsage opens a connection of its own by which the built-in server is asked what it took, so that no handshake is in what it tells. Nil is told where the plan
// does not ask for it, and where nobody answers.
func (r *run) serverUsage(ctx context.Context) (ask func(reset bool) *usage.Process, leave func()) {
	nothing := func(bool) *usage.Process { return nil }
	if !r.plan.AskUsage {
		return nothing, func() {}
	}
	opening, cancel := context.WithTimeout(ctx, r.plan.timeout())
	defer cancel()
	conn, err := r.dialer.Open(opening)
	if err != nil {
		return nothing, func() {}
	}
	at := *r.requests[0].URL
	ask = func(reset bool) *usage.Process {
		ctx, cancel := context.WithTimeout(ctx, r.plan.timeout())
		defer cancel()
		at.Path, at.RawQuery = target.UsagePath, ""
		if reset {
			at.RawQuery = "reset=1"
		}
		response, err := conn.RoundTrip((&http.Request{Method: http.MethodGet, URL: &at, Host: at.Host, Header: http.Header{}}).WithContext(ctx))
		if err != nil {
			return nil
		}
		defer func() { _ = response.Body.Close() }()
		var told usage.Process
		if response.StatusCode != http.StatusOK || json.NewDecoder(response.Body).Decode(&told) != nil {
			return nil
		}
		// Unread, even the end of a body would break the connection.
		_, _ = io.Copy(io.Discard, response.Body)
		return &told
	}
	return ask, func() { _ = conn.Close() }
}

func prepare(plan *Plan) (*run, error) {
	protocol, err := client.ParseProtocol(plan.Protocol)
	if err != nil {
		return nil, err
	}
	r := &run{plan: plan, protocol: protocol}
	header := http.Header{"User-Agent": {"Pronghorn-Transaction"}}
	for name, value := range plan.Header {
		header.Set(name, value)
	}
	for _, text := range plan.URLs {
		parsed, err := url.Parse(text)
		if err != nil {
			return nil, err
		}
		r.requests = append(r.requests, &client.Request{Method: plan.Method, URL: parsed, Header: header, Body: plan.Body})
	}
	at := r.requests[0].URL
	port := at.Port()
	if port == "" {
		port = "443"
	}
	r.dialer = &client.Dialer{
		Protocol: protocol, Address: net.JoinHostPort(at.Hostname(), port), At: plan.At, EarlyData: plan.EarlyData,
	}
	if plan.EarlyData {
		r.dialer.Tickets = tls.NewLRUClientSessionCache(plan.Users)
	}
	if plan.Authority != "" {
		r.dialer.Roots = x509.NewCertPool()
		if !r.dialer.Roots.AppendCertsFromPEM([]byte(plan.Authority)) {
			return nil, errors.New("authority: no PEM certificate")
		}
	}
	shards := min(plan.Users, 4*runtime.GOMAXPROCS(0))
	for range shards {
		r.tallies = append(r.tallies, newTally((plan.MaxSamples+shards-1)/shards, plan.timeout()))
	}
	return r, nil
}

// routes returns that of each user.
func (r *run) routes(ctx context.Context) []route {
	routes := make([]route, r.plan.Users)
	if r.plan.Connections == Pool {
		trip, closeAll := r.dialer.Pool(r.ledger.open)
		shared := &pool{trip, closeAll}
		for i := range routes {
			routes[i] = shared
		}
		return routes
	}
	connections := r.plan.Users
	if r.plan.Connections == Shared {
		connections = r.plan.Shared
	}
	of := make([]*single, connections)
	for i := range of {
		of[i] = &single{run: ctx, dialer: r.dialer, ledger: &r.ledger}
	}
	for i := range routes {
		routes[i] = of[i%connections]
	}
	return routes
}

// warm opens each connection and has it answer once, which is not counted. What fails now fails again when it counts.
func (r *run) warm(ctx context.Context, routes []route) {
	seen := map[route]bool{}
	var all sync.WaitGroup
	send := func(route route) {
		all.Go(func() { r.call(ctx, client.NewCaller(time.Now(), false), route, r.requests[0]) })
	}
	for _, route := range routes {
		if !seen[route] {
			seen[route] = true
			send(route)
		}
	}
	all.Wait()
	// Go's pool opens a connection of HTTP/1.1 for each request at a time, and keeps them.
	if r.plan.Connections == Pool && r.protocol == client.H1 {
		for _, route := range routes {
			send(route)
		}
		all.Wait()
	}
}

// mostTries is how often a request is sent that the server did not process. Where users share a connection of few requests, three are too few.
const mostTries = 5

// call sends one request, on a connection that it may have to open, and once more where the server did not process it: its times are from the first try.
func (r *run) call(ctx context.Context, caller *client.Caller, route route, request *client.Request) client.Result {
	ctx, cancel := context.WithTimeout(ctx, r.plan.timeout())
	defer cancel()
	sent, opened := time.Duration(0), false
	for tries := 0; ; {
		result := r.try(ctx, caller, route, request)
		// One that was never sent, since others had used up the connection that they share, is no try.
		if result.Opened || !result.NotSent {
			tries++
		}
		if sent == 0 && !result.NotSent {
			sent = result.Sent
		}
		opened = opened || result.Opened
		if !result.SendAgain || tries == mostTries || ctx.Err() != nil {
			if result.Opened = opened; sent != 0 {
				result.Sent = sent
			}
			// It would have been sent again.
			if result.SendAgain && ctx.Err() == context.DeadlineExceeded {
				result.Error = client.ErrTimeout
			}
			return result
		}
		if !result.NotSent {
			r.again.Add(1)
		}
	}
}

func (r *run) try(ctx context.Context, caller *client.Caller, route route, request *client.Request) client.Result {
	trip, connection, opened, err := route.take(ctx)
	if err != nil {
		now := caller.Now()
		name := client.NameOf(err)
		if ctx.Err() == context.DeadlineExceeded {
			name = client.ErrTimeout
		}
		return client.Result{Sent: now, End: now, Opened: opened, Error: name, Detail: err.Error()}
	}
	result := caller.Call(ctx, trip, r.protocol, request)
	route.release(trip)
	result.Connection, result.Opened = connection, opened
	return result
}

// work sends all that is planned, and returns when the last has ended.
func (r *run) work(ctx context.Context, routes []route) {
	var due <-chan time.Duration
	if r.plan.Mode == Rate {
		due = r.schedule(ctx)
	}
	var users sync.WaitGroup
	for user := range r.plan.Users {
		users.Go(func() {
			caller := client.NewCaller(r.begun, r.plan.EarlyData)
			tally := r.tallies[user%len(r.tallies)]
			for n := 0; ; n++ {
				at := time.Since(r.begun)
				over := ctx.Err() != nil || at >= r.plan.limit()
				switch r.plan.Mode {
				case Count:
					if n == r.plan.Requests {
						return
					}
					if over {
						r.failed.Add(int64(r.plan.Requests - n))
						tally.skip(int64(r.plan.Requests-n), 0)
						return
					}
				case Duration:
					if over {
						return
					}
				case Rate:
					next, more := <-due
					if !more {
						return
					}
					// What could not even begin within the time of a request after the end stays unsent.
					if ctx.Err() != nil || at >= r.plan.limit()+r.plan.timeout() {
						r.failed.Add(1)
						tally.skip(1, at-next)
						continue
					}
					at = next
				}
				request := r.requests[int(r.next.Add(1)-1)%len(r.requests)]
				result := r.call(ctx, caller, routes[user], request)
				result.Due = at
				r.count(result)
				tally.add(user, result, result.End <= r.plan.limit())
				if r.plan.State == Each {
					routes[user].renew()
				}
			}
		})
	}
	users.Wait()
}

func (r *run) count(result client.Result) {
	if result.Error == "" {
		r.succeeded.Add(1)
	} else {
		r.failed.Add(1)
	}
	r.received.Add(result.BytesReceived)
	r.sent.Add(result.BytesSent)
}

// schedule hands out each moment at which a request is due, when it has come. Who is late gets it late, and its time counts from when it was due.
func (r *run) schedule(ctx context.Context) <-chan time.Duration {
	random := rand.New(rand.NewPCG(r.plan.Seed, 0))
	mean := float64(time.Second) / r.plan.RequestsPerSecond
	due := make(chan time.Duration, r.plan.Users)
	go func() {
		defer close(due)
		at := 0.0
		for n := 1; ctx.Err() == nil; n++ {
			if at >= float64(r.plan.limit()) {
				return
			}
			if clock.Until(ctx, r.begun.Add(time.Duration(at))) != nil {
				return
			}
			due <- time.Duration(at)
			if r.plan.Poisson {
				at += random.ExpFloat64() * mean
			} else {
				at = float64(n) * mean
			}
		}
	}()
	return due
}

func (r *run) tellSeconds(sink Sink, ended <-chan struct{}) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	tell := func(at int) {
		sink.Second(Second{at, r.succeeded.Load(), r.failed.Load(), r.received.Load(), r.sent.Load()})
	}
	for at := 1; ; at++ {
		select {
		case <-ticker.C:
			tell(at)
		case <-ended:
			// The last one of a run that time ends is over with it.
			if r.plan.Mode != Count && time.Duration(at)*time.Second <= r.plan.limit() {
				tell(at)
			}
			return
		}
	}
}

func (r *run) tell(sink Sink, wall time.Duration, took usage.Process, server *usage.Process) error {
	all := r.tallies[0]
	for _, other := range r.tallies[1:] {
		all.merge(other)
	}
	opened, traffic := r.ledger.read()
	for i := range opened {
		opened[i].Settle()
		sink.Connection(opened[i])
	}
	for _, sample := range all.samples {
		sink.Sample(sample)
	}
	summary, err := all.sum(r.plan, wall)
	if err != nil {
		return err
	}
	summary.ConnectionsBefore, summary.Connections = r.ledger.before, len(opened)-r.ledger.before
	summary.SentAgain = r.again.Load()
	summary.Traffic, summary.Client, summary.Server = sum(traffic), took, server
	var handshakes []float64
	for _, opened := range opened {
		handshakes = append(handshakes, opened.HandshakeMs)
		if opened.EarlyData {
			summary.EarlyData++
		}
	}
	if len(handshakes) > 0 {
		slices.Sort(handshakes)
		middle := (handshakes[(len(handshakes)-1)/2] + handshakes[len(handshakes)/2]) / 2
		summary.Handshake = &middle
	}
	sink.End(summary)
	return nil
}

// sum adds up traffic; what one connection doesn't tell, the sum doesn't either.
func sum(traffic []client.Traffic) client.Traffic {
	if len(traffic) == 0 {
		return client.Traffic{}
	}
	total := traffic[0]
	add := func(to, of *uint64) *uint64 {
		if to == nil || of == nil {
			return nil
		}
		both := *to + *of
		return &both
	}
	for _, one := range traffic[1:] {
		total.PacketsSent = add(total.PacketsSent, one.PacketsSent)
		total.PacketsReceived = add(total.PacketsReceived, one.PacketsReceived)
		total.Retransmitted = add(total.Retransmitted, one.Retransmitted)
		total.Dropped = add(total.Dropped, one.Dropped)
		if total.MinRTTMs != nil && one.MinRTTMs != nil && *one.MinRTTMs < *total.MinRTTMs {
			total.MinRTTMs = one.MinRTTMs
		}
	}
	return total
}
