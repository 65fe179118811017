package doctor

import (
	"context"
	"os"

	"github.com/frogbotai/sidekick-mcp/internal/cause"
)

// service looks at the user service, which is a comfort and never needed:
// whoever finds no helper starts one.
func (c *checkup) service(ctx context.Context) {
	s, err := c.Service(ctx)
	switch {
	case err != nil:
		c.note(HopService, "", "whether there is a user service cannot be told ("+err.Error()+"); the helper is started when needed")
	case s.Place == "":
		c.note(HopService, "", "no user service is installed; the helper is started when needed")
	case s.Program != "" && !exists(s.Program):
		c.bad(HopService, s.Place, Failed, cause.ServiceBroken.About(s.Program), nil)
	case !s.Enabled:
		c.bad(HopService, s.Place, Warning, cause.ServiceDisabled.About(s.Place), nil)
	default:
		c.good(HopService, s.Place, "the user service starts the helper at login ("+s.Place+")")
	}
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
