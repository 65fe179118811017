package ipc

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

func dial(ctx context.Context, path string) (net.Conn, error) {
	nc, err := winio.DialPipeContext(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(nc); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// listen makes a pipe that this user alone owns and may open, so that the
// system checks who dials.
func listen(path string) (net.Listener, error) {
	sid, err := currentSID()
	if err != nil {
		return nil, err
	}
	return winio.ListenPipe(path, &winio.PipeConfig{
		SecurityDescriptor: fmt.Sprintf("O:%sD:P(A;;GA;;;%s)", sid, sid),
		InputBufferSize:    64 << 10,
		OutputBufferSize:   64 << 10,
	})
}

// removeSocket has nothing to do: a pipe goes with its process.
func removeSocket(string) error { return nil }

// peerProcess is the process that made the pipe.
func peerProcess(nc net.Conn) (int, error) {
	f, ok := nc.(interface{ Fd() uintptr })
	if !ok {
		return 0, errors.New("the pipe does not tell its handle")
	}
	var pid uint32
	if err := windows.GetNamedPipeServerProcessId(windows.Handle(f.Fd()), &pid); err != nil {
		return 0, err
	}
	return int(pid), nil
}

// checkOwner makes sure that the pipe was made by this user: its name is known,
// and whoever makes it first has it.
func checkOwner(nc net.Conn) error {
	f, ok := nc.(interface{ Fd() uintptr })
	if !ok {
		return errors.New("the pipe does not tell its handle")
	}
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("asking for the pipe's owner: %w", err)
	}
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("asking for the pipe's owner: %w", err)
	}
	sid, err := currentSID()
	if err != nil {
		return err
	}
	if owner.String() != sid {
		return fmt.Errorf("the pipe belongs to another user (%s)", owner)
	}
	return nil
}

func currentSID() (string, error) {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", fmt.Errorf("asking for this user's SID: %w", err)
	}
	return u.User.Sid.String(), nil
}

// inTheWay is nothing that can be here: pipes have a name space of their own.
func inTheWay(string) error { return nil }
