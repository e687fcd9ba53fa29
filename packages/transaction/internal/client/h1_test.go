package client

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// speaking returns an exchanger whose server does what the test says with each connection, and a way to call by it.
func speaking(t *testing.T, server func(conn net.Conn, reader *bufio.Reader)) (*exchanger, func(method string, body int64) Result) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		conn, err := listener.Accept()
		if err == nil {
			server(conn, bufio.NewReader(conn))
		}
	}()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	over := newExchanger(conn, conn)
	caller := NewCaller(time.Now(), false)
	at := &url.URL{Scheme: "https", Host: "api.test", Path: "/"}
	return over, func(method string, body int64) Result {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		return caller.Call(ctx, over, H1, &Request{Method: method, URL: at, Header: http.Header{}, Body: body})
	}
}

const done = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ndone\n"

func read(t *testing.T, reader *bufio.Reader) {
	t.Helper()
	request, err := http.ReadRequest(reader)
	if err == nil {
		_, err = io.Copy(io.Discard, request.Body)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestAnswersOfEveryKindLeaveTheConnectionUsable(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"length", done},
		{"chunked, with a trailer", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5\r\ndone\n\r\n0\r\nX: y\r\n\r\n"},
		{"early hints", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + done},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			over, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
				for range 2 {
					read(t, reader)
					fmt.Fprint(conn, c.text)
				}
			})
			for n := range 2 {
				if result := call("GET", 0); result.Error != "" || over.Broken() || result.FirstByte == 0 || result.FirstByte > result.End {
					t.Errorf("%d: %+v, broken %v", n, result, over.Broken())
				}
			}
		})
	}
}

func TestAnswersThatEndTheConnection(t *testing.T) {
	for _, c := range []struct {
		name, text, error string
		body              int64
	}{
		{"close", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndone\n", "", 0},
		{"short", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ndone\n", ErrShort, 0},
		{"nothing", "", ErrClosed, 0},
		{"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n", ErrOther, 0},
		{"something more", done + done, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			over, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
				read(t, reader)
				fmt.Fprint(conn, c.text)
				_ = conn.Close()
			})
			if result := call("GET", c.body); result.Error != c.error {
				t.Errorf("%+v", result)
			}
			if result := call("GET", 0); result.Error == "" || !over.Broken() {
				t.Errorf("a second request: %+v, broken %v", result, over.Broken())
			}
		})
	}
}

func TestServerThatRefusesABodyIsHeard(t *testing.T) {
	over, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
		_, _ = reader.ReadString('\n')
		fmt.Fprint(conn, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
		<-t.Context().Done()
	})
	if result := call("POST", 1<<28); result.Error != ErrStatus || !strings.Contains(result.Detail, "413") || !over.Broken() {
		t.Errorf("%+v, broken %v", result, over.Broken())
	}
}

func TestConnectionThatWasClosedWhileIdleIsBroken(t *testing.T) {
	closed := make(chan struct{})
	over, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
		for range 2 {
			read(t, reader)
			fmt.Fprint(conn, done)
		}
		_ = conn.Close()
		close(closed)
	})
	over.idle = time.Now().Add(-time.Minute)
	if over.Broken() {
		t.Fatal("broken before it was used")
	}
	call("GET", 0)
	over.idle = time.Now().Add(-time.Minute)
	if over.Broken() {
		t.Fatal("broken while the server kept it")
	}
	if result := call("GET", 0); result.Error != "" {
		t.Fatalf("%+v", result)
	}
	<-closed
	waitUntilBroken(t, over, "the server closed it, and it passes for usable")
}

// waitUntilBroken waits for what the server did to reach this end.
func waitUntilBroken(t *testing.T, over *exchanger, otherwise string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		over.idle = time.Now().Add(-time.Minute)
		if over.Broken() {
			return
		}
	}
	t.Error(otherwise)
}

func TestHeaderWithoutEndIsRefused(t *testing.T) {
	for _, text := range []string{"HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 103 Early Hints\r\n\r\n"} {
		over, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
			read(t, reader)
			for range 100_000 {
				if _, err := fmt.Fprint(conn, text+strings.Repeat("x", 1_000*(strings.Count(text, "X")))); err != nil {
					return
				}
			}
		})
		if result := call("GET", 0); result.Error != ErrOther || !strings.Contains(result.Detail, "1 MiB") || !over.Broken() {
			t.Errorf("%.60q: %.200q, broken %v", text, fmt.Sprintf("%+v", result), over.Broken())
		}
	}
}

// A large body is no header.
func TestBodyIsAsLongAsItLikes(t *testing.T) {
	over, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
		for range 2 {
			read(t, reader)
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", 3<<20, strings.Repeat("x", 3<<20))
		}
	})
	for range 2 {
		if result := call("GET", 0); result.Error != "" || result.BytesReceived != 3<<20 || over.Broken() {
			t.Errorf("%+v", result)
		}
	}
}

func TestAnswerThatNobodyAskedForIsTakenForNone(t *testing.T) {
	answered := make(chan struct{})
	over, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
		read(t, reader)
		fmt.Fprint(conn, done)
		<-answered
		fmt.Fprint(conn, done)
		<-t.Context().Done()
	})
	if result := call("GET", 0); result.Error != "" || over.Broken() {
		t.Fatalf("%+v", result)
	}
	close(answered)
	waitUntilBroken(t, over, "the next request would have taken it for its answer")
}

func TestGETMayBeSentAgainWhereTheServerClosedInstead(t *testing.T) {
	for _, c := range []struct {
		method string
		again  bool
	}{{"GET", true}, {"POST", false}} {
		_, call := speaking(t, func(conn net.Conn, reader *bufio.Reader) {
			read(t, reader)
			fmt.Fprint(conn, done)
			read(t, reader)
			_ = conn.Close()
		})
		if result := call("GET", 0); result.Error != "" {
			t.Fatalf("%+v", result)
		}
		if result := call(c.method, 0); result.Error != ErrClosed || result.SendAgain != c.again {
			t.Errorf("%s: %+v", c.method, result)
		}
	}
}
