// The program benchmark measures how many requests the client makes on one connection: benchmark [SECONDS [IN_FLIGHT]].
// IN_FLIGHT goroutines call without a pause; "mixed" are lookups and sends in turn. The environment names the server,
// the app and the key, as for the examples. Each measurement follows a round of the same time that is not measured.
// With the variable CPU_PROFILE it writes a profile to that file.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"carillon"
)

const usage = "usage: benchmark [SECONDS [IN_FLIGHT]]"

func main() {
	log.SetFlags(0)
	duration, inFlight, err := arguments(os.Args[1:])
	if err != nil {
		log.Fatal(usage)
	}
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
	if err := run(context.Background(), duration, inFlight); err != nil {
		log.Fatal(err)
	}
}

func arguments(words []string) (time.Duration, int, error) {
	seconds, inFlight := 3.0, 512
	var err error
	if len(words) > 0 {
		seconds, err = strconv.ParseFloat(words[0], 64)
	}
	if len(words) > 1 && err == nil {
		inFlight, err = strconv.Atoi(words[1])
	}
	if err == nil && (len(words) > 2 || !(seconds > 0 && seconds <= 3600) || inFlight < 1) {
		err = strconv.ErrRange
	}
	return time.Duration(seconds * float64(time.Second)), inFlight, err
}

func run(ctx context.Context, duration time.Duration, inFlight int) error {
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
	device := carillon.DeviceByID(registered.DeviceID)
	lookUp := func() error {
		_, err := app.Lookup(ctx, device)
		return err
	}
	payload := carillon.Raw(`{"aps":{"alert":"Hello"}}`)
	send := func() error {
		_, err := app.Send(ctx, carillon.ToDevices(device), payload, carillon.WithLane(carillon.LaneBulk))
		return err
	}
	var turns atomic.Uint64
	mixed := func() error {
		if turns.Add(1)%2 == 0 {
			return send()
		}
		return lookUp()
	}
	for _, each := range []struct {
		name    string
		request func() error
	}{{"lookup", lookUp}, {"send", send}, {"mixed", mixed}} {
		if err := measure(each.name, duration, inFlight, each.request); err != nil {
			return err
		}
	}
	return nil
}

// measure makes requests for a while, measures them for the same time, and prints the result.
func measure(name string, duration time.Duration, inFlight int, request func() error) error {
	if _, err := repeat(duration, inFlight, request); err != nil {
		return err
	}
	began, before := time.Now(), cpuSeconds()
	requests, err := repeat(duration, inFlight, request)
	if err != nil {
		return err
	}
	seconds, cpu := time.Since(began).Seconds(), cpuSeconds()-before
	fmt.Printf("RESULT go.%s.per_second %.0f\n", name, float64(requests)/seconds)
	fmt.Printf("RESULT go.%s.per_cpu_second %.0f\n", name, float64(requests)/cpu)
	return nil
}

// repeat makes requests in inFlight goroutines for a while, and returns their number.
func repeat(duration time.Duration, inFlight int, request func() error) (int64, error) {
	errors := make(chan error, inFlight)
	end := time.Now().Add(duration)
	var requests int64
	var group sync.WaitGroup
	for index := 0; index < inFlight; index++ {
		group.Add(1)
		go func() {
			defer group.Done()
			var count int64
			for ; time.Now().Before(end); count++ {
				if err := request(); err != nil {
					errors <- err
					return
				}
			}
			atomic.AddInt64(&requests, count)
		}()
	}
	group.Wait()
	select {
	case err := <-errors:
		return 0, err
	default:
		return requests, nil
	}
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
