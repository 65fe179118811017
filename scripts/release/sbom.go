package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// billName is that of a platform's bill of materials.
func (r *release) billName(p platform) string {
	return fmt.Sprintf("sidekick-mcp_%s_%s_%s.cdx.json", r.version, p.os, p.arch)
}

// bill writes the bill of materials of a program, in the form of CycloneDX 1.5:
// the modules that Go itself noted in it ("go version -m"). It has no date and
// no serial number, so that it is the same for the same source.
func (r *release) bill(dir string, p platform) error {
	info, err := buildinfo.ReadFile(r.program(p))
	if err != nil {
		return err
	}
	main := component(cdx.ComponentTypeApplication, debug.Module{Path: info.Main.Path, Version: "v" + r.version})
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &main}
	std := component(cdx.ComponentTypeLibrary, debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})
	components := []cdx.Component{std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, component(cdx.ComponentTypeLibrary, *m))
	}
	bom.Components = &components
	var refs []string
	for _, c := range components {
		refs = append(refs, c.BOMRef)
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return create(filepath.Join(dir, r.billName(p)), func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, cdx.SpecVersion1_5)
	})
}

// component is a module with its package URL, and with go.sum's hash where it
// has one: a SHA-256 in base64 behind "h1:".
func component(kind cdx.ComponentType, m debug.Module) cdx.Component {
	purl := "pkg:golang/" + m.Path + "@" + m.Version
	c := cdx.Component{Type: kind, BOMRef: purl, Name: m.Path, Version: m.Version, PackageURL: purl}
	if sum, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
		if b, err := base64.StdEncoding.DecodeString(sum); err == nil {
			c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(b)}}
		}
	}
	return c
}
