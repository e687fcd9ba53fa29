package workload_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quic-go/quic-go"

	"pronghorn/transaction/internal/client"
	"pronghorn/transaction/internal/testserver"
	"pronghorn/transaction/internal/workload"
)

var protocols = []string{"h1", "h2", "h3"}

// kept is all that a run told.
type kept struct {
	seconds     []workload.Second
	connections []client.Opened
	samples     []workload.Sample
	summary     workload.Summary
}

func (k *kept) Second(second workload.Second)   { k.seconds = append(k.seconds, second) }
func (k *kept) Connection(opened client.Opened) { k.connections = append(k.connections, opened) }
func (k *kept) Sample(sample workload.Sample)   { k.samples = append(k.samples, sample) }
func (k *kept) End(summary workload.Summary)    { k.summary = summary }

func perform(t *testing.T, plan workload.Plan) *kept {
	t.Helper()
	told := &kept{}
	if err := workload.Run(t.Context(), &plan, told); err != nil {
		t.Fatal(err)
	}
	return told
}

func eachProtocol(t *testing.T, test func(t *testing.T, protocol string)) {
	eachOf(t, protocols, test)
}

func eachOf(t *testing.T, protocols []string, test func(t *testing.T, protocol string)) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) { test(t, protocol) })
	}
}

// samples are few in the first tier of the tests, and many in the thorough one.
func samples(first, thorough int) int {
	if os.Getenv("PRONGHORN_THOROUGH") == "1" {
		return thorough
	}
	return first
}

func TestCountIsSentWhole(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	eachProtocol(t, func(t *testing.T, protocol string) {
		told := perform(t, workload.Plan{
			URLs: []string{url + "/data?size=100000"}, Protocol: protocol, Mode: workload.Count, Users: 5, Requests: 20, MaxSamples: 100, Authority: authority,
		})
		sum := told.summary
		if sum.Succeeded != 100 || len(sum.Errors) != 0 || len(told.samples) != 100 || sum.NotSampled != 0 {
			t.Errorf("%d succeeded, errors %v %v, %d samples", sum.Succeeded, sum.Errors, sum.Details, len(told.samples))
		}
		if sum.BytesReceived != 100*100_000 {
			t.Errorf("%d bytes", sum.BytesReceived)
		}
		if sum.ConnectionsBefore != 5 || sum.Connections != 0 {
			t.Errorf("%d connections before, %d in the run", sum.ConnectionsBefore, sum.Connections)
		}
		for _, sample := range told.samples {
			if !(sample.Due <= sample.Sent && sample.Sent < sample.FirstByte && sample.FirstByte <= sample.End) {
				t.Errorf("out of order: %+v", sample)
			}
		}
	})
}

// The library's goroutine that sends may run on only when the answer is there: then the first byte comes before its request, or at once. The
// quickest answers of a server, seen on a busy machine, took 9.8 µs.
func TestNoAnswerComesBeforeItsRequest(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	eachProtocol(t, func(t *testing.T, protocol string) {
		told := perform(t, workload.Plan{
			URLs: []string{url + "/ping"}, Protocol: protocol, Mode: workload.Rate, RequestsPerSecond: float64(samples(500, 2_000)), Poisson: true, Seconds: 1, Users: 20, MaxSamples: 4_000, Connections: workload.Shared, Shared: 2, Authority: authority,
		})
		for _, sample := range told.samples {
			if ttfb := sample.FirstByte - sample.Sent; ttfb < 5*time.Microsecond {
				t.Errorf("the first byte came %v after it was asked for: %+v", ttfb, sample)
			}
		}
	})
}

func TestUploadArrivesWhole(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	eachProtocol(t, func(t *testing.T, protocol string) {
		told := perform(t, workload.Plan{
			URLs: []string{url + "/upload"}, Method: "POST", Body: 2_000_000, Protocol: protocol, Mode: workload.Count, Users: 2, Requests: 3, Authority: authority,
		})
		if told.summary.Succeeded != 6 || told.summary.BytesSent != 12_000_000 {
			t.Errorf("%d succeeded, %d bytes, %v", told.summary.Succeeded, told.summary.BytesSent, told.summary.Details)
		}
	})
}

func TestBuiltInServerTellsItsCosts(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	eachProtocol(t, func(t *testing.T, protocol string) {
		sum := perform(t, workload.Plan{
			URLs: []string{url + "/ping"}, Protocol: protocol, Mode: workload.Count, Users: 2, Requests: 50, AskUsage: true, Authority: authority,
		}).summary
		if sum.Server == nil || sum.Server.CPUSeconds <= 0 || sum.Server.PeakMemory < 1<<20 || sum.Client.CPUSeconds <= 0 {
			t.Errorf("client %+v, server %+v", sum.Client, sum.Server)
		}
	})
}

func TestConnectionsAreAsPlanned(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	eachProtocol(t, func(t *testing.T, protocol string) {
		for _, c := range []struct {
			connections, state string
			before, within     int
		}{
			{workload.PerUser, workload.Warm, 6, 0},
			{workload.PerUser, workload.Cold, 0, 6},
			{workload.PerUser, workload.Each, 0, 30},
			{workload.Shared, workload.Warm, 2, 0},
			{workload.Shared, workload.Cold, 0, 2},
		} {
			sum := perform(t, workload.Plan{
				URLs: []string{url + "/ping"}, Protocol: protocol, Mode: workload.Count, Users: 6, Requests: 5, Shared: 2,
				Connections: c.connections, State: c.state, Authority: authority,
			}).summary
			if sum.Succeeded != 30 || sum.ConnectionsBefore != c.before || sum.Connections != c.within {
				t.Errorf("%s %s: %d succeeded, connections %d and %d, %v", c.connections, c.state, sum.Succeeded, sum.ConnectionsBefore, sum.Connections, sum.Details)
			}
		}
	})
}

// Go's own HTTP/2 client dials for each of many first requests; that is what a published suite took for HTTP/3's advantage.
func TestPoolShowsWhatGoOpensByItself(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	opened := map[string]int{}
	for _, protocol := range []string{"h2", "h3"} {
		sum := perform(t, workload.Plan{
			URLs: []string{url + "/json"}, Protocol: protocol, Mode: workload.Count, Users: 50, Requests: 2,
			Connections: workload.Pool, State: workload.Cold, Authority: authority,
		}).summary
		if sum.Succeeded != 100 {
			t.Errorf("%s: %d of 100, %v", protocol, sum.Succeeded, sum.Details)
		}
		opened[protocol] = sum.Connections
	}
	if opened["h2"] <= 1 || opened["h3"] != 1 {
		t.Errorf("connections: %v", opened)
	}
}

func TestWarmPoolOfHTTP1HasAConnectionForEachUser(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	sum := perform(t, workload.Plan{
		URLs: []string{url + "/delay?ms=50"}, Protocol: "h1", Mode: workload.Count, Users: 10, Requests: 4, Connections: workload.Pool, Authority: authority,
	}).summary
	if sum.Succeeded != 40 || sum.ConnectionsBefore != 10 || sum.Connections != 0 {
		t.Errorf("%d succeeded, connections %d and %d, %v", sum.Succeeded, sum.ConnectionsBefore, sum.Connections, sum.Details)
	}
}

// Who waits for a connection of HTTP/1.1 that others use may have to wait too long: that is no reason to end it.
func TestQueueThatIsTooLongLeavesTheConnection(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	sum := perform(t, workload.Plan{
		URLs: []string{url + "/delay?ms=300"}, Protocol: "h1", Mode: workload.Count, Users: 4, Requests: 3, Connections: workload.Shared, TimeoutMs: 750, Authority: authority,
	}).summary
	// About half are answered. A machine that stands still for a moment makes more of them late, which changes nothing of what is asked here.
	if sum.Succeeded < 1 || sum.Succeeded+sum.Errors[client.ErrTimeout] != 12 {
		t.Errorf("%d succeeded, %v %v", sum.Succeeded, sum.Errors, sum.Details)
	}
	// One that got its turn too late to be answered does end it.
	if most := int(sum.Errors[client.ErrTimeout]); sum.Connections >= most {
		t.Errorf("%d connections for %d that timed out", sum.Connections, most)
	}
}

func TestDurationIsOfTheClock(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	eachProtocol(t, func(t *testing.T, protocol string) {
		told := perform(t, workload.Plan{URLs: []string{url + "/delay?ms=20"}, Protocol: protocol, Mode: workload.Duration, Seconds: 1.2, Users: 4, Authority: authority})
		sum := told.summary
		if sum.WallSeconds < 1.2 || sum.WallSeconds > 30 || sum.Succeeded < 1 || len(told.seconds) < 1 {
			t.Errorf("%v s, %d succeeded, %d seconds told", sum.WallSeconds, sum.Succeeded, len(told.seconds))
		}
	})
}

// A server that stands still for 600 ms from its hundredth request on: whoever waits for one answer before asking again asks once meanwhile and
// hides it. Of 200 requests due in a second 60 are due in the first half of that, however slow the machine is, and wait for the other half.
func TestOpenLoopSeesWhatClosedLoopHides(t *testing.T) {
	const stall = 600 * time.Millisecond
	var asked, until atomic.Int64
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 100 {
			until.Store(time.Now().Add(stall).UnixNano())
		}
		time.Sleep(time.Until(time.Unix(0, until.Load())))
		fmt.Fprint(w, "done")
	})
	_, url, authority := testserver.Start(t, handler)
	// What waits for what is the same over each.
	eachOf(t, protocols[samples(2, 0):], func(t *testing.T, protocol string) {
		waited := func(plan workload.Plan) (long int) {
			asked.Store(0)
			plan.URLs, plan.Protocol, plan.Users, plan.Authority, plan.MaxSamples = []string{url + "/"}, protocol, 1, authority, 600
			told := perform(t, plan)
			if told.summary.Succeeded != 600 || len(told.samples) != 600 {
				t.Fatalf("%d of 600, %d samples, %v", told.summary.Succeeded, len(told.samples), told.summary.Errors)
			}
			for _, sample := range told.samples {
				if sample.End-sample.Due >= stall/2 {
					long++
				}
			}
			return long
		}
		closed := waited(workload.Plan{Mode: workload.Count, Requests: 600})
		open := waited(workload.Plan{Mode: workload.Rate, RequestsPerSecond: 200, Seconds: 3})
		if open < 59 || closed < 1 || closed > open/4 {
			t.Errorf("%d requests of the open loop and %d of the closed one waited for %v or longer", open, closed, stall/2)
		}
	})
}

func TestServerThatDiesIsAccountedFor(t *testing.T) {
	eachProtocol(t, func(t *testing.T, protocol string) {
		var answered atomic.Int64
		var kill func()
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if n := answered.Add(1); n >= 500 {
				if n == 500 {
					go kill()
				}
				<-r.Context().Done()
				return
			}
			fmt.Fprint(w, "done")
		})
		server, url, authority := testserver.Start(t, handler)
		kill = func() { _ = server.Close() }
		sum := perform(t, workload.Plan{
			URLs: []string{url + "/"}, Protocol: protocol, Mode: workload.Count, Users: 10, Requests: 100, Seconds: 10, TimeoutMs: 1_000, Authority: authority,
		}).summary
		total := sum.Succeeded
		for name, count := range sum.Errors {
			if name == client.ErrOther {
				t.Errorf("%d errors without a name: %s", count, sum.Details[name])
			}
			total += count
		}
		if total != 1_000 || sum.Succeeded < 400 || sum.Succeeded == 1_000 {
			t.Errorf("%d of 1,000 accounted for, %d succeeded, %v %v", total, sum.Succeeded, sum.Errors, sum.Details)
		}
	})
}

// As nginx's does after a thousand of them; over HTTP/3 the end-to-end tests have nginx itself, since http3's server knows no such end.
func TestServerThatTakesSoManyOnAConnectionLosesNone(t *testing.T) {
	var answered atomic.Int64
	_, url, authority := testserver.Start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if answered.Add(1)%20 == 0 {
			w.Header().Set("Connection", "close")
		}
		fmt.Fprint(w, "done")
	}))
	requests := samples(40, 100)
	for _, protocol := range []string{"h1", "h2"} {
		for _, state := range []string{workload.Warm, workload.Cold} {
			t.Run(protocol+" "+state, func(t *testing.T) {
				told := perform(t, workload.Plan{
					URLs: []string{url + "/"}, Protocol: protocol, Mode: workload.Count, Users: 10, Requests: requests, State: state, Connections: workload.Shared, Shared: 1, MaxSamples: 1_000, Authority: authority,
				})
				sum := told.summary
				if sum.Succeeded != int64(10*requests) || len(sum.Errors) != 0 || sum.Connections < 4*requests/10 {
					t.Errorf("%d succeeded over %d connections, %v %v", sum.Succeeded, sum.Connections, sum.Errors, sum.Details)
				}
				for _, sample := range told.samples {
					if !(sample.Due <= sample.Sent && sample.Sent < sample.End) {
						t.Errorf("out of order: %+v", sample)
					}
				}
			})
		}
	}
}

func TestFailuresHaveNames(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/500", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusInternalServerError) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/gone", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, "short")
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		panic(http.ErrAbortHandler)
	})
	_, url, authority := testserver.Start(t, mux)
	eachProtocol(t, func(t *testing.T, protocol string) {
		for _, c := range []struct {
			url, authority string
			timeoutMs      float64 // short where nothing else ends the request
			names          []string
		}{
			{url + "/500", authority, 0, []string{client.ErrStatus}},
			{url + "/never", authority, 600, []string{client.ErrTimeout}},
			{url + "/gone", authority, 0, []string{client.ErrClosed, client.ErrStream, client.ErrReset}},
			{url + "/short", authority, 0, []string{client.ErrShort, client.ErrStream, client.ErrClosed, client.ErrReset}},
			{url + "/500", "", 0, []string{client.ErrTLS}},
			{"https://no-such-host.invalid/", authority, 0, []string{client.ErrDNS}},
			{"https://127.0.0.1:9/", authority, 600, []string{client.ErrRefused, client.ErrTimeout}},
		} {
			sum := perform(t, workload.Plan{
				URLs: []string{c.url}, Protocol: protocol, Mode: workload.Count, Users: 1, Requests: 2, State: workload.Cold, TimeoutMs: c.timeoutMs, Authority: c.authority,
			}).summary
			named := int64(0)
			for _, name := range c.names {
				named += sum.Errors[name]
			}
			if named != 2 {
				t.Errorf("%s: expected %s, got %v %v", c.url, strings.Join(c.names, " or "), sum.Errors, sum.Details)
			}
		}
	})
}

func TestWrongProtocolIsNoSuccess(t *testing.T) {
	certificate, authority := testserver.Certificate(t)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "done") })}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	sum := perform(t, workload.Plan{
		URLs: []string{"https://" + listener.Addr().String() + "/"}, Protocol: "h2", Mode: workload.Count, Users: 1, Requests: 3, State: workload.Cold, Authority: authority,
	}).summary
	if sum.Succeeded != 0 || sum.Errors[client.ErrProtocol] != 3 {
		t.Errorf("%d succeeded, %v %v", sum.Succeeded, sum.Errors, sum.Details)
	}
}

func TestServerWithoutHTTP3sNameIsOfAnotherProtocol(t *testing.T) {
	certificate, authority := testserver.Certificate(t)
	listener, err := quic.ListenAddr("127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, NextProtos: []string{"doq"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	sum := perform(t, workload.Plan{
		URLs: []string{"https://" + listener.Addr().String() + "/"}, Protocol: "h3", Mode: workload.Count, Users: 1, Requests: 1, State: workload.Cold, Authority: authority,
	}).summary
	if sum.Errors[client.ErrProtocol] != 1 {
		t.Errorf("%v %v", sum.Errors, sum.Details)
	}
}

func TestPlanThatCannotBeRunIsRefusedWhole(t *testing.T) {
	plan := workload.Plan{URLs: []string{"http://a.test/", "https://b.test/", "https://c.test/"}, Protocol: "h3", Method: "DELETE", Mode: "burst", Users: 0}
	err := workload.Run(context.Background(), &plan, &kept{})
	for _, words := range []string{"http://a.test/", "two hosts", "DELETE", "burst", "users: 0"} {
		if err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q is not in: %v", words, err)
		}
	}
}

// Who may be loaded is asked of one server: an answer must not send the load to another.
func TestRedirectsAreNotFollowed(t *testing.T) {
	var elsewhere atomic.Int64
	_, other, _ := testserver.Start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	_, url, authority := testserver.Start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Alt-Svc", `h3="`+strings.TrimPrefix(other, "https://")+`"`)
		http.Redirect(w, r, other+"/", http.StatusTemporaryRedirect)
	}))
	eachProtocol(t, func(t *testing.T, protocol string) {
		for _, connections := range []string{workload.PerUser, workload.Pool} {
			sum := perform(t, workload.Plan{
				URLs: []string{url + "/"}, Protocol: protocol, Mode: workload.Count, Users: 2, Requests: 3, Connections: connections, Authority: authority,
			}).summary
			if sum.Errors[client.ErrStatus] != 6 || elsewhere.Load() != 0 {
				t.Errorf("%s: %v, %d requests elsewhere", connections, sum.Errors, elsewhere.Load())
			}
		}
	})
}
