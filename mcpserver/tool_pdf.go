package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/frogbotai/sidekick-mcp/browser"
)

type savePDFArgs struct {
	Path string `json:"path"`
	Tab  string `json:"tab"`
}

func savePDFTool() *tool {
	return define(tool{
		name:        "save_pdf",
		title:       "Save as PDF",
		description: "Save the page as a PDF file, in the user's Downloads or at path (absolute; a folder or a new file).",
		schema:      `{"type":"object","properties":{"path":{"type":"string"},` + tabProperty + `}}`,
	}, func(ctx context.Context, b browser.API, a savePDFArgs) *mcp.CallToolResult {
		return outcomeOf(b.SavePDF(ctx, browser.PDFArgs{Tab: a.Tab, Path: a.Path}))
	})
}
