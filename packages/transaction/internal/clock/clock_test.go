package clock

import (
	"context"
	"sync"
	"testing"
	"time"
)

func TestManyWaitAndNoneTooShort(t *testing.T) {
	var all sync.WaitGroup
	for n := range 200 {
		all.Go(func() {
			moment := time.Now().Add(time.Duration(n%10) * time.Millisecond)
			if err := Until(t.Context(), moment); err != nil || time.Until(moment) > time.Millisecond {
				t.Errorf("%v, %v too early", err, time.Until(moment))
			}
		})
	}
	all.Wait()
}

func TestWaitEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if err := Until(ctx, begun.Add(time.Minute)); err == nil || time.Since(begun) > 10*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
}
