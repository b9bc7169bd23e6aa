// The example look_up shows a device and its memberships, and handles an error: look_up TOKEN UNKNOWN.
package main

import (
	"context"
	"errors"
	"fmt"

	"carillon"
	"carillon/examples/internal/example"
)

func main() {
	arguments := example.Arguments("TOKEN", "UNKNOWN")
	example.Exit(run(context.Background(), arguments[0], arguments[1]))
}

func run(ctx context.Context, known, unknown string) error {
	client, err := carillon.Connect(ctx, carillon.FromEnvironment())
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	app, err := client.DefaultApp()
	if err != nil {
		return err
	}
	token, err := carillon.ParseToken(known)
	if err != nil {
		return err
	}
	device := carillon.DeviceByToken(carillon.Production, carillon.KindDevice, token)
	found, err := app.Lookup(ctx, device)
	if err != nil {
		return err
	}
	fmt.Print("device ", found.DeviceID, " ", found.State, " ", found.Locale)
	for key, value := range found.Attributes {
		fmt.Print(" ", key, "=", value)
	}
	fmt.Println()
	memberships, err := app.Memberships(ctx, device, carillon.NamePageRequest{})
	if err != nil {
		return err
	}
	for _, each := range memberships.Groups {
		fmt.Println("group", each.Group)
	}
	for _, each := range memberships.Topics {
		fmt.Println("topic", each.Topic, "through", each.Source)
	}
	if token, err = carillon.ParseToken(unknown); err != nil {
		return err
	}
	_, err = app.Lookup(ctx, carillon.DeviceByToken(carillon.Production, carillon.KindDevice, token))
	var failed *carillon.Error
	if errors.Is(err, carillon.ErrNotFound) && errors.As(err, &failed) {
		fmt.Println(failed.Code, failed.Effect, failed.Field)
		return nil
	}
	return err
}
