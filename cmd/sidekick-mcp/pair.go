package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frogbotai/sidekick-mcp/installer/hostconfig"
	"github.com/frogbotai/sidekick-mcp/internal/paths"
	"github.com/frogbotai/sidekick-mcp/pairing"
)

type pairOptions struct {
	name                               string
	managed, keyring, noEvaluate, json bool
}

func newPairCommand() *cobra.Command {
	var o pairOptions
	c := &cobra.Command{
		Use:   "pair --name NAME",
		Short: "Let an agent host use the browser: make its token",
		Long: "pair makes a token and prints what to give to the agent's host. The token is shown this\n" +
			"once. Its agents use your own browser, in the profile that has the Sidekick extension, or\n" +
			"with --managed a browser profile of Sidekick's own, which needs no set-up.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("name") {
				return &usageError{cmd, errors.New("--name NAME is missing: it is what you will know these agents by")}
			}
			return pair(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr(), o)
		},
	}
	c.Flags().StringVar(&o.name, "name", "", "what to call the agent host, such as FrogBot: 1 to 40 characters")
	c.Flags().BoolVar(&o.managed, "managed", false, "use a browser profile of Sidekick's own")
	c.Flags().BoolVar(&o.keyring, "keyring", false, "keep the token in the system's keyring, so that no file holds it")
	c.Flags().BoolVar(&o.noEvaluate, "no-evaluate", false, "its agents may not run scripts of their own in pages")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// paired is what pair --json prints.
type paired struct {
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Token     string            `json:"token,omitempty"` // not of one in the keyring
	Managed   bool              `json:"managed"`
	Command   string            `json:"command"`
	Args      []string          `json:"args"`
	Env       map[string]string `json:"env"`
	CreatedAt time.Time         `json:"created_at"`
	// NoEvaluate says that its agents have no tool evaluate.
	NoEvaluate bool `json:"no_evaluate"`
}

func pair(ctx context.Context, out, warn io.Writer, o pairOptions) error {
	dirs, store, err := openStore()
	if err != nil {
		return err
	}
	made, err := makePairing(ctx, warn, dirs, store, o)
	if err != nil {
		return err
	}
	if o.json {
		return writeJSON(out, made)
	}
	return made.print(out, dirs)
}

// makePairing makes a pairing, its token in the keyring if that is wanted, and
// tells the running helper of it.
func makePairing(ctx context.Context, warn io.Writer, dirs paths.Dirs, store *pairing.Store, o pairOptions) (paired, error) {
	p, token, err := store.Add(ctx, o.name, pairing.Options{Managed: o.managed, NoEvaluate: o.noEvaluate})
	if err != nil {
		return paired{}, err
	}
	made := paired{ID: p.ID, Name: p.Name, Token: token.Reveal(), Managed: p.Managed, CreatedAt: p.CreatedAt, NoEvaluate: p.NoEvaluate}
	env := token.Reveal()
	if o.keyring {
		env, err = pairing.OpenSecrets(store, dirs.KeyFile()).KeepToken(ctx, p.ID, token)
		if err != nil {
			// Nobody will ever know this token.
			_, undo := store.Revoke(context.WithoutCancel(ctx), p.ID)
			return paired{}, errors.Join(err, undo)
		}
		made.Token = ""
	}
	made.Env = map[string]string{"SIDEKICK_TOKEN": env}
	// The agent must find the list that the token was written to.
	if home := os.Getenv("SIDEKICK_HOME"); home != "" {
		made.Env["SIDEKICK_HOME"] = home
	}
	command, err := agentCommand(dirs)
	if err != nil {
		return paired{}, err
	}
	made.Command, made.Args = command[0], command[1:]
	if err := notify(ctx, dirs); err != nil {
		fmt.Fprintf(warn, "sidekick-mcp: the pairing is made, but the running helper could not be told of it: %v\n", err)
	}
	return made, nil
}

// print tells a person what to do with it.
func (p paired) print(out io.Writer, dirs paths.Dirs) error {
	browser := "your own browser, in the profile that has the Sidekick extension"
	if p.Managed {
		browser = "a browser profile of Sidekick's own (" + dirs.ManagedProfile() + ")"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Made the pairing %q. Its agents use %s.\n\n", p.Name, browser)
	if p.NoEvaluate {
		b.WriteString("They may not use the tool evaluate.\n\n")
	}
	b.WriteString("Give your agent's host this command and this environment:\n\n")
	fmt.Fprintf(&b, "  %s\n", hostconfig.CommandLine(append([]string{p.Command}, p.Args...)))
	for _, name := range []string{"SIDEKICK_TOKEN", "SIDEKICK_HOME"} {
		if value, ok := p.Env[name]; ok {
			fmt.Fprintf(&b, "  %s=%s\n", name, value)
		}
	}
	b.WriteString("\nor, where it takes JSON:\n\n")
	if err := writeJSON(&b, p.config()); err != nil {
		return err
	}
	if p.Token == "" {
		b.WriteString("\nThe token is in the system's keyring; SIDEKICK_TOKEN only says where.\n")
	} else {
		b.WriteString("\nThe token is shown this once. Whoever has it can use the browser as you can: keep it secret.\n")
	}
	fmt.Fprintf(&b, "To end its right: %s revoke %s\n", typed(dirs), p.ID)
	_, err := io.WriteString(out, b.String())
	return err
}

// config is the entry that many agent hosts take.
func (p paired) config() any {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
	return map[string]any{"mcpServers": map[string]server{"sidekick": {p.Command, p.Args, p.Env}}}
}
