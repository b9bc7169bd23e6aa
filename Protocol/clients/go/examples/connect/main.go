// The example connect opens a connection and shows the server.
package main

import (
	"context"
	"fmt"

	"carillon"
	"carillon/examples/internal/example"
)

func main() { example.Exit(run(context.Background())) }

func run(ctx context.Context) error {
	client, err := carillon.Connect(ctx, carillon.FromEnvironment())
	if err != nil {
		return err
	}
	defer client.Close(ctx)
	server, _ := client.Server()
	fmt.Println("server", server.Software)
	fmt.Println("principal", server.Principal)
	if err := client.Ping(ctx); err != nil {
		return err
	}
	fmt.Println("round trip ok")
	return nil
}
