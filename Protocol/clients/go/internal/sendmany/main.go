// The program sendmany sends COUNT messages at once while servers go and come: sendmany LABEL PREFIX COUNT, for
// run_losses.py, which says what is printed.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"carillon"
)

// maximumInFlight bounds what the server has accepted before the first answers are read.
const maximumInFlight = 16

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sendmany LABEL PREFIX COUNT")
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[3])
	if err == nil {
		err = run(context.Background(), os.Args[1], os.Args[2], count)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, label, prefix string, count int) error {
	client, err := carillon.Connect(ctx, carillon.FromEnvironment(), carillon.WithRequestTimeout(time.Minute),
		carillon.WithMaximumInFlight(maximumInFlight),
		carillon.WithHooks(carillon.Hooks{OnState: func(report carillon.StateReport) {
			if report.State == carillon.StateConnected {
				fmt.Println("connected", report.Address)
			}
		}}))
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	app, err := client.DefaultApp()
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	for index := 0; index < count; index++ {
		token, err := carillon.ParseToken(fmt.Sprintf("%s%08x", prefix, index))
		if err != nil {
			return err
		}
		group.Add(1)
		go func(index int) {
			defer group.Done()
			device := carillon.DeviceByToken(carillon.Production, carillon.KindDevice, token)
			sent, err := app.Send(ctx, carillon.ToDevices(device),
				&carillon.Notification{Body: carillon.Plain("Hello")}, carillon.WithLabel(fmt.Sprintf("%s %d", label, index)))
			var failed *carillon.Error
			if errors.As(err, &failed) {
				fmt.Println("failed", index, failed.Code, failed.Effect)
			} else if err != nil {
				fmt.Println("failed", index, err)
			} else {
				fmt.Println("sent", index, sent.MessageID)
			}
		}(index)
	}
	group.Wait()
	return nil
}
