//go:build ignore

// The program redis measures what ../main.go measures, with redigo and GETs of 100 bytes, for comparison. In the form
// "batches" one goroutine writes CALLS GETs at once and then reads their answers. In the form "calls" CALLS goroutines
// make one GET after the other on one connection, as with the client of Carillon: a goroutine writes what they ask for,
// all of it in one write, and another one reads the answers. It is not a part of the module, because it needs Debian's
// golang-github-gomodule-redigo-dev:
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run benchmark/redis/main.go ADDRESS [REQUESTS [CALLS]]
package main

import (
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/gomodule/redigo/redis"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: redis ADDRESS [REQUESTS [CALLS]]")
	}
	if err := run(os.Args[1], argument(2, 200_000), argument(3, 512)); err != nil {
		log.Fatal(err)
	}
}

// argument returns a number of the command line, or the default if it is not there.
func argument(index, defaultValue int) int {
	if len(os.Args) <= index {
		return defaultValue
	}
	value, err := strconv.Atoi(os.Args[index])
	if err != nil || value < 1 {
		log.Fatal("usage: redis ADDRESS [REQUESTS [CALLS]]")
	}
	return value
}

func run(address string, requests, calls int) error {
	conn, err := redis.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Do("SET", "device", make([]byte, 100)); err != nil {
		return err
	}
	for _, each := range []struct {
		name string
		make func(redis.Conn, int, int) error
	}{{"batches", batches}, {"calls", pipelined}} {
		if err := each.make(conn, requests/10, calls); err != nil {
			return err
		}
		began, before := time.Now(), cpuSeconds()
		if err := each.make(conn, requests, calls); err != nil {
			return err
		}
		seconds, cpu := time.Since(began).Seconds(), cpuSeconds()-before
		fmt.Printf("RESULT redigo.%s.per_second %.0f\n", each.name, float64(requests)/seconds)
		fmt.Printf("RESULT redigo.%s.per_cpu_second %.0f\n", each.name, float64(requests)/cpu)
	}
	return nil
}

func batches(conn redis.Conn, requests, calls int) error {
	for done := 0; done < requests; done += calls {
		for index := 0; index < calls; index++ {
			if err := conn.Send("GET", "device"); err != nil {
				return err
			}
		}
		if err := conn.Flush(); err != nil {
			return err
		}
		for index := 0; index < calls; index++ {
			if _, err := redis.Bytes(conn.Receive()); err != nil {
				return err
			}
		}
	}
	return nil
}

// get is a GET that a goroutine waits for.
type get struct {
	value []byte
	err   error
	done  chan struct{}
}

func pipelined(conn redis.Conn, requests, calls int) error {
	asked, written := make(chan *get, calls), make(chan *get, calls)
	go write(conn, asked, written)
	go func() {
		for each := range written {
			each.value, each.err = redis.Bytes(conn.Receive())
			each.done <- struct{}{}
		}
	}()
	var group sync.WaitGroup
	for index := 0; index < calls; index++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for count := requests / calls; count > 0; count-- {
				one := &get{done: make(chan struct{}, 1)}
				asked <- one
				<-one.done
				if one.err != nil {
					log.Fatal(one.err)
				}
			}
		}()
	}
	group.Wait()
	close(asked)
	return nil
}

// write sends the GETs of asked, all that are there in one piece, and passes them on to written.
func write(conn redis.Conn, asked <-chan *get, written chan<- *get) {
	defer close(written)
	for each := range asked {
		for more := true; more; {
			if each.err = conn.Send("GET", "device"); each.err != nil {
				log.Fatal(each.err)
			}
			written <- each
			select {
			case each, more = <-asked:
			default:
				more = false
			}
		}
		if err := conn.Flush(); err != nil {
			log.Fatal(err)
		}
	}
}

// cpuSeconds is the processor time of this process.
func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Sec+usage.Stime.Sec) + float64(usage.Utime.Usec+usage.Stime.Usec)/1e6
}
