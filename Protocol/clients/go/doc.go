// Package carillon is the client of Carillon, a self-hosted push service: it speaks CRLN/1 over TCP, TLS or a Unix
// socket.
//
// Make one Client and keep it. All its calls share one connection, on which requests are pipelined; it is safe for any
// number of goroutines. Calls about an app are methods of App:
//
//	client, err := carillon.Connect(ctx, carillon.WithAddresses("push.example.com:7474"), carillon.WithAPIKeyFile("key"))
//	if err != nil { … }
//	defer client.Close(context.Background())
//	app := client.App("com.example.game")
//	sent, err := app.Send(ctx, carillon.ToGroups("user/42"), &carillon.Notification{Body: carillon.Plain("Hello")})
//
// The context of a call bounds all of it: waiting, connecting, every attempt and pause. Without a deadline in the
// context it is the request timeout, 10 s. The client repeats a request by itself if that does no harm. Send makes a
// random idempotency key for each call, so that a message is accepted once, whatever happens to connections and
// servers.
//
// Every error is an *Error. It says whether the call has had an effect, and whether it may be made again:
//
//	if errors.Is(err, carillon.ErrNotFound) { … }
//	if carillon.IsSafeToRetry(err) { … }
//
// No audience is ever the default: a message to all devices says AllDevices().
package carillon
