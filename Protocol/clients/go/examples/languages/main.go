// The example languages sends to a topic in two languages, and counts all devices: languages TOPIC.
package main

import (
	"context"
	"fmt"
	"time"

	"carillon"
	"carillon/examples/internal/example"
)

func main() {
	arguments := example.Arguments("TOPIC")
	example.Exit(run(context.Background(), arguments[0]))
}

func run(ctx context.Context, topic string) error {
	client, err := carillon.Connect(ctx, carillon.FromEnvironment())
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	app, err := client.DefaultApp()
	if err != nil {
		return err
	}
	raid := &carillon.Notification{Title: carillon.Plain("Raid"), Body: carillon.Plain("It begins")}
	german := carillon.WithLanguages(carillon.Translations{"de": {Body: carillon.Plain("Es beginnt")}})
	sent, err := app.Send(ctx, carillon.ToTopic(topic), raid, german)
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
	counted, err := app.Send(ctx, carillon.AllDevices(), raid, german, carillon.DryRun())
	if err != nil {
		return err
	}
	fmt.Println("all devices", counted.Total)
	return nil
}
