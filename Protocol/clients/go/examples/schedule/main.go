// The example schedule schedules a message and cancels it: schedule TOKEN.
package main

import (
	"context"
	"fmt"
	"time"

	"carillon"
	"carillon/examples/internal/example"
)

func main() {
	arguments := example.Arguments("TOKEN")
	example.Exit(run(context.Background(), arguments[0]))
}

func run(ctx context.Context, text string) error {
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
	later := &carillon.Notification{Body: carillon.Plain("Later")}
	sent, err := app.Send(ctx, carillon.ToDevices(device), later,
		carillon.WithSendAt(time.Now().Add(time.Hour)), carillon.WithLabel("later"))
	if err != nil {
		return err
	}
	status, err := app.MessageStatus(ctx, sent.MessageID)
	if err != nil {
		return err
	}
	fmt.Println("message", sent.MessageID, status.State)
	if _, err := app.UpdateMessage(ctx, sent.MessageID, carillon.Cancel()); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if status, err = app.WaitUntilFinished(waiting, sent.MessageID); err != nil {
		return err
	}
	fmt.Println(status.State)
	for _, each := range status.Outcomes {
		fmt.Println(each.Outcome, each.Devices)
	}
	return nil
}
