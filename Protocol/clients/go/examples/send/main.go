// The example send sends an alert to one device and waits until it is finished: send TOKEN TEXT.
package main

import (
	"context"
	"fmt"
	"time"

	"carillon"
	"carillon/examples/internal/example"
)

func main() {
	arguments := example.Arguments("TOKEN", "TEXT")
	example.Exit(run(context.Background(), arguments[0], arguments[1]))
}

func run(ctx context.Context, text, body string) error {
	client, err := carillon.Connect(ctx, carillon.FromEnvironment())
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	app, err := client.DefaultApp()
	if err != nil {
		return err
	}
	token, err := carillon.ParseToken(text)
	if err != nil {
		return err
	}
	device := carillon.DeviceByToken(carillon.Production, carillon.KindDevice, token)
	sent, err := app.Send(ctx, carillon.ToDevices(device), &carillon.Notification{Body: carillon.Plain(body)})
	if err != nil {
		return err
	}
	fmt.Println("message", sent.MessageID, "to", sent.Total)
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	status, err := app.WaitUntilFinished(waiting, sent.MessageID)
	if err != nil {
		return err
	}
	for _, each := range status.Outcomes {
		fmt.Println(each.Outcome, each.Devices)
	}
	return nil
}
