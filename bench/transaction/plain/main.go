// Command plain sends GET requests as a benchmark in Go usually does: http.Client, one goroutine for each request, each body read into memory.
//
//	plain 1|2|3 URL CONCURRENT SECONDS
//
// It prints requests, seconds and the latencies' p50 and p99 in milliseconds.
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
)

func main() {
	version, url := os.Args[1], os.Args[2]
	concurrent, err := strconv.Atoi(os.Args[3])
	if err != nil {
		panic(err)
	}
	seconds, err := strconv.Atoi(os.Args[4])
	if err != nil {
		panic(err)
	}
	insecure := &tls.Config{InsecureSkipVerify: true}
	clients := map[string]*http.Client{
		"1": {Transport: &http.Transport{TLSClientConfig: insecure, MaxIdleConnsPerHost: concurrent}},
		"2": {Transport: &http.Transport{TLSClientConfig: insecure, ForceAttemptHTTP2: true}},
		"3": {Transport: &http3.Transport{TLSClientConfig: insecure, QUICConfig: &quic.Config{MaxIdleTimeout: 30 * time.Second}}},
	}
	client := clients[version]
	var (
		mu        sync.Mutex
		latencies []time.Duration
		all       sync.WaitGroup
		failed    error
	)
	under := make(chan struct{}, concurrent)
	begun := time.Now()
	for time.Since(begun) < time.Duration(seconds)*time.Second {
		under <- struct{}{}
		all.Add(1)
		go func() {
			defer func() { <-under; all.Done() }()
			sent := time.Now()
			response, err := client.Get(url)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				_ = response.Body.Close()
			}
			took := time.Since(sent)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
				return
			}
			latencies = append(latencies, took)
		}()
	}
	all.Wait()
	wall := time.Since(begun).Seconds()
	slices.Sort(latencies)
	ms := func(share float64) float64 {
		return float64(latencies[int(share*float64(len(latencies)-1))]) / float64(time.Millisecond)
	}
	fmt.Println(len(latencies), wall, ms(0.5), ms(0.99))
	if failed != nil {
		fmt.Fprintln(os.Stderr, failed)
	}
}
