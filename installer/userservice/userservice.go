// Package userservice makes the helper a service of the user's: started at
// login and again after a failure. It is a package of its own because it is the
// only one that knows service managers. The service is a comfort: without it
// the helper is started on demand.
//
// systemd and launchd are spoken to through github.com/kardianos/service, with
// our own texts: its unit is wanted by a target that a user's manager has not
// got, and waits two minutes before a restart.
package userservice

import (
	"context"
	"errors"
	"fmt"
)

// Name is what the service is called where names are short.
const Name = "sidekick"

// Config says what the service runs and where its traces go.
type Config struct {
	// Binary is the program, an absolute path.
	Binary string
	// Home is SIDEKICK_HOME, empty where it is not set.
	Home string
	// LogDir is where launchd puts what the helper says before its own log is
	// open. systemd keeps that in the journal.
	LogDir string
}

// Arguments are what the program is started with.
func arguments() []string { return []string{"helper", "--stay"} }

// ErrNoManager says that there is nobody to keep a service for the user: a
// container, a session without systemd. Its text says why.
var ErrNoManager = errors.New("no service manager answers")

func noManager(why string) error { return fmt.Errorf("%w (%s)", ErrNoManager, why) }

// manager keeps services; kardianos' is one.
type manager interface {
	Install() error
	Uninstall() error
	Start() error
	Stop() error
}

// Service is the user's service on this system.
type Service struct {
	// Place is the file, or the registry value, that it is kept in.
	Place string
	// Dirs are the folders that may be made for it.
	Dirs []string
	mgr  manager
	have func() (text string, err error) // what is at Place, "" for nothing
	want string
}

// Installed reports whether the service is there, as this version wants it.
func (s *Service) Installed() (there, right bool, err error) {
	text, err := s.have()
	return text != "", text == s.want, err
}

// Text is what is written to Place.
func (s *Service) Text() string { return s.want }

// Install puts the service in place and starts it, whatever was there before:
// the old one is taken away first. On failure nothing of it is left, so that it
// can be tried again.
func (s *Service) Install(ctx context.Context) error {
	if err := s.Remove(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	err := s.mgr.Install()
	if err == nil {
		err = s.mgr.Start()
	}
	if err == nil {
		return nil
	}
	if undo := s.Remove(context.WithoutCancel(ctx)); undo != nil {
		return errors.Join(err, undo)
	}
	return err
}

// Restart starts what is in place, and ends first what runs of it: launchd
// starts nothing that it knows already.
func (s *Service) Restart() error {
	// What does not run cannot be stopped, and that is what is wanted.
	_ = s.mgr.Stop()
	return s.mgr.Start()
}

// Remove stops the service and takes it away. It is no error when there is
// none.
func (s *Service) Remove(context.Context) error {
	text, err := s.have()
	if err != nil || text == "" {
		return err
	}
	// What does not run cannot be stopped, and that is what is wanted.
	_ = s.mgr.Stop()
	err = s.mgr.Uninstall()
	if left, herr := s.have(); herr == nil && left == "" {
		return nil
	}
	// Without a manager to ask the file can still go: it is read at login.
	if rerr := removePlace(s.Place); rerr != nil {
		return errors.Join(err, rerr)
	}
	return nil
}
