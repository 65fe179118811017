package userservice

import (
	"fmt"
	"path"
	"strings"
)

// Label is the service's name for launchd.
const Label = "ai.frogbot.sidekick"

// Log is where launchd keeps what the helper prints, in a folder of logs. systemd
// has its journal.
func Log(dir string) string { return path.Join(dir, "service.log") }

// launchdPlist is the text of the agent's property list.
//
// See: launchd.plist(5)
func launchdPlist(c Config) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`<?xml version="1.0" encoding="UTF-8"?>`)
	line(`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`)
	line(`<plist version="1.0">`)
	line("<dict>")
	text := func(key, value string) {
		line("\t<key>%s</key>\n\t<string>%s</string>", key, xmlText(value))
	}
	text("Label", Label)
	line("\t<key>ProgramArguments</key>\n\t<array>")
	for _, arg := range append([]string{c.Binary}, arguments()...) {
		line("\t\t<string>%s</string>", xmlText(arg))
	}
	line("\t</array>")
	if c.Home != "" {
		line("\t<key>EnvironmentVariables</key>\n\t<dict>\n\t\t<key>SIDEKICK_HOME</key>\n\t\t<string>%s</string>\n\t</dict>", xmlText(c.Home))
	}
	line("\t<key>RunAtLoad</key>\n\t<true/>")
	line("\t<!-- An end without an error is meant: \"sidekick-mcp stop\", or another helper. -->")
	line("\t<key>KeepAlive</key>\n\t<dict>\n\t\t<key>SuccessfulExit</key>\n\t\t<false/>\n\t</dict>")
	line("\t<key>ThrottleInterval</key>\n\t<integer>10</integer>")
	line("\t<!-- A person waits for what it does. -->")
	text("ProcessType", "Interactive")
	line("\t<!-- The browsers that the helper starts are not the agent's to end. -->")
	line("\t<key>AbandonProcessGroup</key>\n\t<true/>")
	text("StandardOutPath", Log(c.LogDir))
	text("StandardErrorPath", Log(c.LogDir))
	line("</dict>")
	line("</plist>")
	return b.String()
}

// xmlText escapes what XML needs escaped, and braces, for the text is still a
// template to who installs it.
func xmlText(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "{", "&#123;").Replace(s)
}
