package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"pronghorn/transaction/internal/payload"
	"pronghorn/transaction/internal/usage"
)

// exchanger sends one request after another over a connection of HTTP/1.1. Messages are net/http's, its transport is not: that hands each request to two
// goroutines and back, which costs as much CPU time as the request itself.
type exchanger struct {
	conn   net.Conn
	socket net.Conn
	head   *limited
	reader *bufio.Reader
	writer *bufio.Writer
	// turn is taken while a request is under way, until its answer's body is closed.
	turn   chan struct{}
	idle   time.Time
	broken atomic.Bool
	// used: a request was answered on it.
	used bool
}

const (
	// writeWait is how long after its answer a request may still be being sent; longer, and the server does not want the rest.
	writeWait = 50 * time.Millisecond
	// longIdle is after what time without a request it is asked whether the server has closed the connection meanwhile, or sent what nobody asked for.
	longIdle = time.Millisecond
	// longUnused is that of a connection on which nothing was sent yet: what has arrived there is mostly a ticket of TLS.
	longUnused = time.Second
	// mostHead is how long an answer's header may be, with those of interim answers, in bytes.
	mostHead = 1 << 20
	// ticketWait is enough to read what has arrived.
	ticketWait = 5 * time.Millisecond
)

var (
	errUnasked  = errors.New("the server sent something without being asked")
	errLongHead = errors.New("the answer's header is longer than 1 MiB")
	// errUnanswered: a connection that had answered before was closed before the first byte of this answer. Servers close connections that way which they take for idle.
	errUnanswered = errors.New("the connection was closed without an answer")
)

// limited is a connection from which so many bytes more may be read.
type limited struct {
	net.Conn
	left int64
}

func (l *limited) Read(into []byte) (int, error) {
	if l.left <= 0 {
		return 0, errLongHead
	}
	n, err := l.Conn.Read(into)
	l.left -= int64(n)
	return n, err
}

// newExchanger sends over conn, which is socket or TLS over it.
func newExchanger(conn, socket net.Conn) *exchanger {
	head := &limited{conn, mostHead}
	return &exchanger{
		conn: conn, socket: socket, head: head, reader: bufio.NewReaderSize(head, payload.BlockSize), writer: bufio.NewWriterSize(conn, payload.BlockSize),
		turn: make(chan struct{}, 1), idle: time.Now(),
	}
}

// Broken tells that no further request can be sent.
func (e *exchanger) Broken() bool {
	if !e.broken.Load() && e.isFree() {
		enough := longUnused
		if e.used {
			enough = longIdle
		}
		if time.Since(e.idle) > enough && usage.HasUnread(e.socket) {
			// It may be no more than a ticket of TLS.
			_ = e.conn.SetReadDeadline(time.Now().Add(ticketWait))
			if _, err := e.reader.Peek(1); !errors.Is(err, os.ErrDeadlineExceeded) {
				e.broken.Store(true)
			}
		}
		<-e.turn
	}
	return e.broken.Load()
}

// isFree takes the turn where no request is under way.
func (e *exchanger) isFree() bool {
	select {
	case e.turn <- struct{}{}:
		return true
	default:
		return false
	}
}

// RoundTrip waits until the body of the answer before is closed, or the request's time is over, which then was not sent. Once it is, of the request's context it knows
// the deadline and the trace.
func (e *exchanger) RoundTrip(request *http.Request) (*http.Response, error) {
	if !e.isFree() {
		select {
		case e.turn <- struct{}{}:
		case <-request.Context().Done():
			return nil, request.Context().Err()
		}
	}
	response, err := e.exchange(request)
	if err != nil {
		e.broken.Store(true)
		<-e.turn
	}
	return response, err
}

func (e *exchanger) exchange(request *http.Request) (*http.Response, error) {
	if e.broken.Load() {
		// It waited for others, after the last of which the connection was closed.
		return nil, errTakesNoMore
	}
	if e.reader.Buffered() > 0 {
		return nil, errUnasked
	}
	deadline, _ := request.Context().Deadline()
	if err := e.conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	// A server may answer before it has all of a body, and wait until that answer is read.
	written := make(chan error, 1)
	write := func() { written <- errors.Join(request.Write(e.writer), e.writer.Flush()) }
	if request.Body == nil {
		write()
	} else {
		go write()
	}
	e.head.left = mostHead
	if _, err := e.reader.Peek(1); err != nil {
		_ = e.conn.Close() // ends the writing, too
		if e.used && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)) {
			err = fmt.Errorf("%w: %w", errUnanswered, err)
		}
		return nil, errors.Join(err, <-written)
	}
	if trace := httptrace.ContextClientTrace(request.Context()); trace != nil {
		trace.GotFirstResponseByte()
	}
	for {
		response, err := http.ReadResponse(e.reader, request)
		if err != nil {
			if e.head.left <= 0 {
				err = errLongHead // in the middle of a line the library calls it malformed
			}
			return nil, errors.Join(err, e.conn.Close())
		}
		if response.StatusCode >= 200 || response.StatusCode == http.StatusSwitchingProtocols {
			e.head.left = math.MaxInt64
			e.used = true
			response.Body = &answer{ReadCloser: response.Body, of: e, written: written, last: response.Close}
			return response, nil
		}
	}
}

// answer is a body with whose end the connection is free again.
type answer struct {
	io.ReadCloser
	of      *exchanger
	written <-chan error
	// last: the server closes the connection after it.
	last, ended, closed bool
}

func (a *answer) Read(into []byte) (int, error) {
	n, err := a.ReadCloser.Read(into)
	a.ended = a.ended || err == io.EOF
	return n, err
}

func (a *answer) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	defer func() { <-a.of.turn }()
	if a.ended && !a.last && a.isWritten() {
		a.of.idle = time.Now()
		return nil
	}
	a.of.broken.Store(true)
	return a.of.conn.Close()
}

func (a *answer) isWritten() bool {
	select {
	case err := <-a.written:
		return err == nil
	default:
	}
	select {
	case err := <-a.written:
		return err == nil
	case <-time.After(writeWait):
		return false
	}
}
