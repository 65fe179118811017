package launch

// GoPipeWay makes l load the extension over the debugging pipe whatever the
// browser is.
func GoPipeWay(l *Launcher) { l.isBranded = func(string) bool { return true } }
