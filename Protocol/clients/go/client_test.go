package carillon

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestManyGoroutines lets goroutines call, cancel and close while connections are cut. It is for the race detector. Every
// call ends, and no goroutine is left.
func TestManyGoroutines(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	before := runtime.NumGoroutine()
	server := startPeer(t, func(h header, _ []byte) ([]byte, *errorFrame) {
		if h.id%17 == 0 {
			return nil, &errorFrame{Code: 16, RetryAfterMs: 1}
		}
		return deviceAnswerOf(h.id), nil
	})
	client, err := New(WithAddresses(server.listener.Addr().String()), WithBackoff(time.Millisecond, 5*time.Millisecond),
		WithInFlight(32), WithTries(1000), WithHooks(Hooks{OnCall: func(CallReport) {}, OnRetry: func(RetryReport) {},
			OnState: func(StateReport) { panic("a hook that panics") }}))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var answered, cancelled, other int32
	for worker := 0; worker < 50; worker++ {
		group.Add(1)
		go func(random *rand.Rand) {
			defer group.Done()
			for index := 0; index < 100; index++ {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				if random.Intn(10) == 0 {
					go cancel()
				}
				_, err := client.App("a").Restore(ctx, DeviceID(7))
				cancel()
				switch {
				case err == nil:
					atomic.AddInt32(&answered, 1)
				case errors.Is(err, context.Canceled) && errors.Is(err, ErrCancelled):
					atomic.AddInt32(&cancelled, 1)
				default:
					t.Error(err)
					atomic.AddInt32(&other, 1)
				}
				if random.Intn(200) == 0 {
					server.cut()
				}
			}
		}(rand.New(rand.NewSource(seed + int64(worker))))
	}
	group.Wait()
	t.Logf("%d answered, %d cancelled, %d failed", answered, cancelled, other)
	client.mu.Lock()
	if client.active != 0 || client.memory != 0 || client.waiting.count != 0 || len(client.deadline) != 0 {
		t.Errorf("%d calls, %d bytes, %d waiting, %d deadlines are left", client.active, client.memory,
			client.waiting.count, len(client.deadline))
	}
	client.mu.Unlock()
	var closing sync.WaitGroup
	for index := 0; index < 3; index++ {
		closing.Add(1)
		go func() {
			defer closing.Done()
			if err := client.Close(context.Background()); err != nil {
				t.Error(err)
			}
		}()
	}
	closing.Wait()
	server.cut()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := waitFor(ctx, func() bool { return runtime.NumGoroutine() <= before+2 }); err != nil {
		stacks := make([]byte, 1<<16)
		t.Errorf("goroutines are left:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
	if _, err := client.App("a").Restore(ctx, DeviceID(7)); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestHooks: each call is reported once, and retries with their error.
func TestHooks(t *testing.T) {
	var failures int32
	server := startPeer(t, func(h header, _ []byte) ([]byte, *errorFrame) {
		if atomic.AddInt32(&failures, 1) <= 2 {
			return nil, &errorFrame{Code: 16, RetryAfterMs: 1, Message: "busy"}
		}
		return deviceAnswerOf(9), nil
	})
	var mu sync.Mutex
	var calls []CallReport
	var retries []RetryReport
	var states []State
	client := server.connect(t, WithHooks(Hooks{
		OnCall:  func(r CallReport) { calls = append(calls, r) },
		OnRetry: func(r RetryReport) { mu.Lock(); retries = append(retries, r); mu.Unlock() },
		OnState: func(r StateReport) { mu.Lock(); states = append(states, r.State); mu.Unlock() },
	}))
	ctx := context.Background()
	if id, err := client.App("a").Restore(ctx, DeviceID(9)); id != 9 || err != nil {
		t.Fatal(id, err)
	}
	if _, err := client.App("a").Restore(ctx, Device{}); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	_ = client.Close(ctx)
	if len(calls) != 2 || calls[0].Operation != "restore" || calls[0].Attempts != 3 || calls[0].Effect != Executed ||
		calls[0].Address == "" || calls[1].Code != ErrInvalidArgument || calls[1].Effect != NotExecuted {
		t.Errorf("%+v", calls)
	}
	if len(retries) != 2 || retries[1].Attempt != 2 || !errors.Is(retries[0].Err, ErrOverloaded) {
		t.Errorf("%+v", retries)
	}
	if fmt.Sprint(states) != "[connecting connected closed]" {
		t.Error(states)
	}
}

// TestIterators: a listing ends by next, not by the number of rows.
func TestIterators(t *testing.T) {
	pages := 0
	server := startPeer(t, func(h header, _ []byte) ([]byte, *errorFrame) {
		w := writer{}
		pages++
		switch pages {
		case 1: // a page without rows
			w.u64(5)
			w.u32(0)
		case 2:
			w.u64(6)
			w.u32(2)
			w.u64(1)
			w.u64(2)
		default:
			w.u64(0)
			w.u32(1)
			w.u64(3)
		}
		return w.data, nil
	})
	ids, err := server.connect(t).App("a").AllTopicDevices("t").All(context.Background())
	if err != nil || fmt.Sprint(ids) != "[1 2 3]" || pages != 3 {
		t.Error(ids, err, pages)
	}
}

// TestNothingSecretIsPrinted: keys, private keys and whole tokens are in no printed form.
func TestNothingSecretIsPrinted(t *testing.T) {
	const key, private = "crln_a-secret-key", "a private key"
	token := []byte("0123456789abcdef0123456789abcdef")
	options := []Option{WithAddresses("127.0.0.1:1"), WithAPIKey(key), WithCertificate([]byte("public"), []byte(private))}
	client, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	device := DeviceToken(Production, KindDevice, token)
	_, connecting := Connect(context.Background(), options...)
	_, sending := client.App("a").Send(context.Background(), ToDevices(device), Raw(token), WithKey(Key{}))
	printed := ""
	for _, each := range []any{client, *Ptr(options[1]), options[2], device, []Device{device}, ToDevices(device), connecting,
		sending, client.App("a"), Receipt{Device: device}} {
		printed += fmt.Sprintf("%v %+v %#v %s\n", each, each, each, each)
	}
	for _, secret := range []string{key, private, string(token), hex.EncodeToString(token)} {
		if strings.Contains(printed, secret) || strings.Contains(printed, fmt.Sprint([]byte(secret))) {
			t.Errorf("%q is printed:\n%s", secret, printed)
		}
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	server := WithAddresses("127.0.0.1:1")
	for field, options := range map[string][]Option{
		"addresses": {WithAddresses()}, "api_key": {server, WithAPIKey("")}, "tries": {server, WithTries(0)},
		"backoff": {server, WithBackoff(0, 1)}, "request_timeout": {server, WithRequestTimeout(0)},
		"receive_limit": {server, WithReceiveLimit(100)}, "security": {server, WithSecurity("none")},
		"ca_file": {server, WithCAFile("")}, "in_flight": {server, WithInFlight(0)}, "server_name": {server, WithServerName("")},
	} {
		var failed *Error
		if _, err := New(options...); !errors.As(err, &failed) || failed.Field != field || failed.Code != ErrInvalidArgument {
			t.Errorf("%s: %v", field, err)
		}
	}
	many := strings.TrimSuffix(strings.Repeat("a:1,", 33), ",")
	for _, each := range []string{"", "a", "a:0", "a:70000", "a:1,", ":1", "unix:", "::1:7474", "[::1]", "a:1:2", many} {
		if _, err := New(WithAddresses(each)); !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("%q: %v", each, err)
		}
	}
	client, err := New(WithAddresses(" a:1 , [::1]:2", "unix:/run/c.sock"), WithSoftware(strings.Repeat("ü", 60)))
	if err != nil || len(client.targets) != 3 || len(client.settings.software) > 64 ||
		!strings.HasPrefix(client.settings.software, "carillon-go/1.0.0 ü") {
		t.Error(client, err)
	}
}

func TestOptionsOfCallsThatAreRefused(t *testing.T) {
	client, err := New(WithAddresses("127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, app := context.Background(), client.App("a")
	raw := Raw("{}")
	for field, call := range map[string]func() error{
		"audience":   func() error { _, err := app.Send(ctx, Audience{}, raw); return err },
		"send_at":    func() error { _, err := app.Send(ctx, AllDevices(), raw, WithSendAt(time.Time{})); return err },
		"expiration": func() error { _, err := app.Send(ctx, AllDevices(), raw, WithExpiration(time.Time{})); return err },
		"not_after":  func() error { _, err := app.Send(ctx, AllDevices(), raw, WithNotAfter(time.Time{})); return err },
		"key":        func() error { _, err := app.Send(ctx, AllDevices(), raw, WithKey(Key{})); return err },
		"outcomes":   func() error { _, err := app.Resend(ctx, 1, WithOutcomes()); return err },
		"apps":       func() error { _, err := client.Events(ctx, WithApps()); return err },
		"kinds":      func() error { _, err := client.Events(ctx, WithKinds()); return err },
		"window":     func() error { _, err := client.Events(ctx, WithWindow(1)); return err },
		"action":     func() error { _, err := app.UpdateMessage(ctx, 1, MessageUpdate{}); return err },
		"group":      func() error { _, err := app.Join(ctx, "\x00", nil); return err },
		"device":     func() error { _, err := app.Lookup(ctx, DeviceToken(Production, KindDevice, nil)); return err },
		"payload":    func() error { _, err := app.Send(ctx, AllDevices(), (*Notification)(nil)); return err },
		"bodies.de": func() error {
			_, err := app.Send(ctx, AllDevices(), nil, WithLanguages(PayloadsByLanguage{"de": nil}))
			return err
		},
		"items": func() error { _, err := client.RegisterBatch(ctx, []Registration{{}}); return err },
	} {
		var failed *Error
		if err := call(); !errors.As(err, &failed) || failed.Field != field || failed.Effect != NotExecuted {
			t.Errorf("%s: %v", field, err)
		}
	}
	if client.current != nil || client.isConnecting {
		t.Error("a refused call has connected")
	}
}

func TestEnvironment(t *testing.T) {
	server := startPeer(t, zeros)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(" a-key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"CARILLON_SERVER": server.listener.Addr().String(), "CARILLON_APP": "com.example.game",
		"CARILLON_API_KEY_FILE": file, "CARILLON_API_KEY": "another", "CARILLON_CA_FILE": "", "CARILLON_SECURITY": "plaintext"} {
		t.Setenv(name, value)
	}
	client, err := Connect(context.Background(), FromEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	app, err := client.DefaultApp()
	if key, keyErr := client.settings.key(context.Background()); err != nil || app.Name() != "com.example.game" ||
		string(key) != "a-key" || keyErr != nil {
		t.Error(app, err, key, keyErr)
	}
	// An option overrides a variable, wherever it stands.
	if other, err := New(WithAddresses("b:1"), FromEnvironment()); err != nil || other.targets[0].address.text != "b:1" {
		t.Error(other, err)
	}
	t.Setenv("CARILLON_API_KEY_FILE", "")
	t.Setenv("CARILLON_API_KEY", strings.Repeat("secret", 100))
	_, err = New(FromEnvironment())
	var failed *Error
	if !errors.As(err, &failed) || failed.Field != "CARILLON_API_KEY" || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// TestContexts: what has ended is not begun, and the error is that of the context.
func TestContexts(t *testing.T) {
	block := make(chan struct{})
	server := startPeer(t, func(header, []byte) ([]byte, *errorFrame) { <-block; return deviceAnswerOf(1), nil })
	defer close(block)
	client := server.connect(t)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var failed *Error
	if _, err := client.App("a").Restore(ended, DeviceID(1)); !errors.As(err, &failed) || failed.Attempts != 0 ||
		!errors.Is(err, context.Canceled) || !failed.IsNotExecuted() {
		t.Error(err)
	}
	// On a busy machine the time of a call can be over before it is written: it has no effect, and the next has more.
	var short context.Context
	for limit := 20 * time.Millisecond; short == nil || failed.IsNotExecuted(); limit *= 2 {
		short, cancel = context.WithTimeout(context.Background(), limit)
		defer cancel()
		if _, err := client.App("a").Restore(short, DeviceID(1)); !errors.As(err, &failed) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	if failed.Code != ErrNoAnswer || failed.Effect != EffectUnknown || !failed.Timeout() || !IsSafeToRetry(failed) {
		t.Error(failed)
	}
	// A call that is written does not keep Close longer than its context allows.
	results := make(chan error, 1)
	go func() {
		_, err := client.App("a").Restore(context.Background(), DeviceID(1))
		results <- err
	}()
	isWritten := func() bool {
		client.mu.Lock()
		defer client.mu.Unlock()
		return client.active == 1 && client.waiting.count == 0
	}
	if err := waitFor(context.Background(), isWritten); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := <-results; !errors.As(err, &failed) || failed.Code != ErrClosed || failed.Effect != EffectUnknown {
		t.Error(err)
	}
	if err := client.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestStreamWithoutAServer(t *testing.T) {
	client, err := New(WithAddresses("127.0.0.1:1"), WithRequestTimeout(50*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := client.Events(context.Background()); !errors.Is(err, ErrCannotConnect) && !errors.Is(err, ErrNoAnswer) {
		t.Error(err)
	}
	_ = client.Close(context.Background())
	if _, err := client.Events(context.Background()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// TestTimes: every number of milliseconds survives.
func TestTimes(t *testing.T) {
	for _, each := range []uint64{0, 1, 1790000000000, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		if found := millisecondsOf(timeOf(each)); found != each {
			t.Errorf("%d became %d", each, found)
		}
	}
	if millisecondsOf(time.Unix(-5, 0)) != 1 || millisecondsOf(time.Unix(0, 0)) != 1 || !timeOf(0).IsZero() {
		t.Error("a time became now")
	}
}

// TestKeys: many goroutines get keys of version 4, all of them different.
func TestKeys(t *testing.T) {
	var mu sync.Mutex
	var group sync.WaitGroup
	found := map[Key]bool{}
	for worker := 0; worker < 8; worker++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for index := 0; index < 1000; index++ {
				key := NewKey()
				mu.Lock()
				if found[key] || key[6]>>4 != 4 || key[8]>>6 != 2 {
					t.Errorf("the key %s", key)
				}
				found[key] = true
				mu.Unlock()
			}
		}()
	}
	group.Wait()
}
