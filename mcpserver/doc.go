// Package mcpserver is the MCP server that an agent's host talks to: the stdio
// transport, the handshake, the tool catalogue, argument checks and results. It
// serves one agent in one process and knows of the page engine only what
// [browser.API] says; who the agent is and how a browser is reached is given to
// [Run] as functions.
//
// The Go SDK's server does the protocol's work. Its own stdio transport is not
// used: there one bad line ends the process, a cancelled call is answered all
// the same, and the end of the process waits for whatever a handler is doing.
package mcpserver
