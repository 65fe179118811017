package userservice

import (
	"fmt"
	"strings"

	"github.com/frogbotai/sidekick-mcp/internal/ipc"
)

// systemdOptions are what a unit's text depends on besides [Config].
type systemdOptions struct {
	// version is the manager's. RestartSteps came with 254.
	version int
	// setuidSandbox says that programs may make no user namespaces here, so
	// that browsers need their setuid helper for their sandbox.
	setuidSandbox bool
}

// systemdUnit is the text of the unit.
//
// See: https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
func systemdUnit(c Config, o systemdOptions) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("[Unit]")
	line("Description=Sidekick's helper, which connects AI agents and browsers")
	line("StartLimitIntervalSec=10min")
	line("StartLimitBurst=20")
	line("")
	line("[Service]")
	line("Type=exec")
	command := []string{systemdQuote(c.Binary)}
	line("ExecStart=%s", strings.Join(append(command, arguments()...), " "))
	line("Environment=%s=systemd", ipc.ServiceEnv)
	if c.Home != "" {
		line("Environment=%s", systemdQuote("SIDEKICK_HOME="+c.Home))
	}
	line("# An end without an error is meant: \"sidekick-mcp stop\", or another helper.")
	line("Restart=on-failure")
	line("RestartSec=1s")
	if o.version >= 254 {
		line("RestartSteps=6")
		line("RestartMaxDelaySec=1min")
	}
	line("# The browsers that the helper starts are not the service's to end.")
	line("KillMode=process")
	line("OOMPolicy=continue")
	if o.setuidSandbox {
		line("# NoNewPrivileges is left out: this system allows no user namespaces, so the")
		line("# browsers that the helper starts need a setuid program for their sandbox.")
	} else {
		line("NoNewPrivileges=yes")
	}
	line("# The socket may be below /tmp, where everybody has to see the same one.")
	line("PrivateTmp=no")
	line("# For the helper itself; its browsers are started in scopes of their own.")
	line("MemoryMax=%s", memoryMax)
	line("StandardOutput=journal")
	line("StandardError=journal")
	line("SyslogIdentifier=%s", Name)
	line("")
	line("[Install]")
	line("WantedBy=default.target")
	return b.String()
}

// memoryMax is far above what the helper takes (some 30 MB, and twice its
// largest frames for each connection).
const memoryMax = "1G"

// systemdQuote writes a word as systemd reads it in the place of a program or in
// an environment, where it looks for no variables: in quotes, with C's escapes,
// and with what its specifiers begin with doubled. Braces are written as escapes
// too, for the text is still a template to who installs it.
func systemdQuote(s string) string {
	return `"` + strings.NewReplacer(
		`\`, `\\`, `"`, `\"`, "%", "%%", "{", `\x7b`, "\n", `\n`,
	).Replace(s) + `"`
}
