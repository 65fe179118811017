package installer

import (
	"context"
	"errors"
	"path/filepath"

	"golang.org/x/sys/windows/registry"
)

// installRegistry writes one manifest into StateDir and its name under each
// key. Browsers look into the 32-bit view and then into the 64-bit one; for
// HKEY_CURRENT_USER\Software they are the same.
func installRegistry(ctx context.Context, opts Options, places []place) ([]Change, error) {
	file := filepath.Join(opts.StateDir, ManifestFile)
	if !opts.DryRun {
		if _, err := writeManifest(file, opts.Binary, opts.ExtensionID); err != nil {
			return nil, err
		}
	}
	return each(ctx, places, func(p place) (Change, error) {
		name := p.at + `\` + HostName
		c := p.change(`HKEY_CURRENT_USER\` + name)
		if have, err := readKey(name); err == nil && have == file {
			return c, nil
		}
		c.Done = true
		if opts.DryRun {
			return c, nil
		}
		k, _, err := registry.CreateKey(registry.CURRENT_USER, name, registry.SET_VALUE)
		if err != nil {
			return c, err
		}
		defer k.Close()
		return c, k.SetStringValue("", file)
	})
}

func uninstallRegistry(ctx context.Context, opts Options, places []place) ([]Change, error) {
	changes, err := each(ctx, places, func(p place) (Change, error) {
		name := p.at + `\` + HostName
		c := p.change(`HKEY_CURRENT_USER\` + name)
		if _, err := readKey(name); errors.Is(err, registry.ErrNotExist) {
			return c, nil
		}
		c.Done = true
		if opts.DryRun {
			return c, nil
		}
		return c, registry.DeleteKey(registry.CURRENT_USER, name)
	})
	if err != nil || opts.DryRun {
		return changes, err
	}
	file := filepath.Join(opts.StateDir, ManifestFile)
	done, err := removeManifest(file)
	if done {
		changes = append(changes, Change{Kind: KindManifest, Place: file, Done: true})
	}
	return changes, err
}

// readKey returns a key's value without a name.
func readKey(name string) (string, error) {
	k, err := registry.OpenKey(registry.CURRENT_USER, name, registry.QUERY_VALUE)
	if err != nil {
		return "", err
	}
	defer k.Close()
	value, _, err := k.GetStringValue("")
	return value, err
}
