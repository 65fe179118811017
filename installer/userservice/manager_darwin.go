package userservice

import (
	"context"
	"os/user"
	"path/filepath"

	"github.com/kardianos/service"
)

// Open returns the user's service.
func Open(_ context.Context, c Config) (*Service, error) {
	// Where kardianos writes it, whatever HOME says.
	u, err := user.Current()
	if err != nil {
		return nil, err
	}
	place := filepath.Join(u.HomeDir, "Library", "LaunchAgents", Label+".plist")
	s := &Service{Place: place, Dirs: []string{filepath.Dir(place)}, want: launchdPlist(c), have: func() (string, error) { return readPlace(place) }}
	s.mgr, err = service.New(program{}, &service.Config{
		Name: Label, Executable: c.Binary,
		Option: service.KeyValue{"UserService": true, "LaunchdConfig": s.want},
	})
	return s, err
}
