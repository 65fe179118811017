package main

import (
	"bytes"
	"context"
	"os/exec"
	"strconv"
	"strings"
)

// memoryOf is what processes hold in memory, in bytes, as ps tells. One that
// has ended is left out.
func memoryOf(ctx context.Context, pids []int) map[int]int64 {
	if len(pids) == 0 {
		return nil
	}
	list := make([]string, len(pids))
	for i, pid := range pids {
		list[i] = strconv.Itoa(pid)
	}
	out, err := exec.CommandContext(ctx, "/bin/ps", "-o", "pid=,rss=", "-p", strings.Join(list, ",")).Output()
	if err != nil {
		return nil
	}
	held := map[int]int64{}
	for line := range bytes.Lines(out) {
		f := strings.Fields(string(line))
		if len(f) != 2 {
			continue
		}
		pid, err := strconv.Atoi(f[0])
		kb, err2 := strconv.ParseInt(f[1], 10, 64)
		if err == nil && err2 == nil {
			held[pid] = kb << 10
		}
	}
	return held
}
