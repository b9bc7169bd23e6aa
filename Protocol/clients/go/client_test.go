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

// TestManyGoroutines lets goroutines call and cancel while connections are cut, and then closes three times at once. It
// is for the race detector. Every call ends, and no goroutine is left.
func TestManyGoroutines(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	before := runtime.NumGoroutine()
	server := startPeer(t, func(h header, _ []byte) ([]byte, *errorFrame) {
		if h.id%17 == 0 {
			return nil, &errorFrame{Code: numberOf(ErrOverloaded), RetryAfterMs: 1}
		}
		return deviceAnswerOf(h.id), nil
	})
	client, err := New(WithAddresses(server.listener.Addr().String()), WithBackoff(time.Millisecond, 5*time.Millisecond),
		WithMaximumInFlight(32), WithMaximumAttempts(1000), WithHooks(Hooks{
			OnCall: func(CallReport) {}, OnRetry: func(RetryReport) {},
			OnState: func(StateReport) { panic("a hook that panics") }}))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for worker := 0; worker < 50; worker++ {
		group.Add(1)
		go func(random *rand.Rand) {
			defer group.Done()
			callAndCancel(t, random, client, server)
		}(rand.New(rand.NewSource(seed + int64(worker))))
	}
	group.Wait()
	client.mu.Lock()
	expect(t, "the number of calls", client.activeCount, 0)
	expect(t, "their bytes", client.requestBytes, 0)
	expect(t, "the number of calls that wait", client.waiting.count, 0)
	expect(t, "the number of deadlines", len(client.schedule), 0)
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
	_, err = client.App("a").Restore(ctx, DeviceByID(7))
	expectError(t, err, ErrClosed)
}

// callAndCancel makes 100 calls, of which it cancels about ten, and sometimes cuts all connections of the server.
func callAndCancel(t *testing.T, random *rand.Rand, client *Client, server *peer) {
	for index := 0; index < 100; index++ {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		if random.Intn(10) == 0 {
			go cancel()
		}
		if _, err := client.App("a").Restore(ctx, DeviceByID(7)); err != nil {
			expectError(t, err, context.Canceled)
			expectError(t, err, ErrCancelled)
		}
		cancel()
		if random.Intn(200) == 0 {
			server.cut()
		}
	}
}

// TestHooks: each call is reported once, and retries with their error.
func TestHooks(t *testing.T) {
	var failures int32
	server := startPeer(t, func(h header, _ []byte) ([]byte, *errorFrame) {
		if atomic.AddInt32(&failures, 1) <= 2 {
			return nil, &errorFrame{Code: numberOf(ErrOverloaded), RetryAfterMs: 1, Message: "busy"}
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
	if id, err := client.App("a").Restore(ctx, DeviceByID(9)); id != 9 || err != nil {
		t.Fatal(id, err)
	}
	if _, err := client.App("a").Restore(ctx, DeviceReference{}); !errors.Is(err, ErrInvalidArgument) {
		t.Fatal(err)
	}
	_ = client.Close(ctx)
	if len(calls) != 2 || len(retries) != 2 {
		t.Fatalf("calls %+v, retries %+v", calls, retries)
	}
	expect(t, "the operation", calls[0].Operation, "restore")
	expect(t, "the number of attempts", calls[0].Attempts, 3)
	expect(t, "the effect", calls[0].Effect, Executed)
	expect(t, "the address", calls[0].Address, server.listener.Addr().String())
	expect(t, "the code of the second call", calls[1].Code, ErrInvalidArgument)
	expect(t, "the effect of the second call", calls[1].Effect, NotExecuted)
	expect(t, "the attempt that failed second", retries[1].Attempt, 2)
	expectError(t, retries[0].Err, ErrOverloaded)
	expect(t, "the list of states", fmt.Sprint(states), "[connecting connected closed]")
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
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the list of ids", fmt.Sprint(ids), "[1 2 3]")
	expect(t, "the number of pages", pages, 3)
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
	device := DeviceByToken(Production, KindDevice, token)
	_, connecting := Connect(context.Background(), options...)
	_, sending := client.App("a").Send(context.Background(), ToDevices(device), Raw(token), WithKey(Key{}))
	printed := ""
	for _, each := range []any{client, *Ptr(options[1]), options[2], device, []DeviceReference{device}, ToDevices(device),
		connecting, sending, client.App("a"), Receipt{Device: device}} {
		printed += fmt.Sprintf("%v %+v %#v %s\n", each, each, each, each)
	}
	for _, secret := range []string{key, private, string(token), hex.EncodeToString(token)} {
		if strings.Contains(printed, secret) || strings.Contains(printed, fmt.Sprint([]byte(secret))) {
			t.Errorf("%q is printed:\n%s", secret, printed)
		}
	}
}

func TestAPrintedTokenShowsAtMostFourBytesAndNeverMoreThanHalf(t *testing.T) {
	for text, printed := range map[string]string{"0123456789abcdef01": "01234567…", "0123456789abcdef": "01234567…",
		"0123456789abcd": "012345…", "0123456789": "0123…", "012345": "01…", "0123": "01…", "01": "…"} {
		token, err := ParseToken(text)
		if err != nil {
			t.Fatal(err)
		}
		device := DeviceByToken(Production, KindDevice, token)
		expect(t, "the device of "+text, device.String(), "production device token "+printed)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	server := WithAddresses("127.0.0.1:1")
	for field, options := range map[string][]Option{
		"addresses": {WithAddresses()}, "api_key": {server, WithAPIKey("")},
		"maximum_attempts": {server, WithMaximumAttempts(0)},
		"backoff":          {server, WithBackoff(0, 1)}, "request_timeout": {server, WithRequestTimeout(0)},
		"maximum_receive_bytes": {server, WithMaximumReceiveBytes(100)}, "security": {server, WithSecurity("none")},
		"ca_file": {server, WithCAFile("")}, "maximum_in_flight": {server, WithMaximumInFlight(0)},
		"server_name": {server, WithServerName("")},
	} {
		_, err := New(options...)
		expectError(t, err, ErrInvalidArgument)
		expect(t, "the field", errorIn(t, err).Field, field)
	}
	many := strings.TrimSuffix(strings.Repeat("a:1,", 33), ",")
	for _, each := range []string{"", "a", "a:0", "a:70000", "a:1,", ":1", "unix:", "::1:7474", "[::1]", "a:1:2", many} {
		if _, err := New(WithAddresses(each)); !errors.Is(err, ErrInvalidArgument) {
			t.Errorf("%q: %v", each, err)
		}
	}
}

func TestAddressesInTextsAndLists(t *testing.T) {
	client, err := New(WithAddresses(" a:1 , [::1]:2", "unix:/run/c.sock"))
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the number of addresses", len(client.targets), 3)
}

func TestNameOfTheClientHasAtMost64Bytes(t *testing.T) {
	client, err := New(WithAddresses("a:1"), WithProgramName(strings.Repeat("ü", 60)))
	if err != nil {
		t.Fatal(err)
	}
	software, beginning := client.settings.software, "carillon-go/"+Version+" ü"
	if len(software) > 64 || !strings.HasPrefix(software, beginning) {
		t.Error(software)
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
		"device":     func() error { _, err := app.Lookup(ctx, DeviceByToken(Production, KindDevice, nil)); return err },
		"payload":    func() error { _, err := app.Send(ctx, AllDevices(), (*Notification)(nil)); return err },
		"bodies.de": func() error {
			_, err := app.Send(ctx, AllDevices(), nil, WithLanguages(PayloadsByLanguage{"de": nil}))
			return err
		},
		"items": func() error { _, err := client.RegisterBatch(ctx, []Registration{{}}); return err },
	} {
		failed := errorIn(t, call())
		expect(t, "the field", failed.Field, field)
		expect(t, "the effect of "+field, failed.Effect, NotExecuted)
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
	for name, value := range map[string]string{"CARILLON_SERVER": server.listener.Addr().String(),
		"CARILLON_APP": "com.example.game", "CARILLON_API_KEY_FILE": file, "CARILLON_API_KEY": "another",
		"CARILLON_CA_FILE": "", "CARILLON_SECURITY": "plaintext"} {
		t.Setenv(name, value)
	}
	client, err := Connect(context.Background(), FromEnvironment())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close(context.Background())
	app, err := client.DefaultApp()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the app", app.Name(), "com.example.game")
	key, err := client.settings.key(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "the key", string(key), "a-key")
}

// TestOptionOverridesEnvironment: an option overrides a variable, wherever it stands.
func TestOptionOverridesEnvironment(t *testing.T) {
	t.Setenv("CARILLON_SERVER", "a:1")
	for _, options := range [][]Option{
		{WithAddresses("b:1"), FromEnvironment()}, {FromEnvironment(), WithAddresses("b:1")},
	} {
		client, err := New(options...)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "the address", client.targets[0].address.text, "b:1")
	}
}

func TestInvalidVariableIsNamedWithoutItsValue(t *testing.T) {
	t.Setenv("CARILLON_API_KEY_FILE", "")
	t.Setenv("CARILLON_API_KEY", strings.Repeat("secret", 100))
	_, err := New(FromEnvironment())
	expect(t, "the field", errorIn(t, err).Field, "CARILLON_API_KEY")
	if strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
}

// TestEndedContext: a call whose context has ended is not begun, and its error is that of the context.
func TestEndedContext(t *testing.T) {
	client := startPeer(t, zeros).connect(t)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := client.App("a").Restore(ended, DeviceByID(1))
	expectError(t, err, context.Canceled)
	failed := errorIn(t, err)
	expect(t, "the number of attempts", failed.Attempts, 0)
	expect(t, "the effect", failed.Effect, NotExecuted)
}

// startSilentPeer starts a peer that answers no request before the test has ended.
func startSilentPeer(t *testing.T) *peer {
	block := make(chan struct{})
	server := startPeer(t, func(header, []byte) ([]byte, *errorFrame) { <-block; return deviceAnswerOf(1), nil })
	t.Cleanup(func() { close(block) })
	return server
}

// TestDeadlineOfAWrittenCall: its effect is unknown, and its error is that of the context.
func TestDeadlineOfAWrittenCall(t *testing.T) {
	client := startSilentPeer(t).connect(t)
	var failed *Error
	// On a busy machine the time of a call can be over before it is written: it has no effect, and the next has more.
	for limit := 20 * time.Millisecond; failed == nil || failed.IsNotExecuted(); limit *= 2 {
		short, cancel := context.WithTimeout(context.Background(), limit)
		_, err := client.App("a").Restore(short, DeviceByID(1))
		cancel()
		expectError(t, err, context.DeadlineExceeded)
		failed = errorIn(t, err)
	}
	expect(t, "the code", failed.Code, ErrNoAnswer)
	expect(t, "the effect", failed.Effect, EffectUnknown)
	expect(t, "Timeout()", failed.Timeout(), true)
	expect(t, "IsSafeToRetry()", IsSafeToRetry(failed), true)
}

// TestCloseWithAnEndedContext: a call that is written does not keep Close longer than its context allows.
func TestCloseWithAnEndedContext(t *testing.T) {
	client := startSilentPeer(t).connect(t)
	results := make(chan error, 1)
	go func() {
		_, err := client.App("a").Restore(context.Background(), DeviceByID(1))
		results <- err
	}()
	isWritten := func() bool {
		client.mu.Lock()
		defer client.mu.Unlock()
		return client.activeCount == 1 && client.waiting.count == 0
	}
	if err := waitFor(context.Background(), isWritten); err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithDeadline(context.Background(), time.Now())
	defer cancel()
	expectError(t, client.Close(over), context.DeadlineExceeded)
	failed := errorIn(t, <-results)
	expect(t, "the code", failed.Code, ErrClosed)
	expect(t, "the effect", failed.Effect, EffectUnknown)
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
	// 0 means now.
	expect(t, "five seconds before 1970", millisecondsOf(time.Unix(-5, 0)), 1)
	expect(t, "the beginning of 1970", millisecondsOf(time.Unix(0, 0)), 1)
	expect(t, "0 as the zero time", timeOf(0).IsZero(), true)
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
