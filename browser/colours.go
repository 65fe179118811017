package browser

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
)

// colourNames are CSS's names of the colours that people have words for.
var colourNames = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"#000000": "black", "#ffffff": "white", "#ff0000": "red", "#008000": "green", "#0000ff": "blue", "#ffff00": "yellow",
		"#00ffff": "cyan", "#ff00ff": "magenta", "#00ff00": "lime", "#808080": "gray", "#c0c0c0": "silver", "#800000": "maroon",
		"#808000": "olive", "#000080": "navy", "#800080": "purple", "#008080": "teal", "#ffa500": "orange", "#ffc0cb": "pink",
		"#a52a2a": "brown", "#ffd700": "gold", "#ee82ee": "violet", "#4b0082": "indigo",
	}
})

var hexColour = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`#[0-9a-f]{6}\b`) })

// coloured names the colours in what the page script says of a box or a shape.
func coloured(s string) string {
	return hexColour().ReplaceAllStringFunc(s, func(hex string) string {
		if name := colourNames()[hex]; name != "" {
			return name
		}
		return hex
	})
}

var computedColour = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$`)
})

// colourOf is a computed colour as #rrggbb, or empty for one that nobody sees.
func colourOf(css string) string {
	m := computedColour().FindStringSubmatch(css)
	if m == nil {
		return ""
	}
	if a, err := strconv.ParseFloat(m[4], 64); m[4] != "" && (err != nil || a < 0.05) {
		return ""
	}
	hex := "#"
	for _, c := range m[1:4] {
		n, err := strconv.Atoi(c)
		if err != nil || n > 255 {
			return ""
		}
		hex += fmt.Sprintf("%02x", n)
	}
	return hex
}
