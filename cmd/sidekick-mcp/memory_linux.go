package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
)

// memoryOf is what processes hold in memory of their own, in bytes. One that
// has ended is left out.
func memoryOf(_ context.Context, pids []int) map[int]int64 {
	held := map[int]int64{}
	for _, pid := range pids {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		// Size, resident, shared with others (such as the program's file).
		f := bytes.Fields(b)
		if len(f) < 3 {
			continue
		}
		resident, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil {
			continue
		}
		shared, err := strconv.ParseInt(string(f[2]), 10, 64)
		if err != nil {
			continue
		}
		held[pid] = (resident - shared) * int64(os.Getpagesize())
	}
	return held
}
