package wire

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write testdata/golden.json anew")

const goldenFile = "testdata/golden.json"

// example is one message of a shape. The extension's tests read them too.
type example struct {
	Name  string          `json:"name"`
	From  string          `json:"from"` // agent, helper, host, extension, control
	To    string          `json:"to"`
	Frame json.RawMessage `json:"frame"`

	message Message
}

var (
	goldenAgent = Agent{
		ID: "0a1b2c3d/researcher", Pairing: "0a1b2c3d", Name: "FrogBot", Slug: "researcher",
		Title: "FrogBot · researcher", Color: "blue",
	}
	goldenTime    = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	goldenPairing = Pairing{
		ID: "0a1b2c3d", Name: "FrogBot", CreatedAt: goldenTime, LastUsedAt: goldenTime.Add(time.Hour),
		Profile: "00112233445566778899aabbccddeeff", Here: true,
	}
	goldenFresh = Pairing{ID: "4e5f6a7b", Name: "Demo", CreatedAt: goldenTime, Managed: true}
)

func enc(v any) json.RawMessage { return quote(v) }

func examples() []example {
	const agentID = "0a1b2c3d/researcher"
	none := enc(struct{}{})
	list := PairingList{Pairings: []Pairing{goldenPairing, goldenFresh}}
	return []example{
		{Name: "agent's hello", From: "agent", To: "helper", message: Message{ID: 1, Method: MethodHello, Params: enc(Hello{
			Role: RoleAgent, Protocol: 1, Oldest: 1, Version: "0.1.0", PID: 4711, Token: "skt_…", Client: "researcher", Slug: "researcher 2",
		})}},
		{Name: "agent's welcome", From: "helper", To: "agent", message: Message{ID: 1, Result: enc(AgentWelcome{Agent: goldenAgent, Version: "0.1.0"})}},
		{Name: "refusal", From: "helper", To: "agent", message: Message{ID: 1, Error: Errorf(CodeRevoked, "SIDEKICK_TOKEN holds a token that was revoked.")}},
		{Name: "agent's request", From: "agent", To: "helper", message: Message{ID: 7, SessionID: "t3", Method: "Page.navigate", Params: enc(map[string]string{"url": "https://shop.example/\"<&>\u2028🐸"})}},
		{Name: "forwarded request", From: "helper", To: "extension", message: Message{ID: 42, Agent: agentID, SessionID: "t3", Method: "Page.navigate", Params: enc(map[string]string{"url": "https://shop.example/"})}},
		{Name: "request at the browser's level", From: "helper", To: "extension", message: Message{ID: 43, Agent: agentID, Method: "Target.getTargets", Params: none}},
		{Name: "response", From: "extension", To: "helper", message: Message{ID: 42, Agent: agentID, SessionID: "t3", Result: enc(map[string]string{"frameId": "F00"})}},
		{Name: "error response", From: "extension", To: "helper", message: Message{ID: 43, Agent: agentID, Error: Errorf(CodeStopped, "The user stopped this agent in Sidekick. Do not go on: tell the user, and wait until they press Resume.")}},
		{Name: "sequence", From: "helper", To: "extension", message: Message{ID: 44, Agent: agentID, SessionID: "t3", Method: "Sidekick.run", Params: json.RawMessage(`{"steps":[{"method":"DOM.resolveNode","params":{"backendNodeId":5}},{"method":"Runtime.callFunctionOn","params":{"functionDeclaration":"f"},"uses":[{"from":0,"path":"object.objectId","as":"objectId"}]},{"method":"Input.dispatchMouseEvent","params":{"type":"mousePressed"},"uses":[{"from":1,"path":"result.value.x","as":"x"}],"await":true}]}`)}},
		{Name: "sequence's answers", From: "extension", To: "helper", message: Message{ID: 44, Agent: agentID, SessionID: "t3", Result: json.RawMessage(`{"answers":[{"result":{"object":{"objectId":"7.1"}}},{"result":{"result":{"value":{}}}},{"error":{"code":-31014,"message":"It was not run: an earlier step was not answered with result.value.x."}}]}`)}},
		{Name: "event of a child session", From: "extension", To: "helper", message: Message{Agent: agentID, SessionID: "t3:ABC", Method: "Page.loadEventFired", Params: enc(map[string]float64{"timestamp": 1.5})}},
		{Name: "event passed on", From: "helper", To: "agent", message: Message{SessionID: "t3:ABC", Method: "Page.loadEventFired", Params: enc(map[string]float64{"timestamp": 1.5})}},
		{Name: "cancel", From: "agent", To: "helper", message: Message{Method: MethodCancel, Params: enc(Cancel{ID: 7})}},
		{Name: "cancel passed on", From: "helper", To: "extension", message: Message{Agent: agentID, Method: MethodCancel, Params: enc(Cancel{ID: 44})}},
		{Name: "revoked", From: "helper", To: "agent", message: Message{Method: MethodRevoked}},
		{Name: "disconnected", From: "helper", To: "agent", message: Message{Method: MethodDisconnected, Params: none}},
		{Name: "host's hello", From: "host", To: "helper", message: Message{ID: 1, Method: MethodHello, Params: enc(Hello{
			Role: RoleBrowser, Protocol: 1, Oldest: 1, Version: "0.1.0", PID: 4712, Exe: "/usr/bin/chromium", UserDataDir: "/home/ada/.config/chromium",
			Args: []string{"chrome-extension://kebocaojpdepmdeepcjdclbbefiipehc/"},
		})}},
		{Name: "host's welcome", From: "helper", To: "host", message: Message{ID: 1, Result: none}},
		{Name: "host connected", From: "host", To: "extension", message: Message{Method: MethodHostConnected, Params: none}},
		{Name: "host disconnected", From: "host", To: "extension", message: Message{Method: MethodHostDisconnected, Params: enc(HostDisconnected{Reason: "the connection to the helper broke: EOF"})}},
		{Name: "browser's hello", From: "extension", To: "helper", message: Message{ID: 1, Method: MethodBrowserHello, Params: enc(BrowserHello{
			Protocol: 1, Oldest: 1, Version: "0.1.0", Profile: "00112233445566778899aabbccddeeff", Browser: "Chrome/156.0",
		})}},
		{Name: "browser's welcome", From: "helper", To: "extension", message: Message{ID: 1, Result: enc(BrowserWelcome{
			Version: "0.1.0", Pairings: list.Pairings, Agents: []Agent{goldenAgent},
		})}},
		{Name: "agent opened", From: "helper", To: "extension", message: Message{Method: MethodAgentOpened, Params: enc(goldenAgent)}},
		{Name: "agent closed", From: "helper", To: "extension", message: Message{Method: MethodAgentClosed, Params: enc(AgentClosed{ID: agentID})}},
		{Name: "helper stopping", From: "helper", To: "extension", message: Message{Method: MethodStopping}},
		{Name: "ping", From: "extension", To: "helper", message: Message{Method: MethodPing}},
		{Name: "the groups", From: "extension", To: "helper", message: Message{Method: MethodBrowserGroups, Params: enc(BrowserGroups{
			Groups: []GroupStatus{{Agent: agentID, Title: goldenAgent.Title, Tabs: 2}},
		})}},
		{Name: "pairings list", From: "extension", To: "helper", message: Message{ID: 2, Method: MethodPairingsList, Params: none}},
		{Name: "pairings listed", From: "helper", To: "extension", message: Message{ID: 2, Result: enc(list)}},
		{Name: "pairings add", From: "extension", To: "helper", message: Message{ID: 3, Method: MethodPairingsAdd, Params: enc(PairingName{Name: "FrogBot"})}},
		{Name: "pairing added", From: "helper", To: "extension", message: Message{ID: 3, Result: enc(PairingAdded{
			Pairing: goldenPairing, Token: "skt_…", Command: "npx -y @frogbotai/sidekick-mcp",
			Env: map[string]string{"SIDEKICK_TOKEN": "skt_…"},
			Config: map[string]any{"mcpServers": map[string]any{"sidekick": map[string]any{
				"command": "npx", "args": []string{"-y", "@frogbotai/sidekick-mcp"}, "env": map[string]string{"SIDEKICK_TOKEN": "skt_…"},
			}}},
			Hosts: []HostConfig{{
				ID: "codex", Name: "Codex", File: "~/.codex/config.toml", Reload: "Codex takes it when it is next started.",
				Snippet: "[mcp_servers.sidekick]\ncommand = \"npx\"\n",
			}},
		})}},
		{Name: "pairings rename", From: "extension", To: "helper", message: Message{ID: 4, Method: MethodPairingsRename, Params: enc(PairingName{ID: "0a1b2c3d", Name: "Toad"})}},
		{Name: "pairings revoke", From: "extension", To: "helper", message: Message{ID: 5, Method: MethodPairingsRevoke, Params: enc(PairingName{ID: "0a1b2c3d"})}},
		{Name: "pairings limit", From: "extension", To: "helper", message: Message{ID: 6, Method: MethodPairingsLimit, Params: enc(PairingLimit{ID: "0a1b2c3d", NoEvaluate: true})}},
		{Name: "the helper makes way", From: "helper", To: "agent", message: Message{Method: MethodLeaving, Params: none}},
		{Name: "limits changed", From: "helper", To: "agent", message: Message{Method: MethodLimits}},
		{Name: "pairings changed", From: "helper", To: "extension", message: Message{Method: MethodPairingsChanged, Params: enc(list)}},
		{Name: "control's hello", From: "control", To: "helper", message: Message{ID: 1, Method: MethodHello, Params: enc(Hello{Role: RoleControl, Protocol: 1, Oldest: 1, Version: "0.1.0", PID: 4713})}},
		{Name: "control's welcome", From: "helper", To: "control", message: Message{ID: 1, Result: enc(ControlWelcome{Version: "0.1.0", PID: 4710})}},
		{Name: "stop", From: "control", To: "helper", message: Message{ID: 2, Method: MethodStop, Params: none}},
		{Name: "make way", From: "control", To: "helper", message: Message{ID: 5, Method: MethodHandOver, Params: none}},
		{Name: "status", From: "control", To: "helper", message: Message{ID: 3, Method: MethodStatus, Params: none}},
		{Name: "the status", From: "helper", To: "control", message: Message{ID: 3, Result: enc(Status{
			Version: "0.1.0", PID: 4710, UptimeMS: 60_000,
			Agents: []AgentStatus{{
				ID: agentID, Title: goldenAgent.Title, PID: 4711, Client: "researcher", ConnectedAt: goldenTime,
				Version: "0.1.0", LastAction: &ActionStatus{Method: MethodRun, At: goldenTime}, UnderWay: 2, Waiting: 1,
			}},
			Browsers: []BrowserStatus{{
				Profile: goldenPairing.Profile, Browser: "Chrome/156.0", PID: 4712, Exe: "/usr/bin/chromium", UserDataDir: "/home/ada/.config/chromium",
				Extension: "0.1.0", HostVersion: "0.1.0", Groups: []GroupStatus{{Agent: agentID, Title: goldenAgent.Title, Tabs: 2}},
			}},
			Wakes: []WakeStatus{{Managed: true, ForMS: 300}},
		})}},
		{Name: "part", From: "host", To: "extension", message: Message{Part: &Part{Message: 9, Index: 0, Total: 2, Data: "eyJpZCI6"}}},
	}
}

// The examples in the file, which the extension is tested with, are what this
// package writes and reads.
func TestGolden(t *testing.T) {
	want := examples()
	for i := range want {
		want[i].Frame = want[i].message.Append(nil)
	}
	if *update {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(want); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var got []example
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s has %d examples, want %d: run go test -run Golden -update", goldenFile, len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Name != w.Name || g.From != w.From || g.To != w.To {
			t.Errorf("example %d is %q from %s to %s, want %q from %s to %s", i, g.Name, g.From, g.To, w.Name, w.From, w.To)
			continue
		}
		if !sameJSON(t, g.Frame, w.Frame) {
			t.Errorf("%s: the file has\n%s\nand this package writes\n%s", g.Name, g.Frame, w.Frame)
		}
		m, err := Decode(g.Frame)
		if err != nil {
			t.Errorf("%s: %v", g.Name, err)
			continue
		}
		if !sameMessage(t, m, &w.message) {
			t.Errorf("%s: read as %+v, want %+v", g.Name, m, &w.message)
		}
	}
}

// Each code is told apart from the others and written down with its number,
// which is the protocol's.
func TestCodes(t *testing.T) {
	codes := []Code{CodeStopped, CodeBlockedSite, CodeNotYours, CodeNotAllowed, CodeHopLost, CodeNoBrowser, CodeTooLarge, CodeRevoked, CodeTabGone, CodeDetachedByUser, CodeNotAttached, CodeBadRequest, CodeVersion, CodeNotRun}
	for i, c := range codes {
		if want := Code(-31001 - i); c != want {
			t.Errorf("code %d is %d, want %d", i, c, want)
		}
	}
	err := Errorf(CodeStopped, "stopped %d", 1)
	if !err.Is(&Error{Code: CodeStopped}) || err.Is(&Error{Code: CodeRevoked}) || err.Error() != "stopped 1" {
		t.Errorf("the error is %#v", err)
	}
}

func TestReplies(t *testing.T) {
	req := &Message{ID: 3, Agent: "a", SessionID: "t1", Method: "M", Params: enc(1)}
	if got := req.Reply("x"); !sameMessage(t, got, &Message{ID: 3, Agent: "a", SessionID: "t1", Result: enc("x")}) {
		t.Errorf("the reply is %+v", got)
	}
	if got := req.Fail(Errorf(CodeTabGone, "gone")); !sameMessage(t, got, &Message{ID: 3, Agent: "a", SessionID: "t1", Error: Errorf(CodeTabGone, "gone")}) {
		t.Errorf("the error's reply is %+v", got)
	}
	if got := req.Reply(func() {}); got.Error == nil || got.Error.Code != CodeBadRequest || !strings.Contains(got.Error.Message, "M") {
		t.Errorf("the reply with what is no JSON is %+v", got)
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var av, bv any
	if err := json.Unmarshal(a, &av); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &bv); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(av, bv)
}

func sameMessage(t *testing.T, a, b *Message) bool {
	t.Helper()
	same := func(x, y json.RawMessage) bool {
		return len(x) == 0 && len(y) == 0 || len(x) > 0 && len(y) > 0 && sameJSON(t, x, y)
	}
	return a.ID == b.ID && a.Agent == b.Agent && a.SessionID == b.SessionID && a.Method == b.Method &&
		same(a.Params, b.Params) && same(a.Result, b.Result) &&
		reflect.DeepEqual(a.Error, b.Error) && reflect.DeepEqual(a.Part, b.Part)
}
