package hostconfig

import "strings"

// programSnippet is the call that a FrogBot configuration adds Sidekick by, in
// TypeScript.
func programSnippet(h Host, s Server) string {
	words := make([]string, len(s.Command))
	for i, w := range s.Command {
		words[i] = singleQuote(w)
	}
	var env []string
	for _, f := range s.environment(h) {
		value := singleQuote(f.value.(string))
		if s.Shared {
			value = "process.env." + f.value.(string)
		}
		env = append(env, f.key+": "+value)
	}
	return "mcpServer({\n" +
		"  name: " + singleQuote(s.Name) + ",\n" +
		"  type: 'local',\n" +
		"  command: [" + strings.Join(words, ", ") + "],\n" +
		"  environment: { " + strings.Join(env, ", ") + " },\n" +
		"})\n"
}

// singleQuote writes a string of a program.
func singleQuote(s string) string {
	inside := strings.TrimSuffix(strings.TrimPrefix(quote(s), `"`), `"`)
	return "'" + strings.ReplaceAll(strings.ReplaceAll(inside, `\"`, `"`), "'", `\'`) + "'"
}
