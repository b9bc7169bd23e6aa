// The program benchmark measures how many requests the client makes on one connection: benchmark [REQUESTS [CALLS]].
// CALLS goroutines call without a pause. The environment names the server, the app and the key.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"strconv"
	"sync"
	"syscall"
	"time"

	"carillon"
)

func main() {
	log.SetFlags(0)
	requests, calls := number(1, 200_000), number(2, 256)
	if path := os.Getenv("CPU_PROFILE"); path != "" {
		file, err := os.Create(path)
		if err != nil {
			log.Fatal(err)
		}
		if err := pprof.StartCPUProfile(file); err != nil {
			log.Fatal(err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(context.Background(), requests, calls); err != nil {
		log.Fatal(err)
	}
}

func number(index, usual int) int {
	if len(os.Args) <= index {
		return usual
	}
	value, err := strconv.Atoi(os.Args[index])
	if err != nil || value < 1 {
		log.Fatal("usage: benchmark [REQUESTS [CALLS]]")
	}
	return value
}

func run(ctx context.Context, requests, calls int) error {
	client, err := carillon.Connect(ctx, carillon.FromEnvironment())
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	app, err := client.DefaultApp()
	if err != nil {
		return err
	}
	token := make([]byte, 32)
	registered, err := app.Register(ctx, carillon.Registration{Token: token, SeenAt: time.Now()})
	if err != nil {
		return err
	}
	device := carillon.DeviceID(registered.DeviceID)
	lookUp := func() error {
		_, err := app.Lookup(ctx, device)
		return err
	}
	payload := carillon.Raw(`{"aps":{"alert":"Hello"}}`)
	send := func() error {
		_, err := app.Send(ctx, carillon.ToDevices(device), payload, carillon.WithLane(carillon.Bulk))
		return err
	}
	if err := measure("lookup", requests/10, calls, lookUp, false); err != nil {
		return err
	}
	if err := measure("lookup", requests, calls, lookUp, true); err != nil {
		return err
	}
	return measure("send", requests/10, calls, send, true)
}

// measure makes requests in so many goroutines and prints the result.
func measure(name string, requests, calls int, request func() error, isShown bool) error {
	began, before := time.Now(), cpuSeconds()
	errors := make(chan error, calls)
	var group sync.WaitGroup
	for index := 0; index < calls; index++ {
		share := requests / calls
		if index < requests%calls {
			share++
		}
		group.Add(1)
		go func() {
			defer group.Done()
			for ; share > 0; share-- {
				if err := request(); err != nil {
					errors <- err
					return
				}
			}
		}()
	}
	group.Wait()
	select {
	case err := <-errors:
		return err
	default:
	}
	seconds, cpu := time.Since(began).Seconds(), cpuSeconds()-before
	if isShown {
		fmt.Printf("RESULT go %s requests %d calls %d per_second %.0f per_cpu_second %.0f\n", name, requests, calls,
			float64(requests)/seconds, float64(requests)/cpu)
	}
	return nil
}

// cpuSeconds is the processor time of this process.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return seconds(usage.Utime) + seconds(usage.Stime)
}

func seconds(value syscall.Timeval) float64 { return float64(value.Sec) + float64(value.Usec)/1e6 }
