// The example follow follows a message by events and reports a receipt: follow TOKEN NAME.
package main

import (
	"context"
	"fmt"

	"carillon"
	"carillon/examples/internal/example"
)

func main() {
	arguments := example.Arguments("TOKEN", "NAME")
	example.Exit(run(context.Background(), arguments[0], arguments[1]))
}

func run(ctx context.Context, text, name string) error {
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
	stream, err := client.Events(ctx, carillon.WithName(name), carillon.WithKinds(carillon.EventMessageFinished))
	if err != nil {
		return err
	}
	defer stream.Close(ctx)
	seen := &carillon.Notification{Body: carillon.Plain("Seen?")}
	sent, err := app.Send(ctx, carillon.ToDevices(device), seen, carillon.WithIDKey("id"))
	if err != nil {
		return err
	}
	finished, err := next(ctx, stream, sent.MessageID)
	if err != nil {
		return err
	}
	fmt.Println("message", sent.MessageID, "finished", *finished.Count)
	receipts := []carillon.Receipt{{MessageID: sent.MessageID, Device: device, Kind: carillon.ReceiptOpened}}
	counted, err := app.ReportReceipts(ctx, receipts)
	if err != nil {
		return err
	}
	fmt.Println("opened", counted.Counted)
	if err := stream.Acknowledge(finished.Sequence); err != nil {
		return err
	}
	if err := stream.Flush(ctx); err != nil {
		return err
	}
	fmt.Println("acknowledged")
	return stream.Close(ctx)
}

// next returns the event of a message.
func next(ctx context.Context, stream *carillon.EventStream, messageID uint64) (*carillon.Event, error) {
	for {
		element, err := stream.Next(ctx)
		if err != nil {
			return nil, err
		}
		if event, ok := element.(*carillon.Event); ok && event.MessageID == messageID {
			return event, nil
		}
	}
}
