package carillon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	behaviourVectors = 125
	// waitLimit bounds each wait of the runner.
	waitLimit = 10 * time.Second
)

type behaviour struct {
	Name    string   `json:"name"`
	Servers object   `json:"servers"`
	Options object   `json:"options"`
	Client  []object `json:"client"`
}

// TestBehaviour plays the behaviour vectors against fake_server.py.
func TestBehaviour(t *testing.T) {
	count := 0
	eachFile(t, "behaviour", func(path string) {
		var vectors []behaviour
		readJSON(t, path, &vectors)
		for _, v := range vectors {
			v := v
			count++
			t.Run(v.Name, func(t *testing.T) {
				t.Parallel()
				play(t, &v)
			})
		}
	})
	if count != behaviourVectors {
		t.Errorf("there are %d vectors", count)
	}
}

// player is one vector that is being played.
type player struct {
	t       *testing.T
	vector  *behaviour
	server  *fakeServer
	client  *Client
	results map[string]chan result
	streams map[string]*EventStream
	cancels map[string]context.CancelFunc

	mu         sync.Mutex
	credential string
	states     []string
}

// result is what a call gave: its answer, an element of a stream, or an error.
type result struct {
	value any
	err   error
}

func play(t *testing.T, v *behaviour) {
	p := &player{t: t, vector: v, server: startFakeServer(t, v.Name), results: map[string]chan result{},
		streams: map[string]*EventStream{}, cancels: map[string]context.CancelFunc{}}
	for index, action := range v.Client {
		if err := p.perform(action); err != nil {
			t.Errorf("action %d, %s: %v", index+1, action["do"], err)
			break
		}
	}
	if p.client != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		defer cancel()
		_ = p.client.Close(ctx)
	}
	for _, problem := range p.server.verdict() {
		t.Error(problem)
	}
}

func text(action object, name string) string {
	found, _ := action[name].(string)
	return found
}

func (p *player) perform(action object) error {
	name := text(action, "as")
	switch action["do"] {
	case "connect":
		return p.connect(action)
	case "call":
		return p.call(action)
	case "send":
		return p.send(action)
	case "wait":
		return p.compare(p.await(text(action, "for")), action)
	case "cancel":
		p.cancels[text(action, "call")]()
	case "ping":
		return p.begin(action, name, func(ctx context.Context) (any, error) { return nil, p.client.Ping(ctx) })
	case "events":
		return p.events(action)
	case "take":
		ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
		defer cancel()
		stream := p.streams[text(action, "from")]
		// A server that has sent the answer to SUBSCRIBE_EVENTS knows before the client does.
		_ = stream.wait(ctx, func() bool { return stream.state != streamSubscribing })
		element, err := stream.Next(ctx)
		return p.compare(result{element, err}, action)
	case "ack":
		sequence, _ := numberOfJSON(action["sequence"])
		return p.compare(result{nil, p.streams[text(action, "from")].Acknowledge(sequence)}, action)
	case "flush":
		return p.streams[text(action, "from")].Flush(context.Background())
	case "end_events":
		return p.streams[text(action, "from")].Close(context.Background())
	case "close":
		return p.close(action, name)
	case "await":
		return p.server.await(text(action, "name"))
	case "signal":
		p.server.command("signal " + text(action, "name"))
	case "credential":
		p.mu.Lock()
		p.credential = text(action, "value")
		p.mu.Unlock()
	case "states":
		return p.compareStates(action["expect"].([]any))
	default:
		return errors.New("an unknown action")
	}
	return nil
}

// handed is a context that notices when a call waits for its result: it was handed to the client then.
type handed struct {
	context.Context
	once *sync.Once
	done chan struct{}
}

func (h handed) Done() <-chan struct{} {
	h.once.Do(func() { close(h.done) })
	return h.Context.Done()
}

// begin runs a call; with a name it only waits until the call is handed to the client.
func (p *player) begin(action object, name string, run func(context.Context) (any, error)) error {
	ctx, cancel := context.WithCancel(context.Background())
	if milliseconds, ok := action["timeout_ms"]; ok {
		ctx, cancel = context.WithTimeout(context.Background(), millisecondsOfJSON(milliseconds))
	}
	results := make(chan result, 1)
	begun := handed{ctx, &sync.Once{}, make(chan struct{})}
	go func() {
		value, err := run(begun)
		results <- result{value, err}
		begun.once.Do(func() { close(begun.done) })
	}()
	key := name
	if name == "" {
		key = "the action itself"
	}
	p.results[key], p.cancels[key] = results, cancel
	if name != "" {
		<-begun.done
		return nil
	}
	return p.compare(p.await(key), action)
}

func (p *player) await(name string) result {
	select {
	case found := <-p.results[name]:
		return found
	case <-time.After(2 * waitLimit):
		return result{nil, errors.New("the result did not come")}
	}
}

func millisecondsOfJSON(value any) time.Duration {
	number, _ := numberOfJSON(value)
	return time.Duration(number) * time.Millisecond
}

// Connecting

func (p *player) connect(action object) error {
	values := object{}
	for _, each := range []any{any(p.vector.Options), action["options"]} {
		more, _ := each.(object)
		for name, value := range more {
			values[name] = value
		}
	}
	options, isLazy, err := p.options(values)
	if err != nil {
		return err
	}
	options = append(options, WithHooks(Hooks{OnState: p.noteState}))
	client, err := New(options...)
	if err != nil {
		return p.compare(result{nil, err}, action)
	}
	if p.client != nil {
		p.t.Cleanup(func() { _ = client.Close(context.Background()) })
	}
	p.client = client
	if isLazy {
		return nil
	}
	return p.begin(action, text(action, "as"), func(ctx context.Context) (any, error) { return nil, client.Connect(ctx) })
}

// keyOptions returns the option of the key; none if the vector says that the client has no key.
func (p *player) keyOptions(values object) []Option {
	key, isGiven := values["api_key"]
	if !isGiven {
		key = "test-key"
	}
	if key == nil {
		return nil
	}
	if values["credential"] != "function" {
		return []Option{WithAPIKey(key.(string))}
	}
	p.credential = key.(string)
	return []Option{WithAPIKeyFunc(func(context.Context) (string, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.credential, nil
	})}
}

func (p *player) options(values object) (options []Option, isLazy bool, err error) {
	addresses := []string{}
	if listed, ok := values["addresses"]; ok {
		for _, each := range listed.([]any) {
			addresses = append(addresses, p.server.address(each.(string)))
		}
	} else {
		addresses = p.server.all
	}
	options = append(options, WithAddresses(addresses...))
	options = append(options, p.keyOptions(values)...)
	backoff, maximumBackoff := 100*time.Millisecond, 5*time.Second
	for name, value := range values {
		file, _ := value.(string)
		file = p.server.files[strings.TrimPrefix(file, "$")]
		wait := millisecondsOfJSON(value)
		number, _ := numberOfJSON(value)
		switch name {
		case "addresses", "api_key", "credential", "certificate_key_file":
		case "lazy":
			isLazy = value == true
		case "security":
			options = append(options, WithSecurity(Security(value.(string))))
		case "ca_file":
			options = append(options, WithCAFile(file))
		case "certificate_file":
			keyFile := p.server.files[strings.TrimPrefix(values["certificate_key_file"].(string), "$")]
			options = append(options, WithCertificateFiles(file, keyFile))
		case "server_name":
			options = append(options, WithServerName(value.(string)))
		case "request_timeout_ms":
			options = append(options, WithRequestTimeout(wait))
		case "connect_timeout_ms":
			options = append(options, WithConnectTimeout(wait))
		case "probe_after_ms":
			options = append(options, WithProbeAfter(wait))
		case "ping_timeout_ms":
			options = append(options, WithPingTimeout(wait))
		case "refusal_pause_ms":
			options = append(options, WithRefusalPause(wait))
		case "backoff_ms":
			backoff = wait
		case "maximum_backoff_ms":
			maximumBackoff = wait
		case "maximum_attempts":
			options = append(options, WithMaximumAttempts(int(number)))
		case "maximum_in_flight":
			options = append(options, WithMaximumInFlight(int(number)))
		case "maximum_waiting_calls":
			options = append(options, WithMaximumWaitingCalls(int(number)))
		case "maximum_memory_bytes":
			options = append(options, WithMaximumMemoryBytes(int(number)))
		default:
			return nil, false, fmt.Errorf("the option %s is not known", name)
		}
	}
	return append(options, WithBackoff(backoff, maximumBackoff)), isLazy, nil
}

func (p *player) noteState(report StateReport) {
	if report.State == StateConnecting || report.State == StateNewHistory {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.states = append(p.states, strings.TrimSpace(string(report.State)+" "+p.server.name(report.Address)))
}

func (p *player) compareStates(expected []any) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if fmt.Sprint(p.states) != fmt.Sprint(expected) {
		return fmt.Errorf("the states are %v, not %v", p.states, expected)
	}
	return nil
}

func (p *player) close(action object, name string) error {
	if drain, ok := action["drain_timeout_ms"]; ok {
		p.client.settings.drainTimeout = millisecondsOfJSON(drain)
	}
	err := p.begin(action, name, func(ctx context.Context) (any, error) { return nil, p.client.Close(ctx) })
	return err
}

// Calls

// call makes a request of the fields of the vector.
func (p *player) call(action object) error {
	operation, fields := text(action, "operation"), action["fields"].(object)
	message, err := requestOf(operation, fields)
	if err != nil {
		return err
	}
	_, hasKey := fields["key"]
	switch m := message.(type) {
	case *sendRequest:
		if !hasKey {
			m.Key = NewKey()
		}
	case *resendRequest:
		if !hasKey {
			m.Key = NewKey()
		}
	}
	var options []CallOption
	if action["retry"] == false {
		options = append(options, WithoutRetry())
	}
	return p.begin(action, text(action, "as"), func(ctx context.Context) (any, error) {
		into, prepared := newAnswers()[operation], message.prepare()
		if batch, ok := message.(*registerBatchRequest); ok {
			prepared.repetition.isRepeatable = p.haveTimes(batch.Items)
		}
		return into, p.client.call(ctx, prepared, into, options)
	})
}

func (p *player) haveTimes(items [][]byte) bool {
	layouts, _ := requestLayouts(p.t)
	for _, each := range items {
		if fields, _ := layoutFields(layouts["register"], each); fields["seen_at"] == "0" {
			return false
		}
	}
	return true
}

// send uses the public method. What the types of Go make impossible is left out.
func (p *player) send(action object) error {
	arguments := action["arguments"].(object)
	audience, options, ok := audienceOfJSON(arguments)
	if !ok {
		if action["may_skip"] != true {
			return errors.New("it cannot be written")
		}
		return nil
	}
	return p.begin(action, text(action, "as"), func(ctx context.Context) (any, error) {
		return p.client.App(text(arguments, "app")).Send(ctx, audience, Raw(text(arguments, "payload")), options...)
	})
}

func audienceOfJSON(arguments object) (audience Audience, options []SendOption, ok bool) {
	audiences, _ := arguments["audience"].(object)
	for kind, value := range audiences {
		if value == nil || len(audiences) > 1 {
			return audience, nil, false
		}
		switch kind {
		case "devices":
			var devices []DeviceReference
			for _, each := range value.([]any) {
				device, _ := deviceOfJSON(each.(object))
				devices = append(devices, device)
			}
			audience = ToDevices(devices...)
		case "groups":
			var groups []string
			for _, each := range value.([]any) {
				groups = append(groups, each.(string))
			}
			audience = ToGroups(groups...)
		case "topic":
			audience = ToTopic(value.(string))
		case "condition":
			audience = ToCondition(value.(string))
		case "all":
			audience, ok = AllDevices(), true
			if value != true {
				return audience, nil, false
			}
		default:
			return audience, nil, false
		}
	}
	named, _ := arguments["options"].(object)
	for name, value := range named {
		switch {
		case name == "dry_run" && value != nil:
			options = append(options, DryRun())
		case name == "send_at":
			options = append(options, WithSendAt(time.Time{}))
		default:
			return audience, nil, false
		}
	}
	return audience, options, true
}

// Streams

func (p *player) events(action object) error {
	var options []EventOption
	if name := text(action, "name"); name != "" {
		options = append(options, WithName(name))
	}
	if window, ok := action["window"]; ok {
		number, _ := numberOfJSON(window)
		options = append(options, WithWindow(int(number)))
	}
	switch start := text(action, "start"); start {
	case "", "acknowledged":
	case "now":
		options = append(options, WithStart(FromNow()))
	case "oldest":
		options = append(options, WithStart(FromOldest()))
	default:
		number, _ := numberOfJSON(start)
		options = append(options, WithStart(FromAfter(number)))
	}
	if apps, ok := action["apps"].([]any); ok {
		options = append(options, WithApps(apps[0].(string)))
	}
	if kinds, ok := action["kinds"].([]any); ok {
		var numbers []EventKind
		for _, each := range kinds {
			number, _ := numberOfJSON(each)
			numbers = append(numbers, EventKind(number))
		}
		options = append(options, WithKinds(numbers...))
	}
	stream, err := p.client.Events(context.Background(), options...)
	p.streams[text(action, "as")] = stream
	return p.compare(result{nil, err}, action)
}
