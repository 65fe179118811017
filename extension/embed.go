// Package extension holds the browser extension as the browser loads it: plain
// files, no build step. The program carries them along, so that the managed
// browser can be given its extension and a user can be told where to load it
// from.
package extension

import "embed"

// ID is the extension's id. It follows from the key in manifest.json, so it is
// the same on every machine and however the extension was installed; the
// native-messaging manifest names it.
const ID = "kebocaojpdepmdeepcjdclbbefiipehc"

// FS holds the files that the browser needs, manifest.json at its root. Tests
// and what checks the code are left out.
//
//go:embed manifest.json *.html *.css icons/*.png worker/*.js
//go:embed hosts.js page.js popup.js settings.js sw.js wake.js
var FS embed.FS
