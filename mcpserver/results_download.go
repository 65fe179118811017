package mcpserver

import (
	"fmt"

	"github.com/frogbotai/sidekick-mcp/browser"
)

// downloadLine says how far a download is, or where its file lies.
func downloadLine(d browser.Download) string {
	line, end := fmt.Sprintf("The download of %s ", quote(d.Name, maxTitle)), ""
	switch {
	case d.State == "completed" && d.Path != "":
		// No quotes: they would double what Windows divides paths with.
		line = fmt.Sprintf("Downloaded %s, %s", quote(d.Name, maxTitle), inBytes(d.Received))
		end = ", to " + oneLine(d.Path, maxURL)
	case d.State == "completed":
		line += "is complete, " + inBytes(d.Received)
	case d.Held != "":
		line += fmt.Sprintf("is held back: the browser takes the file for unsafe (%s) and asks the user whether to keep it", oneLine(d.Held, maxTitle))
		end = ". Tell the user"
	case d.State == "inProgress":
		line += "is under way, " + inBytes(d.Received)
		if d.Size > 0 {
			line += fmt.Sprintf(" of %d", d.Size)
		}
		line += " so far"
		end = ". To wait for its end call wait_for with idle"
	case d.State == "canceled" && d.Error != "" && d.Error != "USER_CANCELED":
		line += fmt.Sprintf("failed (%s)", oneLine(d.Error, maxTitle))
	case d.State == "canceled":
		line += "was cancelled"
	default:
		line += oneLine(d.State, maxTitle)
	}
	return line + ", from " + oneLine(d.URL, maxURL) + end
}

func inBytes(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
