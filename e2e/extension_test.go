//go:build linux

package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// extensionID is the extension's id, which its manifest's key fixes.
func extensionID(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../extension/id.txt")
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// ownPage opens a page of the extension in a tab, as a user does who presses its
// button, and returns a session with it. Only such a page may tell the worker
// what the user wants.
func (p *probe) ownPage(name string) (session string) {
	p.t.Helper()
	return p.userTab(extensionScheme + extensionID(p.t) + "/" + name)
}

// tell makes the page of a session send the worker a request on the port that
// the extension's own pages use, and returns the result.
func (p *probe) tell(session, method string, params any) {
	p.t.Helper()
	js := fmt.Sprintf(`new Promise((resolve, reject) => {
		const port = chrome.runtime.connect({name: 'page'});
		port.onMessage.addListener((m) => {
			if (m.id !== 1) return;
			port.disconnect();
			m.error ? reject(new Error(m.error)) : resolve(m.result);
		});
		port.onDisconnect.addListener(() => reject(new Error('the worker hung up')));
		port.postMessage({id: 1, method: %q, params: %s});
	})`, method, mustJSON(params))
	p.eval(session, js, new(any))
}

// agentID is the helper's id of the connected agent of a title.
func (e *env) agentID(title string) string {
	e.t.Helper()
	for _, a := range e.status().Agents {
		if a.Title == title {
			return a.ID
		}
	}
	e.t.Fatalf("no agent titled %q is connected", title)
	return ""
}
