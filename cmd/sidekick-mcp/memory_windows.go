package main

import (
	"context"
	"unsafe"

	"golang.org/x/sys/windows"
)

// processMemory is PROCESS_MEMORY_COUNTERS.
//
// See: https://learn.microsoft.com/windows/win32/api/psapi/ns-psapi-process_memory_counters
type processMemory struct {
	size, pageFaults                                 uint32
	peakWorkingSet, workingSet                       uintptr
	peakPagedPool, pagedPool, peakNonPaged, nonPaged uintptr
	pagefileUsage, peakPagefileUsage                 uintptr
}

// memoryOf is what processes hold in memory, in bytes. One that has ended is
// left out.
func memoryOf(_ context.Context, pids []int) map[int]int64 {
	get := windows.NewLazySystemDLL("kernel32.dll").NewProc("K32GetProcessMemoryInfo")
	held := map[int]int64{}
	for _, pid := range pids {
		h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
		if err != nil {
			continue
		}
		m := processMemory{size: uint32(unsafe.Sizeof(processMemory{}))}
		if ok, _, _ := get.Call(uintptr(h), uintptr(unsafe.Pointer(&m)), uintptr(m.size)); ok != 0 {
			held[pid] = int64(m.workingSet)
		}
		windows.CloseHandle(h)
	}
	return held
}
