package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"pronghorn/transaction/internal/payload"

	"github.com/quic-go/quic-go/http3"
)

// Request is what is asked for, again and again.
type Request struct {
	Method string
	URL    *url.URL
	Header http.Header
	// Body is the size of what a POST sends, in bytes.
	Body int64
}

// Result is what became of one request. Times are since the run's begin.
type Result struct {
	// Due is when it should have been sent: of an open loop; otherwise when its turn came.
	Due time.Duration
	// Sent is when its headers were about to be written, FirstByte when the answer's had come, End when its last byte had.
	Sent, FirstByte, End time.Duration
	// Handed is when whoever asked had the last byte, of a client whose network is another process's than its requests; 0: at End.
	Handed        time.Duration
	BytesSent     int64
	BytesReceived int64
	Connection    int64
	// Opened: it waited for its connection to be opened.
	Opened bool
	// SendAgain: it has an Error, but the server did not work on it, or ended the connection when it had answered. It may be sent once more.
	SendAgain bool
	// NotSent: it was not even sent to it.
	NotSent bool
	Status  int
	// Error is one of the names; empty: a success.
	Error string
	// Detail is what the library said of the error.
	Detail string
}

// Latency is from the first byte sent to the last one received.
func (r Result) Latency() time.Duration { return r.End - r.Sent }

// Response is from when it should have been sent: what coordinated omission hides.
func (r Result) Response() time.Duration { return max(r.End, r.Handed) - r.Due }

// TTFB is from the first byte sent to the first one of the answer; of a POST it has the upload in it.
func (r Result) TTFB() time.Duration { return r.FirstByte - r.Sent }

// Caller sends one request after another. It is not for more than one goroutine.
type Caller struct {
	begun  time.Time
	early  bool
	buffer []byte
	trace  httptrace.ClientTrace
	sent   atomic.Int64
	first  atomic.Int64
}

// NewCaller makes one whose times are since begun.
func NewCaller(begun time.Time, early bool) *Caller {
	caller := &Caller{begun: begun, early: early, buffer: make([]byte, payload.BlockSize)}
	// One for all requests: it only writes down the last one's times. What a library sends once more by itself counts from its first try.
	// Header fields are encoded when it is the request's turn on the connection, right before they are written. WroteHeaders is told by a
	// goroutine that may run only when the answer is there: latencies of 0.02 ms.
	caller.trace.WroteHeaderField = func(string, []string) {
		if caller.sent.Load() == 0 {
			caller.sent.CompareAndSwap(0, int64(time.Since(begun)))
		}
	}
	caller.trace.GotFirstResponseByte = func() { caller.first.CompareAndSwap(0, int64(time.Since(begun))) }
	return caller
}

// Call sends a request by trip and reads the answer to its end, within the time that ctx has. Result.Due, Connection and Opened are the
// caller's to fill in.
func (c *Caller) Call(ctx context.Context, trip http.RoundTripper, protocol Protocol, request *Request) Result {
	c.sent.Store(0)
	c.first.Store(0)
	// Before it is written; replaced by when it was.
	begun := time.Since(c.begun)
	result, err := c.exchange(ctx, trip, protocol, request)
	result.End = time.Since(c.begun)
	result.Sent = begun
	if sent := time.Duration(c.sent.Load()); sent != 0 {
		result.Sent = sent
	}
	result.FirstByte = time.Duration(c.first.Load())
	if err == nil {
		return result
	}
	result.Error, result.Detail = NameOf(err), err.Error()
	result.SendAgain = result.Status == 0 && notProcessed(err) || request.Method == http.MethodGet && (endedByServer(err) || errors.Is(err, errUnanswered))
	result.NotSent = result.SendAgain && c.sent.Load() == 0
	// Libraries wrap the end of time in words of their own.
	if ctx.Err() == context.DeadlineExceeded {
		result.Error = ErrTimeout
	}
	return result
}

func (c *Caller) exchange(ctx context.Context, trip http.RoundTripper, protocol Protocol, request *Request) (result Result, err error) {
	sending := (&http.Request{Method: request.Method, URL: request.URL, Header: request.Header, Host: request.URL.Host}).
		WithContext(httptrace.WithClientTrace(ctx, &c.trace))
	if c.early && request.Method == http.MethodGet {
		sending.Method = http3.MethodGet0RTT
	}
	if request.Method == http.MethodPost {
		sending.ContentLength = request.Body
		sending.Body = io.NopCloser(payload.Reader(request.Body))
		sending.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(payload.Reader(request.Body)), nil }
	}
	response, err := trip.RoundTrip(sending)
	if err != nil {
		return result, err
	}
	defer response.Body.Close()
	// HTTP/3's library tells of first bytes too, but only with a body.
	c.first.CompareAndSwap(0, int64(time.Since(c.begun)))
	result.Status = response.StatusCode
	result.BytesSent = sending.ContentLength
	if got := protocolOf(response); got != protocol {
		return result, wrongProtocol{string(protocol), string(got)}
	}
	result.BytesReceived, err = payload.Swallow(response.Body, c.buffer)
	if err == nil && response.ContentLength >= 0 && result.BytesReceived < response.ContentLength {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && (response.StatusCode < 200 || response.StatusCode > 299) {
		result.Error, result.Detail = ErrStatus, strings.TrimSpace(response.Status)
	}
	return result, err
}

func protocolOf(response *http.Response) Protocol {
	return map[int]Protocol{1: H1, 2: H2, 3: H3}[response.ProtoMajor]
}

// Now is the time since the run's begin.
func (c *Caller) Now() time.Duration { return time.Since(c.begun) }
