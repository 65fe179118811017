package bench

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tablePage is a table of so many rows, each with a link and a button.
func tablePage(rows int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset=utf-8><title>Orders</title><h1>Orders</h1><table><thead><tr><th>No<th>Name<th>Mail<th>City<th>Do</tr></thead><tbody>`)
	for i := 1; i <= rows; i++ {
		fmt.Fprintf(&b, `<tr><td>%d</td><td>Name %d</td><td><a href="/u/%d">mail%d@x.example</a></td><td>City %d</td><td><button>Edit %d</button></td></tr>`, i, i, i, i, i%50, i)
	}
	b.WriteString(`</tbody></table>`)
	return b.String()
}

// BenchmarkLargeTable reads a table of 2,000 rows and one of 10,000: at once
// after it was gone to, when the browser still makes its accessibility tree; when
// the agent thought for a second first, as a model does; once more; and with its
// last row found.
func BenchmarkLargeTable(b *testing.B) {
	for _, rows := range []int{2000, 10000} {
		b.Run(strconv.Itoa(rows), func(b *testing.B) {
			page := tablePage(rows)
			_, a, url := agentOn(b, page)
			var first, thought, second, found times
			size := 0
			timed := func(t *times, name string, args map[string]any) string {
				start := time.Now()
				r := a.tool(name, args)
				*t = append(*t, time.Since(start))
				return r
			}
			for i := 1; b.Loop(); i++ {
				a.tool("navigate", map[string]any{"url": url + "/?" + strconv.Itoa(i)})
				timed(&first, "read_page", nil)
				a.tool("navigate", map[string]any{"url": url + "/?thought=" + strconv.Itoa(i)})
				time.Sleep(time.Second)
				timed(&thought, "read_page", nil)
				size = len(timed(&second, "read_page", nil))
				last := fmt.Sprintf("Edit %d", rows)
				if r := timed(&found, "find", map[string]any{"query": last}); !strings.Contains(r, last) {
					b.Fatal(r)
				}
			}
			first.report(b, "first")
			thought.report(b, "first-after-a-second")
			second.report(b, "second")
			found.report(b, "find")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}
