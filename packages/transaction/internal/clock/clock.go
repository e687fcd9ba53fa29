// Package clock waits to a tenth of a millisecond: Go's timers wait for whole milliseconds where nothing else happens.
package clock

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// fine is what is not left to a timer.
const fine = 2 * time.Millisecond

// sleepers bounds the threads that the last part of a wait takes, one each; who finds none free waits by a timer alone.
var sleepers = make(chan struct{}, 64)

// Until waits for a moment, or for the end of ctx: then it returns its error.
func Until(ctx context.Context, moment time.Time) error {
	if left := time.Until(moment) - fine; left > 0 {
		if err := wait(ctx, left); err != nil {
			return err
		}
	}
	left := time.Until(moment)
	if left <= 0 {
		return ctx.Err()
	}
	select {
	case sleepers <- struct{}{}:
		rest := unix.NsecToTimespec(int64(left))
		_ = unix.Nanosleep(&rest, nil) // a signal that ends it early costs less than two milliseconds
		<-sleepers
		return ctx.Err()
	default:
		return wait(ctx, left)
	}
}

func wait(ctx context.Context, left time.Duration) error {
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
