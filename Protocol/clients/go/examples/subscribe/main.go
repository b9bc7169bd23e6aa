// The example subscribe puts a device into a group, and subscribes the group to a topic: subscribe TOKEN GROUP TOPIC.
package main

import (
	"context"
	"fmt"

	"carillon"
	"carillon/examples/internal/example"
)

func main() {
	arguments := example.Arguments("TOKEN", "GROUP", "TOPIC")
	example.Exit(run(context.Background(), arguments[0], arguments[1], arguments[2]))
}

func run(ctx context.Context, text, group, topic string) error {
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
	joined, err := app.Join(ctx, group, []carillon.DeviceReference{device})
	if err != nil {
		return err
	}
	fmt.Println("joined", joined.Joined)
	subscribed, err := app.Subscribe(ctx, []string{topic}, carillon.Subscribers{Groups: []string{group}})
	if err != nil {
		return err
	}
	fmt.Println("changed", subscribed.Changed)
	return nil
}
