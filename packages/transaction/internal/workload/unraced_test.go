//go:build !race

// What can't be run by the race detector: it keeps memory of its own, and quic-go has races where requests go with the handshake.
package workload_test

import (
	"runtime"
	"testing"

	"pronghorn/transaction/internal/testserver"
	"pronghorn/transaction/internal/workload"
)

// A server that serves all runs keeps what a large one needed; the next one is not charged for it.
func TestMemoryOfTheServerIsThatOfItsRun(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	small := workload.Plan{URLs: []string{url + "/ping"}, Protocol: "h1", Mode: workload.Count, Users: 1, Requests: 5, AskUsage: true, Authority: authority}
	peak := func() int64 {
		server := perform(t, small).summary.Server
		if server == nil {
			t.Fatal("the server tells no costs")
		}
		return server.PeakMemory
	}
	before := peak()
	held := make([]byte, 200<<20)
	for i := 0; i < len(held); i += 4_096 {
		held[i] = 1
	}
	runtime.KeepAlive(held)
	if after := peak(); after > before+100<<20 {
		t.Errorf("%d bytes before, %d after 200 MB were used and freed", before, after)
	}
}

func TestEarlyDataIsTold(t *testing.T) {
	_, url, authority := testserver.Start(t, nil)
	told := perform(t, workload.Plan{
		URLs: []string{url + "/ping"}, Protocol: "h3", Mode: workload.Count, Users: 1, Requests: 6, State: workload.Each, EarlyData: true, Authority: authority,
	})
	resumed := 0
	for _, opened := range told.connections {
		if opened.Resumed {
			resumed++
		}
	}
	// The first has no ticket; one that comes late leaves the next without.
	if got := told.summary; got.Succeeded != 6 || got.EarlyData < 3 || got.EarlyData != resumed {
		t.Errorf("%d succeeded, %d with early data, %d resumed, %v", got.Succeeded, got.EarlyData, resumed, got.Details)
	}
}
