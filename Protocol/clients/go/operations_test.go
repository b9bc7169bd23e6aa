package carillon

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"
)

// operationCase is a call of a public method, and the request that it writes.
type operationCase struct {
	name string
	// operation is the name of the request in layouts.json.
	operation string
	// fields is the JSON of the fields of the request, without its deadline, in the form of the vectors: bytes are
	// in hexadecimal, and numbers of 64 bits are texts.
	fields string
	call   func(*App) error
}

// The arguments of the calls.
var (
	background   = context.Background()
	someTime     = time.UnixMilli(1790000000123)
	deviceSeven  = DeviceByID(7)
	someKey      = Key{1}
	secondPage   = PageRequest{Cursor: 5, Limit: 9}
	namesAfterX  = NamePageRequest{After: "x", Limit: 9}
	notification = &Notification{Body: Plain("b")}
	emptyObject  = JSON(map[string]any{})
)

const (
	someKeyHex = "01000000000000000000000000000000"
	noKeyHex   = "00000000000000000000000000000000"
	// {"aps":{"alert":"b"}} and {"aps":{"alert":"c"}}
	payloadB = "7b22617073223a7b22616c657274223a2262227d7d"
	payloadC = "7b22617073223a7b22616c657274223a2263227d7d"
)

// failureOf drops the result of a call.
func failureOf[T any](_ T, err error) error { return err }

// TestEachOperationWritesItsFields calls every public method and compares the fields of its request, read by
// layouts.json. The server refuses each request, and the method returns its error.
func TestEachOperationWritesItsFields(t *testing.T) {
	layouts, names := requestLayouts(t)
	var mu sync.Mutex
	var operation string
	var fields object
	var isWhole bool
	server := startPeer(t, func(h header, payload []byte) ([]byte, *errorFrame) {
		mu.Lock()
		defer mu.Unlock()
		operation = names[h.opcode]
		fields, isWhole = layoutFields(layouts[operation], payload)
		delete(fields, "deadline_ms")
		return nil, &errorFrame{Code: numberOf(ErrNotFound), RetryAfterMs: never}
	})
	app := server.connect(t).App("a")
	called := map[string]bool{}
	for _, cases := range [][]operationCase{
		deviceCases, groupCases, topicCases, sendCases, messageCases, administrationCases,
	} {
		for _, each := range cases {
			called[each.operation] = true
			t.Run(each.name, func(t *testing.T) {
				if err := each.call(app); !errors.Is(err, ErrNotFound) {
					t.Errorf("the server refuses the request with NOT_FOUND, and the method returns %v", err)
				}
				mu.Lock()
				defer mu.Unlock()
				if operation != each.operation {
					t.Errorf("%s was written, not %s", operation, each.operation)
				}
				if !isWhole {
					t.Error("the payload is not as layouts.json says")
				}
				if written, expected := jsonOf(t, fields), canonicalJSON(t, each.fields); written != expected {
					t.Errorf("written  %s\nexpected %s", written, expected)
				}
			})
		}
	}
	// HELLO, AUTH, EVENT_CREDIT and UNSUBSCRIBE_EVENTS are no calls of a program.
	if len(called) != len(layouts)-4 {
		t.Errorf("%d of %d operations were called", len(called), len(layouts))
	}
}

// jsonOf writes a value as JSON, with the members in order.
func jsonOf(t *testing.T, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// canonicalJSON writes a JSON text as jsonOf does.
func canonicalJSON(t *testing.T, text string) string {
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err, text)
	}
	return jsonOf(t, value)
}

var deviceCases = []operationCase{
	{"Register", "register", `{"app": "a", "environment": 2, "kind": 2, "token": "ab", "seen_at": "1790000000123",
		"replaces": "ac", "locale": "", "time_zone": "UTC", "topics": ["t"], "groups": ["g"],
		"attributes": [{"key": "k", "value": "v"}, {"key": "l", "value": ""}]}`, func(a *App) error {
		return failureOf(a.Register(background, Registration{Environment: Sandbox, Kind: KindVoIP, Token: []byte{0xab},
			SeenAt: someTime, Replaces: []byte{0xac}, Locale: Ptr(""), TimeZone: Ptr("UTC"), Topics: []string{"t"},
			Groups: []string{"g"}, Attributes: map[string]string{"l": "", "k": "v"}}))
	}},
	{"RegisterBatch", "register_batch", `{"items": ["000162010101ab0000000000000000"]}`, func(a *App) error {
		return failureOf(a.client.RegisterBatch(background, []Registration{{App: "b", Token: []byte{0xab}}}))
	}},
	{"Unregister", "unregister", `{"app": "a", "device": {"id": "7"}, "at": "1790000000123"}`, func(a *App) error {
		return failureOf(a.Unregister(background, deviceSeven, someTime))
	}},
	{"Lookup by token", "lookup", `{"app": "a", "device": {"token": {"environment": 2, "kind": 2, "token": "ab"}}}`,
		func(a *App) error {
			return failureOf(a.Lookup(background, DeviceByToken(Sandbox, KindVoIP, []byte{0xab})))
		}},
	{"UpdateDevice", "update_device", `{"app": "a", "device": {"id": "7"}, "locale": "de", "time_zone": "", "muted": 1,
		"attributes": [{"key": "k", "value": "v"}]}`, func(a *App) error {
		return failureOf(a.UpdateDevice(background, deviceSeven, DeviceUpdate{Locale: Ptr("de"), TimeZone: Ptr(""),
			Muted: Ptr(true), Attributes: map[string]string{"k": "v"}}))
	}},
	{"Memberships", "memberships", `{"app": "a", "device": {"id": "7"}, "after": "x", "limit": 9}`, func(a *App) error {
		return failureOf(a.Memberships(background, deviceSeven, namesAfterX))
	}},
	{"Restore", "restore", `{"app": "a", "device": {"id": "7"}}`, func(a *App) error {
		return failureOf(a.Restore(background, deviceSeven))
	}},
	{"QuarantinedDevices", "quarantine", `{"app": "a", "cursor": "5", "limit": 9}`, func(a *App) error {
		return failureOf(a.QuarantinedDevices(background, secondPage))
	}},
	{"Devices", "devices", `{"app": "a", "cursor": "5", "limit": 9}`, func(a *App) error {
		return failureOf(a.Devices(background, secondPage))
	}},
}

var groupCases = []operationCase{
	{"Join", "join", `{"app": "a", "group": "g", "devices": [{"id": "7"}], "announcement": "` + payloadB + `",
		"bodies": [{"language": "de", "payload": "7b7d"}]}`, func(a *App) error {
		return failureOf(a.Join(background, "g", []DeviceReference{deviceSeven},
			Announce(notification, PayloadsByLanguage{"de": Raw("{}")})))
	}},
	{"Leave", "leave", `{"app": "a", "group": "g", "devices": [{"id": "7"}]}`, func(a *App) error {
		return failureOf(a.Leave(background, "g", []DeviceReference{deviceSeven}))
	}},
	{"LeaveAndClearTopics", "leave", `{"app": "a", "group": "g", "devices": [{"id": "7"}], "clear_topics": 1}`,
		func(a *App) error {
			return failureOf(a.LeaveAndClearTopics(background, "g", []DeviceReference{deviceSeven}))
		}},
	{"Switch", "switch", `{"app": "a", "device": {"id": "7"}, "from": "f", "to": "g", "announcement": "` + payloadB + `"}`,
		func(a *App) error {
			return failureOf(a.Switch(background, deviceSeven, "f", "g", Announce(notification), WithoutRetry()))
		}},
	{"GroupDevices", "group_devices", `{"app": "a", "group": "g", "cursor": "5", "limit": 9}`, func(a *App) error {
		return failureOf(a.GroupDevices(background, "g", secondPage))
	}},
	{"Groups", "groups", `{"app": "a", "prefix": "p", "after": "x", "limit": 9}`, func(a *App) error {
		return failureOf(a.Groups(background, "p", namesAfterX))
	}},
	{"SetGroupMuted", "update_group", `{"app": "a", "group": "g", "muted": 0}`, func(a *App) error {
		return failureOf(a.SetGroupMuted(background, "g", false))
	}},
	{"GroupSize", "update_group", `{"app": "a", "group": "g"}`, func(a *App) error {
		return failureOf(a.GroupSize(background, "g"))
	}},
	{"GroupTopics of the first page", "group_topics", `{"app": "a", "group": "g", "after": "", "limit": 1000}`,
		func(a *App) error { return failureOf(a.GroupTopics(background, "g", NamePageRequest{})) }},
}

var topicCases = []operationCase{
	{"Subscribe", "subscribe", `{"app": "a", "topics": ["t"], "devices": [{"id": "7"}], "groups": ["g"]}`,
		func(a *App) error {
			return failureOf(a.Subscribe(background, []string{"t"},
				Subscribers{Devices: []DeviceReference{deviceSeven}, Groups: []string{"g"}}))
		}},
	{"Unsubscribe", "unsubscribe", `{"app": "a", "topics": ["t"], "devices": [], "groups": ["g"]}`,
		func(a *App) error {
			return failureOf(a.Unsubscribe(background, []string{"t"}, Subscribers{Groups: []string{"g"}}))
		}},
	{"Topics", "topics", `{"app": "a", "prefix": "p", "after": "x", "limit": 9}`, func(a *App) error {
		return failureOf(a.Topics(background, "p", namesAfterX))
	}},
	{"TopicDevices", "topic_devices", `{"app": "a", "topic": "t", "cursor": "5", "limit": 9}`, func(a *App) error {
		return failureOf(a.TopicDevices(background, "t", secondPage))
	}},
	{"Explain", "explain", `{"app": "a", "condition": "all"}`, func(a *App) error {
		return failureOf(a.Explain(background, "all"))
	}},
}

var sendCases = []operationCase{
	{"Send with all options", "send", `{"app": "a", "audience": 2, "devices": [], "groups": ["g", "h"],
		"payload": "` + payloadB + `", "bodies": [{"language": "de", "payload": "` + payloadC + `"}],
		"key": "` + someKeyHex + `", "push_type": 1, "priority": 5, "expiration": "1790000000", "collapse_id": "c",
		"not_after": "1790000000123", "lane": 2, "except": {"id": "7"}, "dry_run": 1, "send_at": "1790000000123", "pace": 6,
		"over_budget": 2, "id_key": "i", "label": "l"}`, func(a *App) error {
		return failureOf(a.Send(background, ToGroups("g", "h"), notification, WithKey(someKey), WithPriority(5),
			WithExpiration(someTime), WithCollapseID("c"), WithNotAfter(someTime), WithLane(LaneBulk),
			WithLanguages(Translations{"de": {Body: Plain("c")}}), WithoutDevice(deviceSeven), DryRun(),
			WithSendAt(someTime), WithPace(6), WithOverBudget(OverBudgetWait), WithIDKey("i"), WithLabel("l"), WithoutRetry()))
	}},
	{"Send with android", "send", `{"app": "a", "audience": 5, "devices": [], "payload": "7b7d", "priority": 0,
		"key": "` + noKeyHex + `", "push_type": 1, "android": "7b7d"}`, func(a *App) error {
		return failureOf(a.Send(background, AllDevices(), emptyObject, WithoutKey(), WithAndroid([]byte("{}"))))
	}},
	{"Send with android_raw", "send", `{"app": "a", "audience": 5, "devices": [], "payload": "7b7d", "priority": 0,
		"key": "` + noKeyHex + `", "push_type": 1, "android_raw": "7b7d"}`, func(a *App) error {
		return failureOf(a.Send(background, AllDevices(), emptyObject, WithoutKey(), WithAndroidRaw([]byte("{}"))))
	}},
	{"Send with web", "send", `{"app": "a", "audience": 5, "devices": [], "payload": "7b7d", "priority": 0,
		"key": "` + noKeyHex + `", "push_type": 1, "web": "7b7d"}`, func(a *App) error {
		return failureOf(a.Send(background, AllDevices(), emptyObject, WithoutKey(), WithWeb([]byte("{}"))))
	}},
	{"Send with web_raw", "send", `{"app": "a", "audience": 5, "devices": [], "payload": "7b7d", "priority": 0,
		"key": "` + noKeyHex + `", "push_type": 1, "web_raw": "7b7d"}`, func(a *App) error {
		return failureOf(a.Send(background, AllDevices(), emptyObject, WithoutKey(), WithWebRaw([]byte("{}"))))
	}},
	{"Send to a condition", "send", `{"app": "a", "audience": 4, "condition": "all", "devices": [], "payload": "7b7d",
		"priority": 0, "key": "` + noKeyHex + `", "push_type": 4, "expiration": "0"}`, func(a *App) error {
		return failureOf(a.Send(background, ToCondition("all"), emptyObject, WithoutKey(), WithoutStoring(),
			WithPushType(PushVoIP)))
	}},
	{"Send to a channel", "send", `{"app": "a", "audience": 6, "channel": "Y2g=", "environment": 2, "devices": [],
		"payload": "7b7d", "priority": 0, "key": "` + noKeyHex + `", "push_type": 8, "expiration": "0"}`,
		func(a *App) error {
			return failureOf(a.Send(background, ToChannel(Sandbox, "Y2g="), emptyObject, WithoutKey(), WithoutStoring(),
				WithPushType(PushLiveActivity)))
		}},
	{"Resend", "resend", `{"app": "a", "message_id": "8", "key": "` + someKeyHex + `", "outcomes": [3, 4],
		"not_after": "18446744073709551615"}`, func(a *App) error {
		return failureOf(a.Resend(background, 8, WithKey(someKey), WithoutTimeLimit(),
			WithOutcomes(OutcomeExpired, OutcomeGaveUp), WithoutRetry()))
	}},
}

var messageCases = []operationCase{
	{"MessageStatus", "message_status", `{"app": "a", "message_id": "8"}`, func(a *App) error {
		return failureOf(a.MessageStatus(background, 8))
	}},
	{"MessageOutcomes", "message_outcomes", `{"app": "a", "message_id": "8", "cursor": "5", "limit": 9}`,
		func(a *App) error { return failureOf(a.MessageOutcomes(background, 8, secondPage)) }},
	{"Messages", "messages", `{"app": "a", "before": "5", "limit": 9, "state": 3, "sender": "s", "label": "l"}`,
		func(a *App) error {
			return failureOf(a.Messages(background, MessageFilter{State: StateFinished, Sender: "s", Label: "l"}, secondPage))
		}},
	{"UpdateMessage with Pace", "update_message", `{"app": "a", "message_id": "8", "action": 4, "pace": 3}`,
		func(a *App) error { return failureOf(a.UpdateMessage(background, 8, Pace(3))) }},
	{"UpdateMessage with NoPace", "update_message", `{"app": "a", "message_id": "8", "action": 4}`,
		func(a *App) error { return failureOf(a.UpdateMessage(background, 8, NoPace())) }},
	{"UpdateMessage with Resume", "update_message", `{"app": "a", "message_id": "8", "action": 3}`,
		func(a *App) error { return failureOf(a.UpdateMessage(background, 8, Resume())) }},
	{"UpdateMessage with Pause", "update_message", `{"app": "a", "message_id": "8", "action": 2}`,
		func(a *App) error { return failureOf(a.UpdateMessage(background, 8, Pause())) }},
	{"UpdateMessage with Cancel", "update_message", `{"app": "a", "message_id": "8", "action": 1}`,
		func(a *App) error { return failureOf(a.UpdateMessage(background, 8, Cancel())) }},
	{"Trace", "trace", `{"app": "a", "message_id": "8", "device": {"id": "7"}}`, func(a *App) error {
		return failureOf(a.Trace(background, 8, deviceSeven))
	}},
	{"ReportReceipts", "receipts", `{"app": "a", "receipts": [{"message_id": "8", "device": {"id": "7"}, "kind": 2}]}`,
		func(a *App) error {
			return failureOf(a.ReportReceipts(background, []Receipt{{MessageID: 8, Device: deviceSeven, Kind: ReceiptOpened}}))
		}},
	{"ReceiptDevices", "receipt_devices", `{"app": "a", "message_id": "8", "kind": 1, "cursor": "5", "limit": 9}`,
		func(a *App) error { return failureOf(a.ReceiptDevices(background, 8, ReceiptReceived, secondPage)) }},
}

var administrationCases = []operationCase{
	{"CreateChannel", "create_channel", `{"app": "a", "environment": 2, "storage_policy": 1}`, func(a *App) error {
		return failureOf(a.CreateChannel(background, Sandbox, StoreNone, WithoutRetry()))
	}},
	{"Channel", "channel", `{"app": "a", "environment": 1, "channel": "Y2g="}`, func(a *App) error {
		return failureOf(a.Channel(background, Production, "Y2g="))
	}},
	{"Channels", "channels", `{"app": "a", "environment": 1, "after": "x", "limit": 9}`, func(a *App) error {
		return failureOf(a.Channels(background, Production, namesAfterX))
	}},
	{"DeleteChannel", "delete_channel", `{"app": "a", "environment": 2, "channel": "Y2g="}`, func(a *App) error {
		return failureOf(a.DeleteChannel(background, Sandbox, "Y2g="))
	}},
	{"Statistics", "statistics", `{"limit": 3}`, func(a *App) error {
		return failureOf(a.client.Statistics(background, 3))
	}},
	{"RemoveNode", "remove_node", `{"node": "b"}`, func(a *App) error {
		return failureOf(a.client.RemoveNode(background, "b", WithoutRetry()))
	}},
	{"Events", "subscribe_events", `{"name": "n", "from": "9", "apps": ["a"], "kinds": [1], "credit": "5"}`,
		func(a *App) error {
			return failureOf(a.client.Events(background, WithName("n"), WithStart(FromAfter(9)), WithApps("a"),
				WithKinds(EventMessageFinished), WithWindow(5)))
		}},
	{"ForgetSubscriber", "forget_subscriber", `{"name": "n"}`, func(a *App) error {
		return failureOf(a.client.ForgetSubscriber(background, "n"))
	}},
}

// answering starts a server that answers each request with the same bytes.
func answering(t *testing.T, write func(w *writer)) *peer {
	return startPeer(t, func(header, []byte) ([]byte, *errorFrame) {
		w := writer{}
		write(&w)
		return w.data, nil
	})
}

func TestListedMessageHasItsDetails(t *testing.T) {
	client := answering(t, func(w *writer) {
		w.u64(0) // next: this is the last page
		w.u32(1) // one message
		w.u64(0) // message_id
		w.u8(0)  // state
		w.u64(0) // accepted_at
		w.u8(0)  // push_type
		w.u8(0)  // lane
		w.u64(0) // total
		w.u64(0) // ended
		start := w.tag(16)
		w.u32(1) // the details of one message
		w.u64(4) // delivered
		w.u64(5) // failed
		w.str("", "label")
		w.str("", "sender")
		w.endTag(start)
	}).connect(t)
	list, err := client.App("a").Messages(context.Background(), MessageFilter{}, PageRequest{})
	if err != nil || *list.Messages[0].Details != (MessageDetails{4, 5, "label", "sender"}) {
		t.Errorf("the page is %v, error %v", list, err)
	}
}

func TestBatchHasAResultForEachItem(t *testing.T) {
	client := answering(t, func(w *writer) {
		w.u32(2) // two results: a success, then STALE
		for _, code := range []uint16{0, 12} {
			w.u16(code)
			w.u64(0) // device_id
			w.u8(0)  // result
		}
	}).connect(t)
	batch, err := client.RegisterBatch(context.Background(), []Registration{{Token: []byte{1}}, {Token: []byte{2}}})
	if err != nil || batch[0].Err() != nil || batch[1].Err() != ErrStale {
		t.Errorf("the results are %v, error %v", batch, err)
	}
}

// TestMethodsThatReturnOneValue: their result is a field of the answer.
func TestMethodsThatReturnOneValue(t *testing.T) {
	// The number 2 means the second value of the enumeration that the method returns.
	answerTwo := func(w *writer) { w.u8(2) }
	for _, method := range []struct {
		name  string
		write func(w *writer)
		call  func(ctx context.Context, app *App) (any, error)
		want  any
	}{
		{"UpdateMessage", func(w *writer) { w.u8(5) },
			func(ctx context.Context, app *App) (any, error) { return app.UpdateMessage(ctx, 1, Pause()) }, StatePaused},
		{"GroupSize", func(w *writer) { w.u64(3) },
			func(ctx context.Context, app *App) (any, error) { return app.GroupSize(ctx, "g") }, uint64(3)},
		{"ForgetSubscriber", answerTwo,
			func(ctx context.Context, app *App) (any, error) { return app.client.ForgetSubscriber(ctx, "n") },
			ForgetResultNoSuchName},
		{"CreateChannel", func(w *writer) { w.str("", "Y2g=") },
			func(ctx context.Context, app *App) (any, error) {
				return app.CreateChannel(ctx, Production, StoreMostRecent)
			}, "Y2g="},
		{"Channel", answerTwo,
			func(ctx context.Context, app *App) (any, error) { return app.Channel(ctx, Production, "Y2g=") },
			StoreMostRecent},
		{"DeleteChannel", answerTwo,
			func(ctx context.Context, app *App) (any, error) { return app.DeleteChannel(ctx, Production, "Y2g=") },
			DeleteChannelResultNoSuchChannel},
	} {
		t.Run(method.name, func(t *testing.T) {
			app := answering(t, method.write).connect(t).App("a")
			if found, err := method.call(context.Background(), app); found != method.want || err != nil {
				t.Errorf("it returns %v, error %v instead of %v", found, err, method.want)
			}
		})
	}
}

func TestServerIsKnownOnceItHasAnswered(t *testing.T) {
	client := answering(t, func(*writer) {}).connect(t)
	if err := client.Ping(context.Background()); err != nil {
		t.Errorf("ping: %v", err)
	}
	if found, ok := client.Server(); !ok || found.Software != "peer/1.0" || found.Address == "" {
		t.Errorf("the server is %v, known %v", found, ok)
	}
}
