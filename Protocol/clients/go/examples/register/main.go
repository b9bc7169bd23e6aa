// The example register registers a device: register TOKEN.
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
	registered, err := app.Register(ctx, carillon.Registration{
		Token:      token,
		SeenAt:     time.Now(),
		Locale:     carillon.Ptr("de-AT"),
		Attributes: map[string]string{"platform": "ios"},
	})
	if err != nil {
		return err
	}
	fmt.Println("device", registered.DeviceID, registered.Result)
	return nil
}
