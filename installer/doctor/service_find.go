package doctor

import (
	"context"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/frogbotai/sidekick-mcp/installer/userservice"
	"github.com/frogbotai/sidekick-mcp/internal/browsers"
)

// unitName is the user service's file for systemd.
const unitName = userservice.Name + ".service"

// findService looks for the user service by its files, which every system keeps
// whether or not its manager runs. Windows has a value in the registry instead.
func findService(_ context.Context, env browsers.Env) (Service, error) {
	switch env.GOOS {
	case "windows":
		return runKey()
	case "darwin":
		file := path.Join(env.Home, "Library/LaunchAgents", userservice.Label+".plist")
		b, err := os.ReadFile(file)
		if err != nil {
			return Service{}, nil
		}
		text := string(b)
		_, after, _ := strings.Cut(text, "<key>ProgramArguments</key>")
		return Service{Place: file, Program: between(after, "<string>", "</string>"), Enabled: strings.Contains(text, "<key>RunAtLoad</key>")}, nil
	}
	dir := path.Join(env.Home, ".config/systemd/user")
	file := path.Join(dir, unitName)
	b, err := os.ReadFile(file)
	if err != nil {
		return Service{}, nil
	}
	s := Service{Place: file}
	for line := range strings.Lines(string(b)) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "ExecStart="); ok {
			s.Program = firstWord(command)
			if word, err := strconv.Unquote(quoted(command)); err == nil {
				s.Program = strings.ReplaceAll(word, "%%", "%") // as systemd writes it
			}
		}
	}
	_, err = os.Lstat(path.Join(dir, "default.target.wants", unitName))
	s.Enabled = err == nil
	return s, nil
}

// firstWord is the program of a command line, which may be in quotes.
func firstWord(command string) string {
	command = strings.TrimLeft(strings.TrimSpace(command), "-@:+!")
	for _, quote := range []string{`"`, "'"} {
		if rest, ok := strings.CutPrefix(command, quote); ok {
			word, _, _ := strings.Cut(rest, quote)
			return word
		}
	}
	word, _, _ := strings.Cut(command, " ")
	return word
}

// quoted is the word in double quotes that a command line begins with, the
// quotes included; what is escaped within it stays so.
func quoted(command string) string {
	command = strings.TrimSpace(command)
	for i := 1; i < len(command) && command[0] == '"'; i++ {
		switch command[i] {
		case '\\':
			i++
		case '"':
			return command[:i+1]
		}
	}
	return ""
}

func between(text, from, to string) string {
	_, after, _ := strings.Cut(text, from)
	word, _, ok := strings.Cut(after, to)
	if !ok {
		return ""
	}
	return word
}
