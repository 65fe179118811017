package main

import "golang.org/x/sys/unix"

// getTermios asks for a terminal's settings.
const getTermios = unix.TIOCGETA
