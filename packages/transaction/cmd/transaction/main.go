// Command transaction measures REST calls over HTTP/1.1, HTTP/2 and HTTP/3, and is a server to measure.
//
//	transaction serve -listen 127.0.0.1:8443 -certificate cert.pem -key key.pem
//	transaction run < plan.json
//	transaction confirm < question.json
//	transaction tally < plan-and-requests.jsonl
//
// run reads one plan (workload.Plan) and writes lines of JSON: what was done each second, connections, requests one by one, and the sum of all.
// confirm asks a server once whose requests it expects (ownership.Question) and writes its answer as a line of JSON.
// tally reads a plan and, line by line, requests that something else sent by it, as run tells them; it adds them up as run does.
// Exit code 0: the run was performed, whatever became of its requests. 2: it can't be run as it is planned.
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"pronghorn/transaction/internal/client"
	"pronghorn/transaction/internal/limits"
	"pronghorn/transaction/internal/ownership"
	"pronghorn/transaction/internal/payload"
	"pronghorn/transaction/internal/target"
	"pronghorn/transaction/internal/workload"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "transaction:", err)
		os.Exit(2)
	}
}

func command(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("expected serve, run, tally, confirm or version")
	}
	switch args[0] {
	case "serve":
		return serve(ctx, args[1:], out)
	case "run":
		return run(ctx, in, out)
	case "confirm":
		return confirm(ctx, in, out)
	case "tally":
		return tally(in, out)
	case "version":
		return json.NewEncoder(out).Encode(about())
	}
	return fmt.Errorf("%q: expected serve, run, tally, confirm or version", args[0])
}

func serve(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	listen := flags.String("listen", "127.0.0.1:8443", "address and port, of TCP and UDP; port 0: a free one")
	certificate := flags.String("certificate", "", "PEM file of the certificate and its chain")
	key := flags.String("key", "", "PEM file of its key")
	token := flags.String("token", "", "what /.well-known/pronghorn answers")
	if err := flags.Parse(args); err != nil {
		return err
	}
	pair, err := tls.LoadX509KeyPair(*certificate, *key)
	if err != nil {
		return fmt.Errorf("-certificate and -key: %w", err)
	}
	server, err := target.Start(*listen, pair, target.Handler(*token))
	if err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(map[string]any{"kind": "listening", "address": server.Address, "about": about()}); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		within, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(within)
		return nil
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	var plan workload.Plan
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return fmt.Errorf("the plan can't be read: %w", err)
	}
	lines := newLines(out)
	lines.write("about", about())
	if err := workload.Run(ctx, &plan, lines); err != nil {
		return err
	}
	return lines.flush()
}

func confirm(ctx context.Context, in io.Reader, out io.Writer) error {
	var question ownership.Question
	decoder := json.NewDecoder(in)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&question); err != nil {
		return fmt.Errorf("the question can't be read: %w", err)
	}
	answer, err := ownership.Ask(ctx, question)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(answer)
}

// tally adds up what another client did, so that a percentile is the same of all clients.
func tally(in io.Reader, out io.Writer) error {
	var plan workload.Plan
	decoder := json.NewDecoder(bufio.NewReaderSize(in, 1<<16))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&plan); err != nil {
		return fmt.Errorf("the plan can't be read: %w", err)
	}
	lines := newLines(out)
	requests := func(yield func(workload.Sample, error) bool) {
		for n := 1; ; n++ {
			var line request
			if err := decoder.Decode(&line); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(workload.Sample{}, fmt.Errorf("request %d can't be read: %w", n, err))
				return
			}
			if !yield(line.sample(), nil) {
				return
			}
		}
	}
	if err := workload.Tally(&plan, requests, lines); err != nil {
		return err
	}
	return lines.flush()
}

// lines writes each thing that is told as a line of JSON with its kind.
type lines struct {
	mu     sync.Mutex
	buffer *bufio.Writer
	failed error
}

func newLines(out io.Writer) *lines { return &lines{buffer: bufio.NewWriterSize(out, 1<<16)} }

func (l *lines) write(kind string, value any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text, err := json.Marshal(value)
	if err == nil {
		_, err = fmt.Fprintf(l.buffer, "{\"kind\":%q,%s\n", kind, text[1:])
	}
	l.failed = errors.Join(l.failed, err)
}

func (l *lines) flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.failed, l.buffer.Flush())
}

func (l *lines) Second(second workload.Second) {
	l.write("second", second)
	_ = l.flush() // told again at the end
}

func (l *lines) Connection(opened client.Opened) { l.write("connection", opened) }

func (l *lines) Sample(sample workload.Sample) { l.write("request", requestOf(sample)) }

func (l *lines) End(summary workload.Summary) { l.write("end", summary) }

// request is one as a line, with times in milliseconds since the run's begin.
type request struct {
	User          int     `json:"user"`
	Due           float64 `json:"due"`
	Sent          float64 `json:"sent"`
	FirstByte     float64 `json:"firstByte"`
	End           float64 `json:"end"`
	Handed        float64 `json:"handed,omitempty"`
	BytesSent     int64   `json:"bytesSent"`
	BytesReceived int64   `json:"bytesReceived"`
	Connection    int64   `json:"connection"`
	Opened        bool    `json:"opened"`
	Status        int     `json:"status"`
	Error         string  `json:"error,omitempty"`
	Detail        string  `json:"detail,omitempty"`
}

func requestOf(of workload.Sample) request {
	ms := func(of time.Duration) float64 { return float64(of.Microseconds()) / 1_000 }
	return request{
		of.User, ms(of.Due), ms(of.Sent), ms(of.FirstByte), ms(of.End), ms(of.Handed), of.BytesSent, of.BytesReceived,
		of.Connection, of.Opened, of.Status, of.Error, of.Detail,
	}
}

func (r request) sample() workload.Sample {
	since := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	return workload.Sample{User: r.User, Result: client.Result{
		Due: since(r.Due), Sent: since(r.Sent), FirstByte: since(r.FirstByte), End: since(r.End), Handed: since(r.Handed),
		BytesSent: r.BytesSent, BytesReceived: r.BytesReceived, Connection: r.Connection, Opened: r.Opened,
		Status: r.Status, Error: r.Error, Detail: r.Detail,
	}}
}

type aboutProgram struct {
	Go      string            `json:"go"`
	Modules map[string]string `json:"modules"`
	Limits  map[string]int64  `json:"limits"`
}

// about is what a result has to say of the program that made it.
func about() aboutProgram {
	told := aboutProgram{Modules: map[string]string{}, Limits: map[string]int64{
		"streamWindow": limits.StreamWindow, "connectionWindow": limits.ConnectionWindow, "streams": limits.Streams, "readSize": payload.BlockSize,
	}}
	if info, ok := debug.ReadBuildInfo(); ok {
		told.Go = info.GoVersion
		for _, module := range info.Deps {
			told.Modules[module.Path] = module.Version
		}
	}
	return told
}
