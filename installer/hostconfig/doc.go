// Package hostconfig knows where each agent host keeps its list of MCP servers
// and how it writes one, and adds Sidekick there and takes it out again.
//
// It is a package of its own because three things need the same knowledge: the
// command "config", the extension's settings (through the helper), and whoever
// checks an installation.
//
// The files belong to the user, and hold much that is none of our business. So
// they are never written anew from what was read. A real parser ([hujson] for
// JSON with comments, go-toml's syntax tree for TOML) says where things are, the
// bytes there are replaced, and the result is read again to prove that nothing
// but our entry has another value.
//
// [hujson]: https://pkg.go.dev/github.com/tailscale/hujson
package hostconfig
