package userservice

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kardianos/service"

	"github.com/frogbotai/sidekick-mcp/internal/paths"
)

// askBound is how long the user's manager may take to say that it is there.
const askBound = 5 * time.Second

// Open returns the user's service, or an error that is [ErrNoManager] where
// systemd keeps none for the user. The service is then only good for
// [Service.Remove], which takes away the file that an earlier installation left.
func Open(ctx context.Context, c Config) (*Service, error) {
	home, err := paths.Home()
	if err != nil {
		return nil, err
	}
	// Where kardianos writes it, whatever XDG_CONFIG_HOME says.
	place := filepath.Join(home, ".config", "systemd", "user", Name+".service")
	wants := filepath.Join(filepath.Dir(place), "default.target.wants")
	s := &Service{Place: place, Dirs: []string{wants}, have: func() (string, error) { return readPlace(place) }, mgr: absent{}}
	version, err := systemdVersion(ctx)
	if err != nil {
		return s, err
	}
	s.want = systemdUnit(c, systemdOptions{version: version, setuidSandbox: !userNamespaces()})
	sys := systemd()
	if sys == nil {
		return s, noManager("this build knows no systemd")
	}
	s.mgr, err = sys.New(program{}, &service.Config{
		Name: Name, Executable: c.Binary,
		Option: service.KeyValue{"UserService": true, "SystemdScript": s.want},
	})
	return s, err
}

// systemd is kardianos' systemd, whether or not it would choose that here: that
// looks at the system, and what is wanted is the user's manager.
func systemd() service.System {
	for _, s := range service.AvailableSystems() {
		if s.String() == "linux-systemd" {
			return s
		}
	}
	return nil
}

// systemdVersion asks the user's manager, not the program systemctl: that may
// be there with no manager to talk to.
func systemdVersion(ctx context.Context) (int, error) {
	if _, err := exec.LookPath("systemctl"); err != nil {
		return 0, noManager("this system has no systemctl")
	}
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	cmd := exec.CommandContext(ctx, "systemctl", "--user", "show", "--property=Version", "--value")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// A child of it that keeps its output open is not waited for.
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		why := strings.TrimSpace(stderr.String())
		if why == "" {
			why = err.Error()
		}
		why, _, _ = strings.Cut(why, "\n")
		return 0, noManager("systemctl --user says: " + why)
	}
	// "252.38-1~deb12u1", "v255.4-1ubuntu8"
	digits := strings.TrimLeft(strings.TrimSpace(string(out)), "v")
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		digits = digits[:end]
	}
	version, err := strconv.Atoi(digits)
	if err != nil {
		return 0, noManager(fmt.Sprintf("systemctl --user says %q of its version", out))
	}
	return version, nil
}

// userNamespaces reports whether programs of the user may make user namespaces,
// as far as the kernel says so.
func userNamespaces() bool {
	for _, file := range []string{"/proc/sys/kernel/unprivileged_userns_clone", "/proc/sys/user/max_user_namespaces"} {
		if b, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(b)) == "0" {
			return false
		}
	}
	return true
}

// absent is the manager where there is none.
type absent struct{}

func (absent) Install() error   { return ErrNoManager }
func (absent) Uninstall() error { return ErrNoManager }
func (absent) Start() error     { return ErrNoManager }
func (absent) Stop() error      { return ErrNoManager }
