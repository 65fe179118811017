package tabgroups

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/chromedp"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
	"github.com/frogbotai/sidekick-mcp/internal/wire"
)

// What drives browsers with chromedp can drive a group.
var _ chromedp.Transport = (*Transport)(nil)

// pair returns a Transport and the helper's end of its link.
func pair(t *testing.T) (*Transport, *ipc.Conn, net.Conn) {
	t.Helper()
	a, b := net.Pipe()
	tr := NewTransport(ipc.NewConn(a))
	t.Cleanup(func() { tr.Close(); b.Close() })
	return tr, ipc.NewConn(b), b
}

func TestMessagesPassAsTheyAre(t *testing.T) {
	tr, far, _ := pair(t)
	go func() {
		m, err := far.Read()
		if err != nil || m.ID != 7 || m.SessionID != "t1:A" || m.Method != "Page.navigate" || string(m.Params) != `{"url":"x"}` {
			t.Errorf("got %+v, %v", m, err)
		}
		far.Write(&wire.Message{SessionID: "t1", Method: "Page.frameNavigated", Params: []byte(`{"a":1}`)})
		far.Write(&wire.Message{ID: 7, SessionID: "t1:A", Error: wire.Errorf(wire.CodeStopped, "Stopped.")})
	}()
	ctx := t.Context()
	err := tr.Write(ctx, &cdproto.Message{ID: 7, SessionID: "t1:A", Method: "Page.navigate", Params: jsonv2.Value(`{"url":"x"}`)})
	if err != nil {
		t.Fatal(err)
	}
	var event, answer cdproto.Message
	if err := errors.Join(tr.Read(ctx, &event), tr.Read(ctx, &answer)); err != nil {
		t.Fatal(err)
	}
	if event.Method != "Page.frameNavigated" || event.SessionID != "t1" || string(event.Params) != `{"a":1}` {
		t.Errorf("the event is %+v", event)
	}
	if answer.ID != 7 || answer.Error == nil || answer.Error.Code != int64(wire.CodeStopped) || answer.Error.Message != "Stopped." {
		t.Errorf("the answer is %+v", answer)
	}
}

func TestTooLongAnswerFailsItsCallAlone(t *testing.T) {
	tr, far, raw := pair(t)
	go func() {
		size := uint32(wire.MaxFrame + 1)
		raw.Write(binary.NativeEndian.AppendUint32(nil, size))
		head := `{"id":3,"sessionId":"t1","result":{"data":"`
		io.WriteString(raw, head)
		block := make([]byte, 1<<20)
		for left := int(size) - len(head); left > 0; left -= len(block) {
			raw.Write(block[:min(left, len(block))])
		}
		far.Write(&wire.Message{ID: 4, Result: []byte(`{}`)})
	}()
	var long, next cdproto.Message
	if err := errors.Join(tr.Read(t.Context(), &long), tr.Read(t.Context(), &next)); err != nil {
		t.Fatal(err)
	}
	if long.ID != 3 || long.Error == nil || long.Error.Code != int64(wire.CodeTooLarge) {
		t.Errorf("the long answer became %+v", long)
	}
	if next.ID != 4 || next.Error != nil {
		t.Errorf("the next answer is %+v", next)
	}
}

func TestTooLongCommandIsNotSent(t *testing.T) {
	tr, far, _ := pair(t)
	long := jsonv2.Value(`"` + strings.Repeat("x", wire.MaxFrame) + `"`)
	err := tr.Write(t.Context(), &cdproto.Message{ID: 1, Method: "Runtime.evaluate", Params: long})
	n, ok := errors.AsType[interface {
		error
		NotSent() bool
	}](err)
	if !ok || !n.NotSent() || !strings.Contains(err.Error(), "too large") {
		t.Fatalf("got %v", err)
	}
	go tr.Write(context.Background(), &cdproto.Message{ID: 2, Method: "Page.enable"})
	if m, err := far.Read(); err != nil || m.ID != 2 {
		t.Errorf("the next command came as %+v, %v", m, err)
	}
}

func TestEndGivesItsReason(t *testing.T) {
	tr, far, _ := pair(t)
	far.Close()
	err := tr.Read(t.Context(), new(cdproto.Message))
	if lost, ok := errors.AsType[*LostError](err); !ok || !errors.Is(lost, io.EOF) {
		t.Errorf("a link that ended: %v", err)
	}

	tr, far, _ = pair(t)
	go func() {
		far.Write(&wire.Message{Method: wire.MethodRevoked})
		far.Close()
	}()
	err = tr.Read(t.Context(), new(cdproto.Message))
	if !errors.Is(err, &wire.Error{Code: wire.CodeRevoked}) {
		t.Errorf("a revoked pairing: %v", err)
	}
}

func TestCancelNamesTheCommand(t *testing.T) {
	tr, far, _ := pair(t)
	go tr.Cancel(9)
	m, err := far.Read()
	if err != nil || m.Method != wire.MethodCancel || string(m.Params) != `{"id":9}` {
		t.Errorf("got %+v, %v", m, err)
	}
}

// That limits changed is no message of a browser's.
func TestLimitsAreToldApart(t *testing.T) {
	tr, far, _ := pair(t)
	told := 0
	tr.Limits = func() { told++ }
	go func() {
		far.Write(&wire.Message{Method: wire.MethodLimits})
		far.Write(&wire.Message{Method: "Page.loadEventFired", SessionID: "t1"})
	}()
	m := new(cdproto.Message)
	if err := tr.Read(t.Context(), m); err != nil || m.Method != "Page.loadEventFired" || told != 1 {
		t.Errorf("%+v, told %d times, %v", m, told, err)
	}
}
