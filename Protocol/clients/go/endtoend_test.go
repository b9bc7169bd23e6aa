package carillon

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// realServer is carillond with an APNs simulator, run by testdata/server.py.
type realServer struct {
	Address string
	KeyFile string `json:"key_file"`
	App     string
	input   io.Writer
	lines   *bufio.Scanner
}

func startRealServer(t testing.TB) *realServer {
	t.Helper()
	if os.Getenv("CARILLON_PROGRAMS") == "" {
		t.Skip("CARILLON_PROGRAMS is not set: there is no server to run against")
	}
	process := exec.Command("python3", "-B", "testdata/server.py")
	process.Stderr = os.Stderr
	input, err := process.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = process.Wait()
	})
	s := &realServer{input: input, lines: bufio.NewScanner(output)}
	if !s.lines.Scan() || json.Unmarshal(s.lines.Bytes(), s) != nil {
		t.Fatalf("the server said %q", s.lines.Text())
	}
	return s
}

// restart ends the server with a signal, starts it again, and waits for that.
func (s *realServer) restart(signal string) error {
	if _, err := io.WriteString(s.input, signal+"\n"); err != nil {
		return err
	}
	if !s.lines.Scan() || !strings.Contains(s.lines.Text(), signal) {
		return fmt.Errorf("the server said %q", s.lines.Text())
	}
	return nil
}

func (s *realServer) connect(t testing.TB, options ...Option) *Client {
	t.Helper()
	options = append([]Option{WithAddresses(s.Address), WithAPIKeyFile(s.KeyFile)}, options...)
	client, err := Connect(context.Background(), options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close(context.Background()) })
	return client
}

// TestSendsSurviveARestart sends 1,000 messages at once, of which the later ones meet the end of the server: each is
// accepted once, none is lost, none is there twice.
func TestSendsSurviveARestart(t *testing.T) {
	server := startRealServer(t)
	for _, signal := range []string{"TERM", "KILL"} {
		t.Run(signal, func(t *testing.T) { sendThroughRestart(t, server, signal) })
	}
}

const sends = 1000

func sendThroughRestart(t *testing.T, server *realServer, signal string) {
	var connections, retries int32
	client := server.connect(t, WithBackoff(20*time.Millisecond, 500*time.Millisecond), WithHooks(Hooks{
		OnState: func(report StateReport) {
			if report.State == StateConnected {
				atomic.AddInt32(&connections, 1)
			}
		},
		OnRetry: func(RetryReport) { atomic.AddInt32(&retries, 1) },
	}))
	app := client.App(server.App)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	token := make([]byte, 32)
	copy(token, signal)
	device, err := app.Register(ctx, Registration{Token: token, SeenAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	ids, restarted := make([]uint64, sends), make(chan error, 1)
	var group sync.WaitGroup
	var answered int32
	for index := 0; index < sends; index++ {
		group.Add(1)
		go func(index int) {
			defer group.Done()
			sent, err := app.Send(ctx, ToDevices(DeviceByID(device.DeviceID)), &Notification{Body: Plain("Hello")},
				WithLabel(fmt.Sprintf("%s-%d", signal, index)))
			if err != nil {
				t.Errorf("message %d: %v", index, err)
				return
			}
			ids[index] = sent.MessageID
			if atomic.AddInt32(&answered, 1) == sends/4 {
				go func() { restarted <- server.restart(signal) }()
			}
		}(index)
		if index == sends/2 {
			// The other half meets the server while it ends, or is gone.
			if err := waitFor(ctx, func() bool { return atomic.LoadInt32(&answered) >= sends/4 }); err != nil {
				t.Fatal(err)
			}
		}
	}
	group.Wait()
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	checkAccepted(ctx, t, app, signal, ids)
	t.Logf("%d connections, %d retries", atomic.LoadInt32(&connections), atomic.LoadInt32(&retries))
	if atomic.LoadInt32(&connections) < 2 {
		t.Error("the server was not lost while messages were sent")
	}
}

func waitFor(ctx context.Context, isTrue func() bool) error {
	for !isTrue() {
		if err := sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// checkAccepted asks the server which messages it has.
func checkAccepted(ctx context.Context, t *testing.T, app *App, signal string, ids []uint64) {
	listed, err := app.AllMessages(MessageFilter{Label: signal + "-"}).All(ctx)
	if err != nil {
		t.Fatal(err)
	}
	byLabel := map[string]uint64{}
	for _, each := range listed {
		if before, isTwice := byLabel[each.Details.Label]; isTwice {
			t.Errorf("%s is there twice: %d and %d", each.Details.Label, before, each.MessageID)
		}
		byLabel[each.Details.Label] = each.MessageID
	}
	for index, id := range ids {
		if label := fmt.Sprintf("%s-%d", signal, index); byLabel[label] != id || id == 0 {
			t.Errorf("%s is message %d for the server, %d for the client", label, byLabel[label], id)
		}
	}
	if len(listed) != len(ids) {
		t.Errorf("the server has %d messages", len(listed))
	}
}

// TestStreamAcrossARestart follows messages through the loss of the server: no event is missing, none comes twice.
func TestStreamAcrossARestart(t *testing.T) {
	server := startRealServer(t)
	client := server.connect(t, WithBackoff(20*time.Millisecond, 500*time.Millisecond))
	app := client.App(server.App)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	device, err := app.Register(ctx, Registration{Token: []byte("a token of 32 bytes for a stream"), SeenAt: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := client.Events(ctx, WithName("test"), WithKinds(EventMessageFinished), WithWindow(4))
	if err != nil {
		t.Fatal(err)
	}
	sent := map[uint64]bool{}
	for index := 0; index < 40; index++ {
		if index == 20 {
			if err := server.restart("KILL"); err != nil {
				t.Fatal(err)
			}
		}
		message, err := app.Send(ctx, ToDevices(DeviceByID(device.DeviceID)), Raw(`{"aps":{"alert":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		sent[message.MessageID] = true
	}
	for len(sent) > 0 {
		element, err := stream.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		event, ok := element.(*Event)
		if !ok || !sent[event.MessageID] {
			t.Fatalf("%+v was not expected", element)
		}
		delete(sent, event.MessageID)
		if err := stream.Acknowledge(event.Sequence); err != nil {
			t.Fatal(err)
		}
	}
	if err := stream.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	if err := stream.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Next(ctx); err != io.EOF {
		t.Fatal(err)
	}
	if found, err := client.ForgetSubscriber(ctx, "test"); err != nil || found != ForgetResultForgotten {
		t.Fatal(found, err)
	}
}
