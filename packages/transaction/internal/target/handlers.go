// Package target is the built-in server of REST calls: the same handlers for every protocol, on one port.
package target

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"pronghorn/transaction/internal/clock"
	"pronghorn/transaction/internal/ownership"
	"pronghorn/transaction/internal/payload"
	"pronghorn/transaction/internal/usage"
)

const (
	// MaxSize is the largest body that may be asked for or sent, in bytes.
	MaxSize = 1 << 30
	// MaxDelay is the longest that an answer may be delayed.
	MaxDelay = 60 * time.Second
)

// UsagePath is where the server tells what it took of the machine.
const UsagePath = "/usage"

// Name is what the server calls itself in each answer.
const Name = "pronghorn-transaction"

// Handler answers
//
//	GET  /ping                 "pong"
//	GET  /json                 a small object with the time
//	GET  /data?size=BYTES      so many bytes; /download is the same
//	GET  /delay?ms=MS          a small object, after that time
//	POST /upload               the number of bytes received
//	GET  /.well-known/pronghorn  the token, where there is one
//	GET  /usage                CPU time and peak memory of this process; ?reset=1: the peak begins anew
func Handler(token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /ping", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", "5")
		_, _ = w.Write([]byte("pong\n"))
	})
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"message": "Hello", "time": time.Now().UTC().Format(time.RFC3339Nano)})
	})
	mux.HandleFunc("GET /data", data)
	mux.HandleFunc("GET /download", data)
	mux.HandleFunc("GET /delay", delay)
	mux.HandleFunc("POST /upload", upload)
	mux.HandleFunc("GET "+UsagePath, tellUsage)
	if token != "" {
		mux.HandleFunc("GET "+ownership.Path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte(token + "\n"))
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", Name)
		mux.ServeHTTP(w, r)
	})
}

func tellUsage(w http.ResponseWriter, r *http.Request) {
	if r.URL.Query().Get("reset") != "" {
		usage.ResetPeak()
	}
	taken, err := usage.Self()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, taken)
}

func data(w http.ResponseWriter, r *http.Request) {
	size, ok := number(w, r, "size", MaxSize)
	if !ok {
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	// Who goes away before the end is none of the server's errors.
	_ = payload.Write(w, size)
}

func delay(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	ms, ok := number(w, r, "ms", MaxDelay.Milliseconds())
	if !ok {
		return
	}
	if clock.Until(r.Context(), begun.Add(time.Duration(ms)*time.Millisecond)) == nil {
		answer(w, map[string]any{"delayedMs": ms})
	}
}

func upload(w http.ResponseWriter, r *http.Request) {
	received, err := payload.Swallow(http.MaxBytesReader(w, r.Body, MaxSize), make([]byte, payload.BlockSize))
	if err != nil {
		http.Error(w, fmt.Sprintf("the body ended after %d bytes: %v", received, err), http.StatusBadRequest)
		return
	}
	answer(w, map[string]any{"received": received})
}

// number reads a parameter that has to be from 0 to most; what is none is answered with what would be.
func number(w http.ResponseWriter, r *http.Request, name string, most int64) (int64, bool) {
	text := r.URL.Query().Get(name)
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil || value < 0 || value > most {
		http.Error(w, fmt.Sprintf("?%s=%s: expected a whole number from 0 to %d", name, text, most), http.StatusBadRequest)
		return 0, false
	}
	return value, true
}

func answer(w http.ResponseWriter, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}
