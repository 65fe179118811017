package mcpserver

// changesProperty is a property of the tools that act on a page: whether their
// result has the lines of the outline that the action changed. It is on if not
// said otherwise, and described in click alone (see tabProperty).
const changesProperty = `"changes":{"type":"boolean"}`

// changesArg is that property among a tool's arguments.
type changesArg struct {
	Changes *bool `json:"changes"`
}

// quiet reports whether the caller wants no word of what changed.
func (a changesArg) quiet() bool { return a.Changes != nil && !*a.Changes }
