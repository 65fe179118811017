package mcpserver

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type uploadFileArgs struct {
	Ref   string   `json:"ref"`
	Paths []string `json:"paths"`
	Tab   string   `json:"tab"`
}

func (a uploadFileArgs) check() error {
	if len(a.Paths) == 0 {
		return errors.New(`"paths" is empty; it must name the files, by their whole paths`)
	}
	return needRef(a.Ref)
}

func uploadFileTool() *tool {
	return define(tool{
		name:        "upload_file",
		title:       "Upload file",
		description: "Give files of this computer to a file field, the button that asks for them, or a drop zone.",
		schema: `{"type":"object","properties":{` +
			refProperty + `,` +
			`"paths":{"type":"array","items":{"type":"string"},"description":"absolute"},` +
			tabProperty + `},"required":["ref","paths"]}`,
		hints: hints{destructive: true},
	}, func(ctx context.Context, b browser.API, a uploadFileArgs) *mcp.CallToolResult {
		return outcomeOf(b.UploadFile(ctx, browser.UploadArgs{Tab: a.Tab, Ref: a.Ref, Paths: a.Paths}))
	})
}
