package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/frogbotai/sidekick-mcp/pairing"
)

// givenToken is the token that a command is given, or where in the keyring it
// is; "" without one. It is never an argument: other users can see those, and a
// shell keeps them. One that would open nothing is an error.
func givenToken(ctx context.Context, stdin io.Reader, fromStdin bool) (string, error) {
	token := os.Getenv("SIDEKICK_TOKEN")
	if fromStdin {
		line, err := bufio.NewReader(stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return "", fmt.Errorf("reading the token from stdin: %w", err)
		}
		if token = line; strings.TrimSpace(token) == "" {
			return "", errors.New("there is no token on stdin: pipe one into this command, or leave out --token-stdin")
		}
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", nil
	}
	dirs, store, err := openStore()
	if err != nil {
		return "", err
	}
	resolved, err := pairing.OpenSecrets(store, dirs.KeyFile()).ResolveToken(ctx, token)
	if err != nil {
		return "", err
	}
	if _, err := store.Authenticate(ctx, resolved); err != nil {
		return "", err
	}
	return token, nil
}
